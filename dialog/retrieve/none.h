// Lists in which no candidate may be right (DSTC7, subtask 4): "none" is one more candidate, whose
// score is learned.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/retrieve/metrics.h"

namespace heed::retrieve {

// Takes the right candidates out of a share of the lists, drawn by the seed, and adds to each list
// the candidate "none" with this score, which is right where no other is. A list without a wrong
// candidate keeps its right ones.
std::vector<ScoredList> with_none(std::vector<ScoredList> lists, double share, uint64_t seed,
                                  double score);

// The score of "none" with which, in with_none(lists, share, seed, score), a right candidate comes
// first most often: the middle of the widest such range between two scores, or 1 beyond the last.
double learn_none(const std::vector<ScoredList>& lists, double share, uint64_t seed);

}  // namespace heed::retrieve
