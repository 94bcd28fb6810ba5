// How well sets of labels were predicted (Parthasarathi, Pineau & Chandar 2020, section 4).
#pragma once

#include <cstdint>
#include <vector>

namespace heed::probe {

// The labels of an example, by number, ascending.
using LabelIds = std::vector<int32_t>;

// Predictions that are right, that are wrong, and labels that were not predicted.
struct Hits {
  int64_t true_positives = 0, false_positives = 0, false_negatives = 0;
};
// Of one example.
Hits compare(const LabelIds& predicted, const LabelIds& truth);

// Micro F1 = 2 TP / (2 TP + FP + FN) of the sums over all examples, in [0, 1]; 0 where nothing is
// predicted and nothing is true.
double micro_f1(const std::vector<Hits>& examples);
// Share of the examples whose set is predicted exactly; 0 of none.
double exact_match(const std::vector<Hits>& examples);

}  // namespace heed::probe
