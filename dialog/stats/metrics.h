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

// Decisions about things, some of which are the right ones.
struct Tally {
  int64_t hits = 0, decided = 0, right = 0;  // hits: decided for, and right
  double precision() const;                  // hits / decided
  double recall() const;                     // hits / right
  double f1() const;  // 2 hits / (decided + right); all three are 0 if there is nothing
  Tally& operator+=(const Tally& other);
};
// a / b; 0 if b is 0.
double share_of(int64_t a, int64_t b);
// Of the labels of one example.
Tally count_hits(const LabelIds& predicted, const LabelIds& truth);

// Micro F1, that of the sums over all examples.
double micro_f1(const std::vector<Tally>& examples);
// Share of the examples whose set is predicted exactly; 0 for no examples.
double exact_match(const std::vector<Tally>& examples);

}  // namespace heed
