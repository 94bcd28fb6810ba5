// Classical tests of hypotheses: of two samples (Wilcoxon), of a share (binomial), of two judges of
// the same items (McNemar). All p-values are two-sided unless they say otherwise, and agree with
// SciPy's mannwhitneyu() and binomtest() (tests/reference/statistics).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heed {

// What is less probable has this p-value: a double would end at 0, which no p-value of these is.
constexpr double kLeastP = 1e-300;
// For people: "0.012", "2.3e-07", and "< 1e-300" where it is no more than that.
std::string p_text(double p);
std::string p_equation(double p);  // "p = 0.012", "p < 1e-300"

// Wilcoxon's rank-sum test (Mann and Whitney 1947) of samples X and Y of n_1 and n_2 numbers. Equal
// numbers share the mean of their ranks; R_1 is the sum of the ranks of X.
struct RankSum {
  double u = 0;  // R_1 - n_1 (n_1 + 1) / 2: the pairs with X > Y, those with X = Y by half
  // U / (n_1 n_2) = P(X > Y) + P(X = Y) / 2: the area under the ROC curve (AUC) where X are the
  // scores of the positive class and Y those of the other one
  double auc = 0.5;
  double p_value = 1;
  bool exact = false;
};
// p is exact for n_1, n_2 <= 20 without ties: 2 P(U >= max(U, n_1 n_2 - U)), at most 1. Otherwise
// that of the normal distribution of mean n_1 n_2 / 2 and, with n = n_1 + n_2 and t the sizes of
// the groups of equal numbers, variance n_1 n_2 / 12 (n + 1 - sum (t^3 - t) / (n (n - 1))), with a
// correction of 1/2 for continuity; 1 where all numbers are equal. Throws UsageError for an empty
// sample and for what is no finite number.
RankSum rank_sum(const std::vector<double>& x, const std::vector<double>& y);

// The exact test of k successes in n independent trials against the probability p of each.
struct BinomialTest {
  double share = 0;         // k / n; 0 of none
  double p_value = 1;       // of all numbers of successes that are no more probable than k
  double p_at_least_k = 1;  // one-sided
};
// Throws UsageError unless 0 <= k <= n and 0 <= p <= 1.
BinomialTest binomial_test(int64_t k, int64_t n, double p = 0.5);

// McNemar's exact test of two judges of the same items: only those count that one of them had right
// and the other wrong, `only_first` and `only_second` of them, and of these half would be each by
// chance. 1 where there is none. Throws UsageError for negative numbers.
double mcnemar_test(int64_t only_first, int64_t only_second);

}  // namespace heed
