#include "dialog/retrieve/none.h"

#include <algorithm>
#include <cmath>

#include "tensor/random.h"

namespace heed::retrieve {
namespace {

bool loses_its_right(const ScoredList& list, size_t number, double share, uint64_t seed) {
  const RandomKey random{seed, purpose_id("retrieve.none"), static_cast<uint64_t>(number)};
  return list.right.size() < list.scores.size() && uniform01(random.word(0)) < share;
}

bool is_right(const ScoredList& list, size_t candidate) {
  return std::find(list.right.begin(), list.right.end(), candidate) != list.right.end();
}

}  // namespace

std::vector<ScoredList> with_none(std::vector<ScoredList> lists, double share, uint64_t seed,
                                  double score) {
  for (size_t i = 0; i < lists.size(); ++i) {
    ScoredList& list = lists[i];
    if (loses_its_right(list, i, share, seed)) {
      std::vector<double> wrong;
      for (size_t k = 0; k < list.scores.size(); ++k) {
        if (!is_right(list, k)) wrong.push_back(list.scores[k]);
      }
      list.right = {wrong.size()};
      list.scores = std::move(wrong);
    }
    list.scores.push_back(score);
  }
  return lists;
}

// A list whose right candidate comes first is lost when "none" rises above it; one without a right
// candidate is won when "none" rises above all.
double learn_none(const std::vector<ScoredList>& lists, double share, uint64_t seed) {
  std::vector<std::pair<double, int>> changes;  // at this score of "none": lists won
  for (size_t i = 0; i < lists.size(); ++i) {
    const ScoredList& list = lists[i];
    double right = -INFINITY, wrong = -INFINITY;
    for (size_t k = 0; k < list.scores.size(); ++k) {
      double& best = is_right(list, k) ? right : wrong;
      best = std::max(best, list.scores[k]);
    }
    if (loses_its_right(list, i, share, seed)) {
      changes.emplace_back(wrong, 1);
    } else if (right > wrong) {
      changes.emplace_back(right, -1);
    }
  }
  if (changes.empty()) return 0;
  std::sort(changes.begin(), changes.end());
  int64_t won = 0, most = 0;
  double score = changes.front().first - 1, widest = INFINITY;
  for (size_t i = 0; i < changes.size(); ++i) {
    won += changes[i].second;
    const bool last = i + 1 == changes.size();
    const double width = last ? INFINITY : changes[i + 1].first - changes[i].first;
    if (width == 0 || won < most || (won == most && width <= widest)) continue;
    most = won;
    widest = width;
    score = last ? changes[i].first + 1 : changes[i].first + width / 2;
  }
  return score;
}

}  // namespace heed::retrieve
