// The texts that a dual encoder reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/pretrained/word_piece.h"
#include "dialog/retrieve/dual_encoder.h"
#include "dialog/text/vocabulary.h"

namespace heed::retrieve {

// Maximum numbers of words (for a pretrained encoder pieces, with [CLS] and [SEP]); 0: all.
struct TextBounds {
  int max_context = 160;  // the last ones, including the end of each utterance
  int max_response = 60;  // the first ones

  void check() const;  // throws UsageError
};

// A text without a word is one <unk>.
class TextReader {
 public:
  TextReader(Vocabulary words, const TextBounds& bounds)
      : words_(std::move(words)), bounds_(bounds) {}
  // Reads at most `longest` pieces of a text, whatever the bounds.
  TextReader(pretrained::WordPiece pieces, int64_t longest, const TextBounds& bounds);

  Tokens utterance(const std::string& text) const;  // its words or pieces, all of them
  // The last words or pieces of a context, at most `most` (0: all, for words), as the model reads
  // them; *left_out is the number of tokens before them.
  Tokens last(std::vector<Tokens> utterances, int most, size_t* left_out) const;
  // Within the bounds. Adds one to *cut, if given, when the text is longer than its bound.
  Tokens context_of(std::vector<Tokens> utterances, size_t* cut = nullptr) const;
  Tokens context(const std::vector<std::string>& turns, size_t* cut = nullptr) const;
  Tokens response(const std::string& text, size_t* cut = nullptr) const;

  // A context as texts that are read whole; adds one to *cut when they are not all of it. An
  // utterance that is cut keeps whole words, so that a few pieces less may be read; only a last
  // word that is too long by itself is cut, too.
  std::vector<std::string> kept(const std::vector<std::string>& turns, size_t* cut) const;
  // A reader of whole contexts, as far as the model has positions for them.
  TextReader unbounded() const;

  const Vocabulary& words() const { return words_; }
  const TextBounds& bounds() const { return bounds_; }  // of pieces at most the model's length

 private:
  Vocabulary words_;
  std::optional<pretrained::WordPiece> pieces_;
  int longest_ = 0;  // pieces; 0: words, as many as there are
  TextBounds bounds_;
};

}  // namespace heed::retrieve
