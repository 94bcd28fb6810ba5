// Tokens and their ids: words, or pieces of words (dialog/text/pieces.h). A file has one token per
// line; the line number, counted from 0, is the id. A vocabulary of pieces has the 256 single bytes
// after the special tokens, first <0x00>, which is not a word that a text can have, and then each
// piece after the two that it joins; all as piece_name() writes them.
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
  int64_t max_size = 25000;  // including the special tokens
  int64_t min_count = 1;     // of words
  TokenKind kind = TokenKind::kWords;
  std::string lexicon = {};  // a file (dialog/text/lexicon.h) whose words come last
};

class Vocabulary {
 public:
  static constexpr int64_t kMaxSize = 10'000'000;

  Vocabulary();  // the special tokens only

  // Words: the most frequent ones, equally frequent ones in byte order; words of more than a KiB
  // are left out. Pieces: see Pieces::learn(). Throws UsageError if max_size is too small for the
  // special tokens and, with pieces, the single bytes.
  static Vocabulary build(const TokenCounts& counts, const VocabularyOptions& options = {});

  // load throws DataError "file:line: ..." if the first five lines are not the special tokens, a
  // token is empty, repeated, longer than a KiB, has white space or is not UTF-8, there are more
  // than max_size, or Pieces::add() refuses a piece. Plain text only: gzip data could be far larger
  // than the file.
  static Vocabulary load(const std::string& path, int64_t max_size = kMaxSize);
  void save(const std::string& path) const;

  // The same for another process of the same program.
  friend void each_member(BytesOut& bytes, const Vocabulary& vocabulary);
  friend void each_member(BytesIn& bytes, Vocabulary& vocabulary);

  // Reorders words: first those that are not `last`, then those that are, each in the same order.
  // Returns the number of tokens that are not. For words, not for pieces.
  int32_t put_last(const std::function<bool(const std::string&)>& last);

  bool operator==(const Vocabulary& other) const { return tokens_ == other.tokens_; }

  TokenKind kind() const { return pieces_ ? TokenKind::kPieces : TokenKind::kWords; }
  int32_t size() const { return static_cast<int32_t>(tokens_.size()); }
  // A token as it is written in the file.
  int32_t id(std::string_view token) const;    // kUnk if it is not known
  const std::string& token(int32_t id) const;  // throws DataError if there is no such id

  // The token that stands for exactly this word; kUnk if there is none.
  int32_t id_of_word(std::string_view word) const;
  // Whether it has a word, whole or in pieces; pieces can write all words of up to a KiB.
  bool knows(std::string_view word) const;
  // Adds the tokens of a word of the tokenizer, or <unk>.
  void add_word(std::string_view word, std::vector<int32_t>& ids) const;
  template <class Text> std::vector<int32_t> encode(const std::vector<Text>& words) const {
    std::vector<int32_t> ids;
    ids.reserve(words.size());
    for (const std::string_view word : words) add_word(word, ids);
    return ids;
  }
  // The inverse of encode(), with "<unk>" for unknown words. Pieces in another order, as a model
  // may write them, become the words of their bytes; special tokens are words of their own. Throws
  // DataError if there is no such id.
  std::vector<std::string> words(const std::vector<int32_t>& ids) const;

  // The number of words of the tokens; and the number of tokens of the first `words` words (all if
  // there are fewer).
  int64_t count_words(const std::vector<int32_t>& ids) const;
  size_t end_of_word(const std::vector<int32_t>& ids, int64_t words) const;

 private:
  static Vocabulary of_pieces(const TokenCounts& counts, int64_t max_size);
  bool add(std::string_view token);  // false if it is there already
  // Adds the next line of a file and returns nothing, or returns what is wrong with it.
  std::string add_line(std::string_view token);
  std::string add_piece(std::string_view name);
  bool begins_word(int32_t id) const;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string, int32_t, StringHash, std::equal_to<>> ids_;
  std::optional<Pieces> pieces_;  // the tokens after the special ones, if they are not words
};

// The vocabulary of a model, whose config.json gives the number of tokens. Throws DataError as
// Vocabulary::load() does, and for another number.
Vocabulary load_vocabulary(const std::string& path, int64_t size);

}  // namespace heed
