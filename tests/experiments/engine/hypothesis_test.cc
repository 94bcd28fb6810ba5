// Tests of hypotheses, against SciPy (tests/reference/generate/make_statistics.py) and by hand.
#include "experiments/engine/stats/hypothesis.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "experiments/engine/stats/agreement.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

const nlohmann::json& scipy() {
  static const nlohmann::json cases =
      nlohmann::json::parse(std::ifstream(source_dir() + "/tests/reference/statistics/scipy.json"));
  return cases;
}

void expect_close(double got, double expected, const std::string& what) {
  EXPECT_NEAR(got, expected, 1e-11 * std::abs(expected) + 1e-300) << what;
}

// ---- rank sums

TEST(RankSum, AgreesWithSciPy) {
  size_t exact = 0;
  for (const auto& c : scipy().at("rank_sum")) {
    const std::vector<double> x = c["x"], y = c["y"];
    const RankSum r = rank_sum(x, y);
    EXPECT_EQ(r.u, c["u"].get<double>()) << c;
    EXPECT_EQ(r.exact, c["exact"].get<bool>()) << c;
    expect_close(r.p_value, c["p"], c.dump());
    exact += r.exact;
    // From the other side.
    const RankSum turned = rank_sum(y, x);
    EXPECT_NEAR(turned.auc, 1 - r.auc, 1e-15);
    expect_close(turned.p_value, r.p_value, c.dump());
  }
  EXPECT_EQ(exact, 12u);
  EXPECT_EQ(scipy().at("rank_sum").size(), 24u);
}

// Of 3 x 2 pairs X is larger in 4 and equal in 1.
TEST(RankSum, TheAreaUnderTheCurveCountsPairs) {
  EXPECT_DOUBLE_EQ(rank_sum({0.9, 0.8, 0.4}, {0.8, 0.1}).auc, 4.5 / 6);
  EXPECT_EQ(rank_sum({2, 3}, {0, 1}).auc, 1);
  EXPECT_EQ(rank_sum({1, 1}, {1, 1, 1}).auc, 0.5);
  EXPECT_EQ(rank_sum({1, 1}, {1, 1, 1}).p_value, 1);
  // All 6 orders of 2 + 2 numbers are as probable: 1/6 on each side.
  EXPECT_DOUBLE_EQ(rank_sum({2, 3}, {0, 1}).p_value, 2.0 / 6);
}

// A sample of n above one of n: z grows with the root of n, and p ends below what a double can be.
TEST(PValues, AreNotZeroOnUnderflow) {
  std::vector<double> low, high;
  for (int i = 0; i < 1500; ++i) {
    low.push_back(i);
    high.push_back(i + 1500);
  }
  EXPECT_EQ(rank_sum(low, high).p_value, kLeastP);
  EXPECT_EQ(binomial_test(3000, 3000).p_value, kLeastP);
  EXPECT_EQ(binomial_test(3000, 3000).p_at_least_k, kLeastP);
  EXPECT_EQ(binomial_test(1, 5, 0).p_value, 0);  // impossible, not improbable
  EXPECT_EQ(p_text(kLeastP), "< 1e-300");
  EXPECT_EQ(p_equation(kLeastP), "p < 1e-300");
  EXPECT_EQ(p_equation(0.0123), "p = 0.012");
}

TEST(RankSum, RefusesWhatHasNoRank) {
  const std::string empty = "rank_sum: a sample is empty",
                    odd = "rank_sum: the numbers must be finite";
  EXPECT_EQ(error_of<UsageError>([] { rank_sum({}, {1}); }), empty);
  EXPECT_EQ(error_of<UsageError>([] { rank_sum({1}, {}); }), empty);
  EXPECT_EQ(error_of<UsageError>([] { rank_sum({1}, {NAN}); }), odd);
  EXPECT_EQ(error_of<UsageError>([] { rank_sum({INFINITY}, {1}); }), odd);
}

// ---- shares

TEST(Binomial, AgreesWithSciPy) {
  for (const auto& c : scipy().at("binomial")) {
    const BinomialTest test = binomial_test(c["k"], c["n"], c["p"]);
    expect_close(test.p_value, c["two_sided"], c.dump());
    expect_close(test.p_at_least_k, c["at_least"], c.dump());
    EXPECT_DOUBLE_EQ(test.share, c["k"].get<double>() / c["n"].get<double>());
  }
}

TEST(Binomial, OfNothingSaysNothing) {
  const BinomialTest none = binomial_test(0, 0);
  EXPECT_EQ(none.p_value, 1);
  EXPECT_EQ(none.p_at_least_k, 1);
  for (const auto& [k, n, p] : {std::tuple{-1, 3, 0.5}, {4, 3, 0.5}, {1, 3, 1.5}, {1, 3, -0.1}}) {
    EXPECT_THROW(binomial_test(k, n, p), UsageError);
  }
  EXPECT_THROW(binomial_test(1, 3, NAN), UsageError);
}

// 10 of 12 discordant items: 2 (C(12, 0) + C(12, 1) + C(12, 2)) / 2^12.
TEST(McNemar, ByHand) {
  EXPECT_NEAR(mcnemar_test(10, 2), 2.0 * (1 + 12 + 66) / 4096, 1e-14);
  EXPECT_NEAR(mcnemar_test(2, 10), mcnemar_test(10, 2), 1e-14);
  EXPECT_EQ(mcnemar_test(0, 0), 1);
  EXPECT_EQ(mcnemar_test(5, 5), 1);
  EXPECT_NEAR(mcnemar_test(1, 0), 1, 1e-14);
  EXPECT_THROW(mcnemar_test(-1, 2), UsageError);
}

// ---- agreement

// Fleiss 1971: 14 raters, 10 subjects, 5 categories.
TEST(FleissPi, OfThePublishedExample) {
  const RatingCounts ratings = {{0, 0, 0, 0, 14}, {0, 2, 6, 4, 2}, {0, 0, 3, 5, 6}, {0, 3, 9, 2, 0},
                                {2, 2, 8, 1, 1},  {7, 7, 0, 0, 0}, {3, 2, 6, 3, 0}, {2, 5, 3, 2, 2},
                                {6, 5, 2, 1, 0},  {0, 2, 2, 3, 7}};
  const Agreement a = fleiss_pi(ratings);
  EXPECT_NEAR(a.observed, 0.378022, 5e-7);
  EXPECT_NEAR(a.expected, 0.212755, 5e-7);
  ASSERT_TRUE(a.pi);
  EXPECT_NEAR(a.pi->value, 0.209931, 5e-7);
  EXPECT_LT(a.pi->interval.low, a.pi->value);
  EXPECT_GT(a.pi->interval.high, a.pi->value);
  EXPECT_EQ(a.items, 10);
  EXPECT_EQ(a.left_out, 0);
}

TEST(FleissPi, Ends) {
  EXPECT_DOUBLE_EQ(fleiss_pi({{3, 0}, {0, 3}, {3, 0}}).pi->value, 1);
  EXPECT_DOUBLE_EQ(fleiss_pi({{1, 1}, {1, 1}}).pi->value, -1);
  EXPECT_FALSE(fleiss_pi({{3, 0}, {3, 0}}).pi);
  EXPECT_FALSE(fleiss_pi({}).pi);
  EXPECT_FALSE(fleiss_pi({{1, 0}}).pi);
  EXPECT_THROW(fleiss_pi({{1, 1}, {1, 1, 0}}), UsageError);
  EXPECT_THROW(fleiss_pi({{3, -1}}), UsageError);
}

// With three raters and two categories an item's P_i is 1 or 1/3: unanimous items u = 1.5 (P -
// 1/3).
TEST(FleissPi, UnanimousItemsTellTheAgreement) {
  const Agreement a = fleiss_pi({{3, 0}, {2, 1}, {0, 3}, {1, 2}, {2, 1}});
  EXPECT_NEAR(1.5 * (a.observed - 1.0 / 3), 2.0 / 5, 1e-15);
}

// Items with other numbers of raters: P = (1 + 1/3) / 2, p = (4/5, 1/5); single raters say nothing.
TEST(FleissPi, RaggedNumbersOfRaters) {
  const Agreement a = fleiss_pi({{2, 0}, {2, 1}, {0, 1}, {0, 0}});
  EXPECT_EQ(a.items, 2);
  EXPECT_EQ(a.left_out, 2);
  EXPECT_NEAR(a.observed, 2.0 / 3, 1e-15);
  EXPECT_NEAR(a.expected, 0.68, 1e-15);
  EXPECT_NEAR(a.pi->value, (2.0 / 3 - 0.68) / 0.32, 1e-12);
}

// The interval is about as wide as the spread of pi over new items.
TEST(FleissPi, TheIntervalIsThatOfNewItems) {
  Rng rng(3);
  std::vector<double> values;
  double width = 0;
  constexpr int kTimes = 60;
  for (int t = 0; t < kTimes; ++t) {
    RatingCounts ratings;
    for (int i = 0; i < 200; ++i) {
      const double p = i % 2 ? 0.75 : 0.35;
      int64_t first = 0;
      for (int r = 0; r < 3; ++r) first += rng.uniform() < p;
      ratings.push_back({first, 3 - first});
    }
    const Agreement a = fleiss_pi(ratings);
    values.push_back(a.pi->value);
    width += (a.pi->interval.high - a.pi->interval.low) / kTimes;
  }
  const Spread of_values = *spread(values);
  EXPECT_NEAR(of_values.mean, (0.4 * 0.4 / 4) / (0.55 * 0.45), 0.02);
  EXPECT_NEAR(width, 2 * 1.96 * *of_values.deviation, 0.25 * width);
}

// Draws of the two items are both of them, observed 1/2 and expected 5/8: -1/3; twice the second,
// 0 and 1/2: -1; or twice the first, where all is expected and pi is no number.
TEST(FleissPi, EachDrawHasItsOwnExpectation) {
  const Agreement agreement = fleiss_pi({{2, 0}, {1, 1}}, 1);
  ASSERT_TRUE(agreement.pi);
  EXPECT_NEAR(agreement.pi->value, -1.0 / 3, 1e-12);
  EXPECT_NEAR(agreement.pi->interval.low, -1, 1e-12);
  EXPECT_NEAR(agreement.pi->interval.high, -1.0 / 3, 1e-12);
}

}  // namespace
}  // namespace heed
