// BERT's tokenizer into word pieces (Devlin et al. 2019; Wu et al. 2016).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace heed::pretrained {

// The input of a model for a text or a pair of texts: [CLS] first [SEP], or [CLS] first [SEP]
// second [SEP]. The type of a piece is 1 from the second text on.
struct Pieces {
  std::vector<int32_t> ids, types;
  size_t left_out = 0;  // pieces beyond the maximum length

  bool operator==(const Pieces&) const = default;
  bool operator<(const Pieces& other) const {
    return std::tie(ids, types, left_out) < std::tie(other.ids, other.types, other.left_out);
  }
};

struct WordPieceOptions {
  bool lower_case = true, strip_accents = true, split_chinese = true;
};

// Control characters are removed, white space becomes one space, Chinese characters and punctuation
// are words of their own, accents are removed (NFD without the category Mn) and letters become
// lower case. Then each word is cut, from its beginning, into the longest pieces of the vocabulary,
// where "##" begins those that do not begin the word. A word of more than 100 characters, or that
// cannot be cut, is [UNK]. [CLS], [SEP], [MASK], [PAD] and [UNK] in the text are kept.
class WordPiece {
 public:
  // A vocabulary has one piece per line, whose id is the line number, from 0. Throws DataError for
  // one without [CLS], [SEP] or [UNK], or with a repeated piece.
  explicit WordPiece(const std::string& path, const WordPieceOptions& options = {});

  int32_t size() const { return static_cast<int32_t>(ids_.size()); }

  std::vector<int32_t> encode(std::string_view text) const;  // without [CLS] and [SEP]
  // At most max_length pieces, without the last ones or without the first ones; from a pair, pieces
  // are removed one by one at the end of the longer text.
  enum class Keep { kFirst, kLast };
  Pieces read(std::string_view text, int64_t max_length, Keep keep = Keep::kFirst) const;
  Pieces read(std::vector<int32_t> encoded, int64_t max_length, Keep keep) const;
  Pieces read(std::string_view first, std::string_view second, int64_t max_length) const;

 private:
  int32_t id_of(const std::string& piece) const;  // -1 if there is none
  void add_words(std::string_view text, std::vector<int32_t>& ids) const;
  void add_word(const std::u32string& word, std::vector<int32_t>& ids) const;

  WordPieceOptions options_;
  std::unordered_map<std::string, int32_t> ids_;
  std::vector<std::pair<std::string, int32_t>> special_;  // those that the vocabulary has
  int32_t cls_ = 0, sep_ = 0, unk_ = 0;
};

}  // namespace heed::pretrained
