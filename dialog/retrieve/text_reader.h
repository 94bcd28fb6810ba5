// Texts as a dual encoder reads them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/pretrained/word_piece.h"
#include "dialog/retrieve/dual_encoder.h"
#include "dialog/text/vocabulary.h"

namespace heed::retrieve {

// Words (of a pretrained encoder pieces, with [CLS] and [SEP]) at most; 0: all.
struct TextBounds {
  int max_context = 160;  // the last ones, the end of each utterance counted
  int max_response = 60;  // the first ones

  void check() const;  // throws UsageError
};

// A text without a word is one <unk>.
class TextReader {
 public:
  TextReader(Vocabulary words, const TextBounds& bounds)
      : words_(std::move(words)), bounds_(bounds) {}
  // Reads `longest` pieces of a text at most, whatever the bounds.
  TextReader(pretrained::WordPiece pieces, int64_t longest, const TextBounds& bounds);

  Tokens utterance(const std::string& text) const;  // its words or pieces, all of them
  // Adds one to *cut, if it is given, where the text is longer than its bound.
  Tokens context_of(std::vector<Tokens> utterances, size_t* cut = nullptr) const;
  Tokens context(const std::vector<std::string>& turns, size_t* cut = nullptr) const;
  Tokens response(const std::string& text, size_t* cut = nullptr) const;

  const Vocabulary& words() const { return words_; }

 private:
  Vocabulary words_;
  std::optional<pretrained::WordPiece> pieces_;
  TextBounds bounds_;
};

}  // namespace heed::retrieve
