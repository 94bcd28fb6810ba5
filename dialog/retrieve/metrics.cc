#include "dialog/retrieve/metrics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/error.h"

namespace heed::retrieve {

Ranks::Ranks(const ScoredList& list) {
  const size_t n = list.scores.size();
  if (n < 2) throw DataError("at least two candidates are needed to rank them");
  if (list.right.empty()) throw DataError("none of the candidates is right");
  for (const double score : list.scores) {
    if (!std::isfinite(score)) throw DataError("the scores must be finite numbers");
  }
  std::vector<std::pair<double, bool>> order;
  for (const double score : list.scores) order.emplace_back(score, false);
  for (const size_t place : list.right) {
    if (place >= n || order[place].second) {
      throw DataError("the right candidates must be different places from 0 to " +
                      std::to_string(n - 1));
    }
    order[place].second = true;
  }
  std::sort(order.begin(), order.end(), std::greater<>());
  for (size_t i = 0, j = 0; i < n; i = j) {
    Group group{static_cast<int64_t>(i), 0, 0};
    for (; j < n && order[j].first == order[i].first; ++j) {
      ++group.size;
      group.right += order[j].second;
    }
    if (group.right > 0) groups_.push_back(group);
  }
  right_ = static_cast<int64_t>(list.right.size());
}

double Ranks::recall(int64_t k) const {
  double found = 0;
  for (const Group& g : groups_) {
    const double share = static_cast<double>(k - g.above) / static_cast<double>(g.size);
    found += static_cast<double>(g.right) * std::clamp(share, 0.0, 1.0);
  }
  return found / static_cast<double>(right_);
}

// The first of t right ones among m equals stands at place p with the probability
// t / (m - p + 1) times that of none before it.
double Ranks::reciprocal() const {
  const Group& g = groups_.front();
  double sum = 0, none_yet = 1;
  for (int64_t p = 1; p + g.right <= g.size + 1; ++p) {
    const double here = static_cast<double>(g.right) / static_cast<double>(g.size - p + 1);
    sum += none_yet * here / static_cast<double>(g.above + p);
    none_yet *= 1 - here;
  }
  return sum;
}

// Place p of m equals with t right ones holds a right one with the probability t / m; then
// (p - 1) (t - 1) / (m - 1) right ones are expected before it, besides those of better scores.
double Ranks::average_precision() const {
  double sum = 0, before = 0;
  for (const Group& g : groups_) {
    const auto right = static_cast<double>(g.right), size = static_cast<double>(g.size);
    const double each = g.size > 1 ? (right - 1) / (size - 1) : 0;
    for (int64_t p = 1; p <= g.size; ++p) {
      const double expected = before + 1 + static_cast<double>(p - 1) * each;
      sum += right / size * expected / static_cast<double>(g.above + p);
    }
    before += right;
  }
  return sum / static_cast<double>(right_);
}

}  // namespace heed::retrieve
