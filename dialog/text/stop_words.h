// Stop words.
#pragma once

#include <string>

namespace heed {

// Whether a word, in lower case, is one of the 179 English stop words of NLTK 3 (its corpus
// "stopwords"). heed's tokens have no apostrophes: both "don" and "t" of "don't" are among them.
bool is_stop_word(const std::string& word);

}  // namespace heed
