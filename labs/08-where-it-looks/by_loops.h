// What the checks of lab 8 compare with: the definitions of docs/paper.md by plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "dialog/respond/das.h"

namespace heed::lab {

using Rows = std::vector<std::vector<double>>;  // of each step the weight of each memory row

// How many memory rows each utterance has.
inline std::vector<int64_t> rows_of_utterances(const Example& e, MemoryOf of) {
  std::vector<int64_t> rows;
  for (const auto& utterance : e.context) {
    rows.push_back(of == MemoryOf::kTokens ? std::ssize(utterance) + 1 : 1);
  }
  return rows;
}

// Eq. 7 meaned over the steps, as it should be or with one mistake.
enum class Mistake { kNone, kShares, kSumsOverTokens, kOneStep, kSumOverSteps, kLastRow };
inline std::vector<double> as_by_loops(const Example& e, MemoryOf of, const Rows& weights,
                                       Mistake mistake = Mistake::kNone) {
  const std::vector<int64_t> rows = rows_of_utterances(e, of);
  const auto q = static_cast<double>(rows.size()), m = static_cast<double>(weights[0].size());
  const size_t steps = mistake == Mistake::kOneStep ? 1 : weights.size();
  std::vector<double> scores;
  for (size_t k = 0, first = 0; k < rows.size(); first += static_cast<size_t>(rows[k++])) {
    double sum = 0;
    for (size_t t = 0; t < steps; ++t) {
      for (int64_t j = 0; j < rows[k]; ++j) {
        sum = (mistake == Mistake::kLastRow ? 0 : sum) + weights[t][first + static_cast<size_t>(j)];
      }
    }
    if (mistake != Mistake::kSumOverSteps) sum /= static_cast<double>(steps);
    scores.push_back(mistake == Mistake::kShares ? sum
                     : mistake == Mistake::kSumsOverTokens
                         ? q * sum
                         : m * sum / static_cast<double>(rows[k]));
  }
  return scores;
}

inline double sum_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum;
}

inline std::optional<double> mean_of(const std::vector<double>& values) {
  if (values.empty()) return std::nullopt;
  return sum_of(values) / static_cast<double>(values.size());
}

// The scores of the distractions, or of the original utterances, of a history.
inline std::vector<double> scores_of(const std::vector<double>& as, const std::vector<char>& flags,
                                     bool distractions, bool with_query = false) {
  std::vector<double> chosen;
  for (size_t k = 0; k + (with_query ? 0 : 1) < as.size(); ++k) {
    if ((flags[k] != 0) == distractions) chosen.push_back(as[k]);
  }
  return chosen;
}

// What summarize() is asked for, from D, H and the first and last original utterance of each
// dialogue.
struct Summary {
  std::vector<double> d, h, first, last, ratios;   // of dialogues with both D and H
  std::vector<double> above, bounded;              // of the same: D > H, D / (D + H)
  std::vector<double> d_long, h_long;              // of those with two utterances and more
  std::vector<double> h_all, first_all, last_all;  // of all with H

  void add(const std::vector<double>& as, const std::vector<char>& flags) {
    const std::vector<double> history = scores_of(as, flags, false);
    const auto its_d = mean_of(scores_of(as, flags, true)), its_h = mean_of(history);
    if (!its_h) return;
    h_all.push_back(*its_h);
    first_all.push_back(history.front());
    last_all.push_back(history.back());
    if (!its_d) return;
    d.push_back(*its_d);
    h.push_back(*its_h);
    first.push_back(history.front());
    last.push_back(history.back());
    if (*its_h != 0) ratios.push_back(*its_d / *its_h);
    above.push_back(*its_d > *its_h);
    if (*its_d + *its_h > 0) bounded.push_back(*its_d / (*its_d + *its_h));
    if (history.size() < 2) return;
    d_long.push_back(*its_d);
    h_long.push_back(*its_h);
  }
  bool distracted() const { return !d.empty(); }
  std::optional<double> as_distraction() const { return mean_of(d); }
  std::optional<double> as_history() const { return mean_of(distracted() ? h : h_all); }
  std::optional<double> as_first() const { return mean_of(distracted() ? first : first_all); }
  std::optional<double> as_last() const { return mean_of(distracted() ? last : last_all); }
  std::optional<double> das_ratio() const { return quotient(d, h); }
  std::optional<double> das_ratio_long() const { return quotient(d_long, h_long); }

  static std::optional<double> quotient(const std::vector<double>& top,
                                        const std::vector<double>& bottom) {
    if (top.empty() || *mean_of(bottom) == 0) return std::nullopt;
    return *mean_of(top) / *mean_of(bottom);
  }
};

}  // namespace heed::lab
