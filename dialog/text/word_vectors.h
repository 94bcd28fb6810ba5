// Pretrained word vectors.
// The files are in the text formats of GloVe, word2vec and fastText.
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

// A line is a word and its numbers, separated by single spaces; word2vec and fastText write the
// number of words and the width before. Plain or gzip. Keeps the words of the vocabulary, except
// the special tokens; the first vector of a repeated word counts. Throws DataError "file:line:
// rule" as LineReader does, and if a line has fewer numbers than the first one, or one that is not
// finite. What stands before them is the word, which may hold blanks.
WordVectors read_word_vectors(const std::string& path, const Vocabulary& vocabulary);

// Only the width, from the first lines. Throws DataError, for a pipe too.
int64_t word_vector_width(const std::string& path);

}  // namespace heed
