// The tables of the experiment: those of the paper, in its layout, and some more.
#pragma once

#include "experiment/results.h"
#include "experiment/table.h"

namespace heed {

// table3    perplexity, AS of the history, DAS ratio on the nine sets
// table4    the random sets: DAS ratio, AS of distractions and of the history
// table5/6  the frequent and rare sets, with the first and the last utterance
// paper     Table 3 of the paper beside ours
// changes   each variant's DAS ratios minus those of its baseline, p = 0, dialogue by dialogue
// quality   generated responses: BLEU, distinct-1 and -2, length
// runs      how the trainings went
std::vector<Table> all_tables(const Results& results, const Inference& inference);

// One of them. Throws InternalError if there is none of the name.
const Table& table_of(const std::vector<Table>& tables, const std::string& id);

}  // namespace heed
