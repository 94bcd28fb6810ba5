#include "dialog/probe/metrics.h"

#include <algorithm>
#include <iterator>

namespace heed::probe {

Hits compare(const LabelIds& predicted, const LabelIds& truth) {
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

}  // namespace heed::probe
