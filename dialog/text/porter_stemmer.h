// The stem of an English word.
#pragma once

#include <string>

namespace heed {

// The stem of a lower-case word: Porter, "An algorithm for suffix stripping", Program 14(3), 1980,
// with NLTK's default extensions (`PorterStemmer()`), so that METEOR agrees with NLTK's: a list of
// irregular words, words of one or two letters stay, "ies" and "ied" of words of four letters
// become "ie", y becomes i after a consonant that is not the first letter, and two more rules in
// step 2. Letters beyond ASCII are consonants, one for each byte.
std::string porter_stem(const std::string& word);

}  // namespace heed
