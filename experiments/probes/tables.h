#pragma once

#include "experiments/engine/report/table.h"
#include "experiments/probes/paper.h"
#include "experiments/probes/results.h"

namespace heed {

// Scores of every reading, the paper's tables beside ours, and what the paper does not have.
std::vector<Table> probe_tables(const ProbesResults& results, const Inference& inference);

// Of the epochs that write best: which they are, and the paper's Tables 9 to 11. None where they
// were not asked for.
std::vector<Table> selection_tables(const ProbesResults& results);

// What tables of this experiment have in common.
constexpr char kPaperNote[] =
    "The paper's models were trained on about 8,400 dialogues of MultiWOZ 2.0 or 10,900 of "
    "PersonaChat: compare orders and signs, not cells. What the paper prints behind +- is a "
    "variance; here it is made a deviation. – is no such task here, or no finished run. ";
// A number of the paper with its deviation.
Cell paper_cell(size_t variant, const std::string& key);
// Whether there is one of the paper's table, with the probe that it is of.
bool has_a_task_of(const ProbesResults& results, const PaperTable& paper);

// "logistic, raw" ... of a reading, for titles.
std::string reading_title(const std::string& reading);

}  // namespace heed
