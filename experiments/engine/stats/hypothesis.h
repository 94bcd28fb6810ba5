// Classical hypothesis tests: of two samples (Wilcoxon), of a share (binomial), of two judges of
// the same items (McNemar). All p-values are two-sided unless stated otherwise, and agree with
// SciPy's mannwhitneyu() and binomtest() (tests/reference/statistics).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

// Smaller p-values are set to this: a double would become 0, which none of these p-values is.
constexpr double kLeastP = 1e-300;
// For people: "0.012", "2.3e-07", and "< 1e-300" for kLeastP.
std::string p_text(double p);
std::string p_equation(double p);  // "p = 0.012", "p < 1e-300"

// Wilcoxon's rank-sum test (Mann and Whitney 1947) of samples X and Y of n_1 and n_2 numbers. Equal
// numbers share the mean of their ranks; R_1 is the sum of the ranks of X.
struct RankSum {
  double u = 0;  // R_1 - n_1 (n_1 + 1) / 2: the pairs with X > Y, plus half of those with X = Y
  // U / (n_1 n_2) = P(X > Y) + P(X = Y) / 2: the area under the ROC curve (AUC) if X are the scores
  // of the positive class and Y those of the other one
  double auc = 0.5;
  double p_value = 1;
  bool exact = false;
};
// p is exact for n_1, n_2 <= 20 without ties: 2 P(U >= max(U, n_1 n_2 - U)), at most 1. Otherwise
// it is that of the normal distribution with mean n_1 n_2 / 2 and, with n = n_1 + n_2 and t the
// sizes of the groups of equal numbers, variance n_1 n_2 / 12 (n + 1 - sum (t^3 - t) / (n (n -
// 1))), with a continuity correction of 1/2; 1 if all numbers are equal. Throws UsageError for an
// empty sample and for numbers that are not finite.
RankSum rank_sum(const std::vector<double>& x, const std::vector<double>& y);

// The exact test of k successes in n independent trials against the probability p of each.
struct BinomialTest {
  double share = 0;         // k / n; 0 for no trials
  double p_value = 1;       // of all numbers of successes that are no more probable than k
  double p_at_least_k = 1;  // one-sided
};
// Throws UsageError unless 0 <= k <= n and 0 <= p <= 1.
BinomialTest binomial_test(int64_t k, int64_t n, double p = 0.5);

// McNemar's exact test of two judges of the same items. Only items count that exactly one of them
// judged right, `only_first` and `only_second` of them; by chance both would be half of these. 1 if
// there is none. Throws UsageError for negative numbers.
double mcnemar_test(int64_t only_first, int64_t only_second);

}  // namespace heed
