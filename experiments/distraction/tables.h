// The tables of the experiment: those of the paper, in its layout, and some more.
#pragma once

#include "experiments/distraction/results.h"
#include "experiments/engine/report/table.h"

namespace heed {

// table3    perplexity, AS of the history, DAS ratio on the nine sets
// table4    the random sets: DAS ratio, AS of distractions and of the history
// table5/6  the frequent and rare sets, with the first and the last utterance
// ratios    the DAS ratio as a ratio of means, a mean of ratios and a median
// shares    P(D > H) and the mean of D / (D + H)
// changes   each variant's DAS ratios minus those of its baseline, p = 0, on the same dialogues
// quality   generated responses: BLEU, distinct-1 and -2, length
// runs      how the trainings went
// paper3/4/6  those tables of the paper beside ours
std::vector<Table> all_tables(const DistractionResults& results, const Inference& inference);

}  // namespace heed
