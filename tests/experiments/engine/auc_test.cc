// The area under the ROC curve and its interval: known answers, and whether the interval holds.
#include "experiments/engine/stats/auc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr double kNormal95 = 1.959963984540054;

// By hand: psi of the pairs is 1 1 / 1/2 1 / 0 1, A = 3/4; V = 1/4 0 -1/4, W = -1/4 1/4. DeLong et
// al.: var = (1/16 + 1/16) / 2 / 3 + (1/16 + 1/16) / 1 / 2 = 1/48 + 1/16 = 1/12.
TEST(ClusteredAuc, IsDeLongsWhereEveryItemIsACluster) {
  const auto auc = clustered_auc({{{0.9, 0.8, 0.4}, {0.8, 0.1}, {0, 1, 2}, {3, 4}}});
  ASSERT_TRUE(auc);
  EXPECT_DOUBLE_EQ(auc->value, 0.75);
  EXPECT_NEAR(auc->interval.low, 0.75 - kNormal95 / std::sqrt(12.), 1e-12);
  EXPECT_EQ(auc->interval.high, 1);  // no area is larger
  EXPECT_EQ(auc->clusters, 5);
  const auto turned = clustered_auc({{{0.8, 0.1}, {0.9, 0.8, 0.4}, {3, 4}, {0, 1, 2}}});
  EXPECT_NEAR(turned->interval.high, 0.25 + kNormal95 / std::sqrt(12.), 1e-12);
  EXPECT_EQ(turned->interval.low, 0);  // nor is any smaller than 0
}

// The same items in two clusters, {X_1, X_2, Y_1} and {X_3, Y_2}: sums of V 1/4 and -1/4, of W -1/4
// and 1/4. var = 2 (1/8 / 9 + 1/8 / 4 - 2/8 / 6) / 1 = 1/144.
TEST(ClusteredAuc, ItemsOfAClusterGoTogether) {
  const auto auc = clustered_auc({{{0.9, 0.8, 0.4}, {0.8, 0.1}, {0, 0, 1}, {0, 1}}});
  ASSERT_TRUE(auc);
  EXPECT_NEAR(auc->interval.low, 0.75 - kNormal95 / 12, 1e-12);
  EXPECT_NEAR(auc->interval.high, 0.75 + kNormal95 / 12, 1e-12);
  EXPECT_EQ(auc->clusters, 2);
}

// Clusters without an item are none.
TEST(ClusteredAuc, NumbersOfClustersMayHaveGaps) {
  const auto auc = clustered_auc({{{0.9, 0.8, 0.4}, {0.8, 0.1}, {2, 2, 9}, {2, 9}}});
  ASSERT_TRUE(auc);
  EXPECT_NEAR(auc->interval.low, 0.75 - kNormal95 / 12, 1e-12);
  EXPECT_EQ(auc->clusters, 2);
}

// Of two models that say the opposite the mean is 1/2, and surely so.
TEST(ClusteredAuc, OfSeveralModelsIsTheMean) {
  const ScoredItems one{{0.9, 0.8}, {0.2, 0.1}, {0, 1}, {0, 1}},
      other{{0.2, 0.1}, {0.9, 0.8}, {0, 1}, {0, 1}};
  const auto auc = clustered_auc({one, other});
  ASSERT_TRUE(auc);
  EXPECT_EQ(auc->value, 0.5);
  EXPECT_EQ(clustered_auc({one})->value, 1);
}

TEST(ClusteredAuc, SaysNothingOfTooLittleAndRefusesWhatDoesNotFit) {
  EXPECT_FALSE(clustered_auc({}));
  EXPECT_FALSE(clustered_auc({{{1, 2}, {0, 1}, {0, 0}, {0, 1}}}));
  EXPECT_FALSE(clustered_auc({{{1, 2}, {0, 1}, {0, 1}, {1, 1}}}));
  EXPECT_FALSE(clustered_auc({{{}, {}, {}, {}}}));
  const std::string fit = "clustered_auc: one cluster for each item, the same of all models";
  const ScoredItems one{{0.9, 0.8}, {0.2, 0.1}, {0, 1}, {0, 1}};
  ScoredItems odd = one;
  odd.positive_clusters = {1, 1};
  EXPECT_EQ(error_of<UsageError>([&] { clustered_auc({one, odd}); }), fit);
  odd = one;
  odd.positive[0] = NAN;
  EXPECT_EQ(error_of<UsageError>([&] { clustered_auc({odd}); }),
            "clustered_auc: the scores must be finite");
}

// Conversations of 1 to 6 passages, each with a response of both classes; what the passages of one
// share makes an interval that takes them for independent too narrow. X - Y is normal with mean 1
// and variance 4, so that the area is P(N(0, 1) < 1/2) = 0.6915.
TEST(ClusteredAuc, IntervalsHoldTheAreaAsOftenAsTheySay) {
  Rng rng(1);
  const auto normal = [&] {
    return std::sqrt(-2 * std::log(1 - rng.uniform())) * std::cos(2 * M_PI * rng.uniform());
  };
  int held = 0, held_alone = 0;
  constexpr int kTimes = 400;
  for (int t = 0; t < kTimes; ++t) {
    ScoredItems items, alone;
    int item = 0;
    for (int c = 0; c < 60; ++c) {
      const double x = normal(), y = normal();
      for (uint64_t i = 0, n = 1 + rng.below(6); i < n; ++i) {
        const double positive = 1 + x + normal(), negative = y + normal();
        items.add(true, positive, c);
        items.add(false, negative, c);
        alone.add(true, positive, item++);
        alone.add(false, negative, item++);
      }
    }
    const double area = 0.5 * std::erfc(-0.5 / std::sqrt(2.));
    const auto holds = [&](const std::optional<Estimate>& auc) {
      return auc->interval.low <= area && area <= auc->interval.high;
    };
    held += holds(clustered_auc({items}));
    held_alone += holds(clustered_auc({alone}));
  }
  EXPECT_NEAR(held, 0.95 * kTimes, 0.03 * kTimes);
  EXPECT_LT(held_alone, 0.9 * kTimes);
}

}  // namespace
}  // namespace heed
