// The area under the ROC curve for items that are not independent, and its interval.
#pragma once

#include <optional>
#include <vector>

#include "experiments/engine/stats/statistics.h"

namespace heed {

// Scores of items of two classes. Items of one cluster (a conversation), numbered from 0, are not
// independent.
struct ScoredItems {
  std::vector<double> positive = {}, negative = {};
  std::vector<int> positive_clusters = {}, negative_clusters = {};  // of each

  void add(bool is_positive, double score, int cluster);
};

// P(positive > negative) + P(equal) / 2, as in rank_sum(); for several models of the same items the
// mean of theirs. With m positive items X_i and n negative ones Y_j, psi(x, y) = 1 for x > y, 1/2
// for x = y, else 0, and A = mean psi(X_i, Y_j):
//   V_i = mean_j psi(X_i, Y_j) - A,  W_j = mean_i psi(X_i, Y_j) - A;  over models: their means
//   var A = C_x / (C_x - 1) sum_c (sum_{i in c} V_i)^2 / m^2
//         + C_y / (C_y - 1) sum_c (sum_{j in c} W_j)^2 / n^2
//         + 2 C / (C - 1) sum_c (sum_{i in c} V_i) (sum_{j in c} W_j) / (m n)
// over clusters c, of which C_x have positive items, C_y negative ones and C any. The interval is A
// +- 1.96 sqrt(var A), within [0, 1] (Obuchowski, "Nonparametric analysis of clustered ROC curve
// data", Biometrics 53, 1997). If every item is its own cluster, it is that of DeLong, DeLong &
// Clarke-Pearson (Biometrics 44, 1988). There is no p-value. Nothing with fewer than two clusters
// of a class. Throws UsageError for numbers that are not finite and if models have different
// items.
std::optional<Estimate> clustered_auc(const std::vector<ScoredItems>& of_models);

}  // namespace heed
