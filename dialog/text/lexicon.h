// Words and how positive or negative they are, in the format of VADER (Hutto & Gilbert 2014).
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "dialog/text/token_counts.h"

namespace heed {

using Lexicon = std::unordered_map<std::string, double, StringHash, std::equal_to<>>;

// A line is a word, a tab and its score; VADER has the deviation and the ten ratings behind another
// tab. Plain or gzip; of a word that stands there twice the last score. Throws DataError
// "file:line: rule" as LineReader does, for a line without a word or with a score that is not
// finite, and for a file without a line.
Lexicon read_lexicon(const std::string& path);

// Whether it is a word of letters with a score of 1 or more, or -1 or less.
bool has_sentiment(const Lexicon& lexicon, std::string_view word);
// The share of such words in all words of texts; 0 of none.
double share_of_sentiment_words(const Lexicon& lexicon,
                                const std::vector<std::vector<std::string>>& texts);

}  // namespace heed
