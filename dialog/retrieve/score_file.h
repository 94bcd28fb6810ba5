// Scores of lists of candidates in a file, of this program or of others: JSON Lines, plain or gzip,
//   {"id": "d7", "conversation": 3, "right": [0], "scores": [0.5, 0.25, ...]}
#pragma once

#include <string>
#include <vector>

#include "dialog/retrieve/metrics.h"

namespace heed::retrieve {

// "id" may be a string or a number and be left out; "conversation", a whole number from 0 on,
// stands in all lines or in none, where each list is on its own. Conversations are numbered anew,
// from 0 in the order of the lines. Throws DataError "file:line: ..." for other lines and for lists
// that Ranks refuses, "file: ..." where there is none.
std::vector<ScoredList> read_scores(const std::string& path);

// The line of a list, with "rank" and "ties" of its best right response.
std::string score_line(const ScoredList& list);

}  // namespace heed::retrieve
