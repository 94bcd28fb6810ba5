// Scores of lists of candidates in a file, by this or another program: JSON Lines, plain or gzip,
//   {"id": "d7", "conversation": 3, "right": [0], "scores": [0.5, 0.25, ...]}
#pragma once

#include <string>
#include <vector>

#include "dialog/retrieve/metrics.h"

namespace heed::retrieve {

// "id" is an optional string or number. "conversation", an integer from 0 on, is in all lines or in
// none; without it each list is a conversation of its own. Conversations are renumbered from 0 in
// the order of the lines. Throws DataError "file:line: ..." for other lines and for lists that
// Ranks refuses, "file: ..." if there is none.
std::vector<ScoredList> read_scores(const std::string& path);

// The line of a list, with "rank" and "ties" of its best right response, and "attention" if there
// is one.
std::string score_line(const ScoredList& list);

}  // namespace heed::retrieve
