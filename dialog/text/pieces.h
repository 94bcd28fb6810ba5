// Byte pair encoding (Gage, "A new algorithm for data compression", The C Users Journal 1994;
// Sennrich, Haddow & Birch, "Neural machine translation of rare words with subword units", ACL
// 2016), of bytes (Radford et al., "Language models are unsupervised multitask learners", 2019):
// texts as pieces that are learned. The first 256 pieces are the single bytes; each later one
// stands for two earlier ones, and its number says how early the two are joined. A piece that
// begins a word begins with the blank before it, and no piece holds a blank elsewhere.
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

  // Joins the two neighbours that stand side by side most often in the words, each with a blank
  // before it, until there are `size` pieces, or none stand so twice; of equally frequent ones
  // those of the smallest numbers, the left one's first. Depends on nothing but the counts.
  static Pieces learn(const TokenCounts& words, int64_t size);

  int32_t size() const { return static_cast<int32_t>(pieces_.size()); }
  const std::string& operator[](int32_t piece) const { return pieces_.at(piece); }  // its bytes
  int32_t find(std::string_view bytes) const;                                       // -1: none

  // Adds the next piece. Returns what is wrong with it instead, nothing if it is added: it must be
  // new, not too long, made of two pieces before it, and hold no blank behind its first byte.
  std::string add(std::string_view bytes);

  // A word, from a blank to before the next one, is one piece if it is there. Otherwise of the
  // neighbours that make a piece those of the smallest number are joined, the first of equal ones,
  // until none do. What is longer than a KiB is cut there before.
  std::vector<int32_t> encode(std::string_view text) const;
  std::string decode(const std::vector<int32_t>& pieces) const;

 private:
  void encode_word(std::string_view word, std::vector<int32_t>& pieces) const;

  std::vector<std::string> pieces_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> numbers_;
};

// The bytes of a piece as one word of UTF-8: a blank as "▁" (U+2581), and as "<0x0A>" each byte
// that is not UTF-8 or part of white space, a control character, "<" or "▁".
std::string piece_name(std::string_view bytes);
// The bytes of such a name; none for what piece_name() never gives.
std::optional<std::string> piece_of_name(std::string_view name);

}  // namespace heed
