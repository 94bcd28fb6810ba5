#include "experiments/engine/stats/hypothesis.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace heed {
namespace {

constexpr size_t kExactSize = 20;  // of each sample

struct Ranks {
  double of_x = 0;  // sum of the ranks of X
  double ties = 0;  // sum of t^3 - t
};

Ranks ranks_of(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<std::pair<double, bool>> all;  // a number, and whether it belongs to X
  for (double value : x) all.emplace_back(value, true);
  for (double value : y) all.emplace_back(value, false);
  std::sort(all.begin(), all.end());
  Ranks ranks;
  for (size_t begin = 0; begin < all.size();) {
    size_t end = begin, of_x = 0;
    for (; end < all.size() && all[end].first == all[begin].first; ++end) of_x += all[end].second;
    const auto t = static_cast<double>(end - begin);
    ranks.of_x += static_cast<double>(of_x) * static_cast<double>(begin + 1 + end) / 2;
    ranks.ties += t * t * t - t;
    begin = end;
  }
  return ranks;
}

// P(U >= least) without ties. The number of ways to draw `count` of the ranks so that U is u obeys
// ways(count, u) += ways(count - 1, u - (rank - count)) for one rank after the other, because a
// rank that is the count-th drawn has rank - count undrawn ones below it. All are below 2^53.
double upper_tail(size_t n1, size_t n2, double least) {
  const size_t most = n1 * n2;
  std::vector<std::vector<double>> ways(n1 + 1, std::vector<double>(most + 1, 0.0));
  ways[0][0] = 1;
  for (size_t rank = 1; rank <= n1 + n2; ++rank) {
    for (size_t count = std::min(rank, n1); count >= 1; --count) {
      for (size_t u = rank - count; u <= most; ++u) {
        ways[count][u] += ways[count - 1][u - (rank - count)];
      }
    }
  }
  double tail = 0, total = 0;
  for (size_t u = 0; u <= most; ++u) {
    total += ways[n1][u];
    if (static_cast<double>(u) >= least) tail += ways[n1][u];
  }
  return tail / total;
}

double log_choose(int64_t n, int64_t k) {
  const auto log_factorial = [](int64_t m) { return std::lgamma(static_cast<double>(m) + 1); };
  return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// P(X = k) of n trials; 0 log 0 = 0.
double binomial(int64_t k, int64_t n, double p) {
  const auto times_log = [](int64_t m, double q) {
    return m == 0 ? 0.0 : static_cast<double>(m) * std::log(q);
  };
  return std::exp(log_choose(n, k) + times_log(k, p) + times_log(n - k, 1 - p));
}

void check_finite(const std::vector<double>& sample) {
  if (sample.empty()) throw UsageError("rank_sum: a sample is empty");
  if (!std::all_of(sample.begin(), sample.end(), [](double x) { return std::isfinite(x); })) {
    throw UsageError("rank_sum: the numbers must be finite");
  }
}

double at_least_the_least(double p) {
  return std::clamp(p, kLeastP, 1.0);
}

}  // namespace

std::string p_text(double p) {
  if (p <= kLeastP) return "< 1e-300";
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", p);
  return text;
}

std::string p_equation(double p) {
  return p <= kLeastP ? "p " + p_text(p) : "p = " + p_text(p);
}

RankSum rank_sum(const std::vector<double>& x, const std::vector<double>& y) {
  check_finite(x);
  check_finite(y);
  const auto n1 = static_cast<double>(x.size()), n2 = static_cast<double>(y.size()), n = n1 + n2;
  const Ranks ranks = ranks_of(x, y);
  RankSum result;
  result.u = ranks.of_x - n1 * (n1 + 1) / 2;
  result.auc = result.u / (n1 * n2);
  const double larger = std::max(result.u, n1 * n2 - result.u);
  result.exact = x.size() <= kExactSize && y.size() <= kExactSize && ranks.ties == 0;
  if (result.exact) {
    result.p_value = at_least_the_least(2 * upper_tail(x.size(), y.size(), larger));
    return result;
  }
  const double variance = n1 * n2 / 12 * (n + 1 - ranks.ties / (n * (n - 1)));
  if (variance <= 0) return result;
  const double z = (larger - n1 * n2 / 2 - 0.5) / std::sqrt(variance);
  result.p_value = at_least_the_least(std::erfc(z / std::sqrt(2.0)));
  return result;
}

BinomialTest binomial_test(int64_t k, int64_t n, double p) {
  if (k < 0 || k > n || !(p >= 0 && p <= 1)) {
    throw UsageError("binomial_test: expected 0 <= k <= n and a probability");
  }
  BinomialTest result;
  if (n == 0) return result;
  result.share = static_cast<double>(k) / static_cast<double>(n);
  // The same probability from both ends differs in its last bits.
  const double bound = binomial(k, n, p) * (1 + 1e-7);
  result.p_value = result.p_at_least_k = 0;
  for (int64_t i = 0; i <= n; ++i) {
    const double probability = binomial(i, n, p);
    if (probability <= bound) result.p_value += probability;
    if (i >= k) result.p_at_least_k += probability;
  }
  const bool certain = p == 0 || p == 1;  // then 0 is no underflow
  for (double* sum : {&result.p_value, &result.p_at_least_k})
    *sum = certain ? std::min(1.0, *sum) : at_least_the_least(*sum);
  return result;
}

double mcnemar_test(int64_t only_first, int64_t only_second) {
  if (only_first < 0 || only_second < 0) throw UsageError("mcnemar_test: a number is negative");
  return binomial_test(only_first, only_first + only_second).p_value;
}

}  // namespace heed
