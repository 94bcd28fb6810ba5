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

double share_of(int64_t a, int64_t b) {
  return b == 0 ? 0 : static_cast<double>(a) / static_cast<double>(b);
}

double Tally::precision() const {
  return share_of(hits, decided);
}
double Tally::recall() const {
  return share_of(hits, right);
}
double Tally::f1() const {
  return share_of(2 * hits, decided + right);
}
Tally& Tally::operator+=(const Tally& other) {
  hits += other.hits;
  decided += other.decided;
  right += other.right;
  return *this;
}

Tally count_hits(const LabelIds& predicted, const LabelIds& truth) {
  LabelIds both;
  std::set_intersection(predicted.begin(), predicted.end(), truth.begin(), truth.end(),
                        std::back_inserter(both));
  return {std::ssize(both), std::ssize(predicted), std::ssize(truth)};
}

double micro_f1(const std::vector<Tally>& examples) {
  Tally sum;
  for (const Tally& t : examples) sum += t;
  return sum.f1();
}

double exact_match(const std::vector<Tally>& examples) {
  return share_of(std::count_if(examples.begin(), examples.end(),
                                [](const Tally& t) { return 2 * t.hits == t.decided + t.right; }),
                  std::ssize(examples));
}

}  // namespace heed
