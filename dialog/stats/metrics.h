// The frequency of labels in sets, and the quality of their predictions (Parthasarathi, Pineau &
// Chandar 2020, section 4).
#pragma once

#include <cstdint>
#include <vector>

namespace heed {

// The labels of an example, by number, ascending.
using LabelIds = std::vector<int32_t>;

// The number of examples with each of `size` labels.
std::vector<int64_t> count_labels(const std::vector<LabelIds>& examples, int64_t size);
// The constant prediction: labels that more than half of the training examples have.
LabelIds majority_labels(const std::vector<LabelIds>& train, int64_t size);

// Right predictions, wrong predictions, and labels that were not predicted.
struct Hits {
  int64_t true_positives = 0, false_positives = 0, false_negatives = 0;
};
// For one example.
Hits count_hits(const LabelIds& predicted, const LabelIds& truth);

// Micro F1 = 2 TP / (2 TP + FP + FN) of the sums over all examples, in [0, 1]; 0 if nothing is
// predicted and nothing is true.
double micro_f1(const std::vector<Hits>& examples);
// Share of the examples whose set is predicted exactly; 0 for no examples.
double exact_match(const std::vector<Hits>& examples);

}  // namespace heed
