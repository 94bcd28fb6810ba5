#include "dialog/stats/metrics.h"

#include <algorithm>
#include <iterator>

namespace heed {

std::vector<int64_t> count_labels(const std::vector<LabelIds>& examples, int64_t size) {
  std::vector<int64_t> counts(size);
  for (const LabelIds& labels : examples) {
    for (const int32_t label : labels) ++counts[label];
  }
  return counts;
}

LabelIds majority_labels(const std::vector<LabelIds>& train, int64_t size) {
  const std::vector<int64_t> counts = count_labels(train, size);
  LabelIds majority;
  for (int64_t k = 0; k < size; ++k) {
    if (2 * counts[k] > static_cast<int64_t>(train.size())) {
      majority.push_back(static_cast<int32_t>(k));
    }
  }
  return majority;
}

Hits count_hits(const LabelIds& predicted, const LabelIds& truth) {
  LabelIds both;
  std::set_intersection(predicted.begin(), predicted.end(), truth.begin(), truth.end(),
                        std::back_inserter(both));
  const auto hits = static_cast<int64_t>(both.size());
  return {hits, static_cast<int64_t>(predicted.size()) - hits,
          static_cast<int64_t>(truth.size()) - hits};
}

double micro_f1(const std::vector<Hits>& examples) {
  Hits sum;
  for (const Hits& h : examples) {
    sum.true_positives += h.true_positives;
    sum.false_positives += h.false_positives;
    sum.false_negatives += h.false_negatives;
  }
  const int64_t all = 2 * sum.true_positives + sum.false_positives + sum.false_negatives;
  return all == 0 ? 0 : 2 * static_cast<double>(sum.true_positives) / static_cast<double>(all);
}

double exact_match(const std::vector<Hits>& examples) {
  const auto exact = std::count_if(examples.begin(), examples.end(), [](const Hits& h) {
    return h.false_positives + h.false_negatives == 0;
  });
  return examples.empty() ? 0 : static_cast<double>(exact) / static_cast<double>(examples.size());
}

}  // namespace heed
