// Vectors of words that were learned elsewhere, in the text formats of GloVe, word2vec and
// fastText.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "dialog/text/vocabulary.h"

namespace heed {

struct WordVectors {
  int64_t width = 0;
  std::vector<int32_t> ids = {};   // words of the vocabulary, in the order of the file
  std::vector<float> values = {};  // (ids, width), row after row
};

// A line is a word and its numbers, with single blanks between; word2vec and fastText write the
// number of words and the width before. Plain or gzip. Keeps the words that the vocabulary has, but
// none of the special tokens; of a word that stands there twice the first. Throws DataError
// "file:line: rule" as LineReader does, where a line has another number of numbers than the first
// one, or one that is not finite.
WordVectors read_word_vectors(const std::string& path, const Vocabulary& vocabulary);

// Only the width, from the first lines. Throws DataError.
int64_t word_vector_width(const std::string& path);

}  // namespace heed
