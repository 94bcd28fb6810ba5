// Words that say little.
#pragma once

#include <string>

namespace heed {

// Whether a word, in lower case, is one of the 179 English stop words of NLTK 3 (its corpus
// "stopwords"). heed's tokens have no apostrophes: of "don't" both "don" and "t" are among them.
bool is_stop_word(const std::string& word);

}  // namespace heed
