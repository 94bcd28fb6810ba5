// Tokens and their numbers: words, or pieces of words (dialog/text/pieces.h). A file holds one
// token a line; the line, counted from 0, is the number. One of pieces has the 256 single bytes
// behind the special tokens, <0x00> first, which is no word that a text can have, and then each
// piece behind the two that it is made of; all as piece_name() writes them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dialog/text/pieces.h"
#include "dialog/text/token_counts.h"

namespace heed {

class BytesIn;
class BytesOut;

constexpr int kPad = 0, kUnk = 1, kSos = 2, kEos = 3, kEou = 4;
constexpr int kSpecialTokens = 5;  // "<pad>" "<unk>" "<sos>" "<eos>" "<eou>"
constexpr int kSmallestOfPieces = kSpecialTokens + Pieces::kBytes;  // the size of such a vocabulary

enum class TokenKind { kWords, kPieces };
// "words" or "bpe", of pieces. parse_token_kind throws UsageError for another name.
const char* name_of(TokenKind kind);
TokenKind parse_token_kind(std::string_view name);

struct VocabularyOptions {
  int64_t max_size = 25000;  // with the special tokens
  int64_t min_count = 1;     // of words
  TokenKind kind = TokenKind::kWords;
  std::string lexicon = {};  // a file (dialog/text/lexicon.h) whose words are to stand last
};

class Vocabulary {
 public:
  static constexpr int64_t kMaxSize = 10'000'000;

  Vocabulary();  // the special tokens only

  // Words: the most frequent ones, equally frequent ones in the order of their bytes; those of more
  // than a KiB are left out. Pieces: see Pieces::learn(). Throws UsageError if max_size has no room
  // for the special tokens and, with pieces, the single bytes.
  static Vocabulary build(const TokenCounts& counts, const VocabularyOptions& options = {});

  // load throws DataError "file:line: ..." if the first five lines are not the special tokens, a
  // token is empty, given twice, longer than a KiB, holds white space or is not UTF-8, there are
  // more than max_size, or pieces are not as Pieces::add() wants them. Plain text only: gzip data
  // could be far more than the file shows.
  static Vocabulary load(const std::string& path, int64_t max_size = kMaxSize);
  void save(const std::string& path) const;

  // The same for another process of the same program.
  friend void put(BytesOut& out, const Vocabulary& vocabulary);
  friend void get(BytesIn& in, Vocabulary& vocabulary);

  // Words in the same order, but first those that are not `last`, then those that are. Returns how
  // many tokens are not. Of words, not of pieces.
  int32_t put_last(const std::function<bool(const std::string&)>& last);

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

  TokenKind kind() const { return pieces_ ? TokenKind::kPieces : TokenKind::kWords; }
  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }
  // A token as it stands in the file.
  int32_t id(std::string_view token) const;    // kUnk if it is not known
  const std::string& token(int32_t id) const;  // throws DataError if there is no such number

  // The token that stands for this word, and for it alone; kUnk if there is none.
  int32_t id_of_word(std::string_view word) const;
  // Whether it has a word, whole or in pieces: all but those of more than a KiB.
  bool knows(std::string_view word) const;
  // Adds the tokens of a word, as the tokenizer gives it, or <unk>.
  void add_word(std::string_view word, std::vector<int32_t>& ids) const;
  std::vector<int32_t> encode(const std::vector<std::string>& words) const;
  std::vector<int32_t> encode(const std::vector<std::string_view>& words) const;
  // What encode() is given, from what it gives, with "<unk>" where a word is not known. Pieces in
  // another order, as a model may write them, are the words of their bytes; special tokens stand
  // alone. Throws DataError if there is no such number.
  std::vector<std::string> words(const std::vector<int32_t>& ids) const;

  // How many words the tokens are, and how many of the tokens the first `words` words have (all if
  // there are fewer).
  int64_t count_words(const std::vector<int32_t>& ids) const;
  size_t end_of_word(const std::vector<int32_t>& ids, int64_t words) const;

 private:
  static Vocabulary of_pieces(const TokenCounts& counts, int64_t max_size);
  bool add(std::string_view token);  // false if it is there already
  // The next line of a file. Returns what is wrong with it, nothing if it is added.
  std::string add_line(std::string_view token);
  std::string add_piece(std::string_view name);
  bool begins_word(int32_t id) const;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> ids_;
  std::optional<Pieces> pieces_;  // the tokens behind the special ones, if they are no words
};

// The vocabulary of a model, whose config.json says how many tokens it has. Throws DataError as
// Vocabulary::load(), and for another number.
Vocabulary load_vocabulary(const std::string& path, int64_t size);

}  // namespace heed
