// Byte pair encoding (Gage, "A new algorithm for data compression", The C Users Journal 1994;
// Sennrich, Haddow & Birch, "Neural machine translation of rare words with subword units", ACL
// 2016), of bytes (Radford et al., "Language models are unsupervised multitask learners", 2019):
// texts as learned pieces. The first 256 pieces are the single bytes; each later one stands for two
// earlier ones, and its id gives the order in which pairs are joined. A piece that begins a word
// begins with the space before it, and no piece has a space elsewhere.
//
// For any bytes: decode(encode(text)) == text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dialog/text/token_counts.h"

namespace heed {

class Pieces {
 public:
  static constexpr int32_t kBytes = 256;
  static constexpr size_t kMaxBytes = 128;  // of a piece

  Pieces();  // the single bytes

  // Joins the most frequent pair of neighbours in the words, each with a space before it, until
  // there are `size` pieces or no pair occurs twice; among equally frequent ones the pair with the
  // smallest ids, the left one's first. Depends on nothing but the counts.
  static Pieces learn(const TokenCounts& words, int64_t size);

  int32_t size() const { return static_cast<int32_t>(pieces_.size()); }
  const std::string& operator[](int32_t piece) const { return pieces_.at(piece); }  // its bytes
  int32_t find(std::string_view bytes) const;                                       // -1: none

  // Adds the next piece and returns nothing, or returns what is wrong with it: it must be new, not
  // too long, made of two earlier pieces, and have no space after its first byte.
  std::string add(std::string_view bytes);

  // A word, from a space to before the next one, is one piece if that exists. Otherwise, of the
  // neighbours that make a piece, those with the smallest id are joined, the first among equals,
  // until there are none. Words longer than a KiB are first cut there.
  std::vector<int32_t> encode(std::string_view text) const;
  std::string decode(const std::vector<int32_t>& pieces) const;

 private:
  void encode_word(std::string_view word, std::vector<int32_t>& pieces) const;

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> numbers_;
};

// The bytes of a piece as one word of UTF-8: a space as "▁" (U+2581), and as "<0x0A>" each byte
// that is not UTF-8 or that is part of white space, a control character, "<" or "▁".
std::string piece_name(std::string_view bytes);
// The bytes of such a name; none for a name that piece_name() never gives.
std::optional<std::string> piece_of_name(std::string_view name);

}  // namespace heed
