// Words and their sentiment scores, in the format of VADER (Hutto & Gilbert 2014).
#pragma once

#include <string>
#include <unordered_map>

#include "dialog/text/token_counts.h"

namespace heed {

using Lexicon = std::unordered_map<std::string, double, StringHash, std::equal_to<>>;

// A line is a word, a tab and its score; in VADER the deviation and the ten ratings follow after
// another tab. Plain or gzip; the last score of a repeated word counts. Throws DataError
// "file:line: rule" as LineReader does, for a line without a word or with a score that is not
// finite, and for a file without a line.
Lexicon read_lexicon(const std::string& path);

// Whether it is a word of letters with a score of at least 1 or at most -1.
bool has_sentiment(const Lexicon& lexicon, std::string_view word);

}  // namespace heed
