// Numbers of two lists by hand: areas below curves, and the dependence of labels.
#include "dialog/stats/roc.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "dialog/stats/dependence.h"

namespace heed {
namespace {

TEST(Areas, HaveStraightSegments) {
  const std::vector<double> a =
      areas({0.9, 0.8, 0.4, 0.4}, {0.7, 0.5, 0.4, 0.3, 0.2}, {1, 0.5, 0.25, 0.1});
  EXPECT_DOUBLE_EQ(a[0], 0.75);
  EXPECT_DOUBLE_EQ(a[1], 0.525);
  EXPECT_DOUBLE_EQ(a[2], 0.5);
  EXPECT_DOUBLE_EQ(a[3], 0.5);
}

TEST(Areas, AreThoseOfScikitLearn) {  // roc_auc_score; with max_fpr, its rescaling undone
  const std::vector<double> a =
      areas({3, 1, 4, 1, 5, 9, 2, 6}, {5, 3, 5, 8, 9, 7, 9, 3, 2, 3, 8, 4}, {1, 0.3, 0.05});
  EXPECT_NEAR(a[0], 0.328125, 1e-12);
  EXPECT_NEAR(a[1], 0.09027777777777779, 1e-12);
  EXPECT_NEAR(a[2], 0.01875, 1e-12);
}

TEST(Areas, ARandomScorerHasHalfOfTheRate) {
  const std::vector<double> same(7, 1.5);
  const std::vector<double> a = areas(same, std::vector<double>(3, 1.5), {1, 0.5, 0.01});
  EXPECT_DOUBLE_EQ(a[0], 0.5);
  EXPECT_DOUBLE_EQ(a[1], 0.25);
  EXPECT_DOUBLE_EQ(a[2], 0.005);
}

TEST(Areas, RefuseScoresThatAreNoNumbers) {
  EXPECT_THROW(areas({0.5, NAN}, {0.25}), UsageError);
  EXPECT_THROW(areas({0.5}, {NAN, 0.25}), UsageError);
  EXPECT_EQ(areas({0.5, INFINITY}, {-INFINITY}), std::vector<double>{1});
}

// Two rows and three columns, where the column decides the row: 2 2 0 / 0 0 4.
TEST(Dependence, CramersVIsOneWhereTheSmallerSideIsDecided) {
  const Dependence d = dependence({0, 0, 0, 0, 1, 1, 1, 1}, {0, 0, 1, 1, 2, 2, 2, 2});
  EXPECT_NEAR(d.chi2, 8, 1e-12);
  EXPECT_NEAR(d.phi, 1, 1e-12);
  EXPECT_NEAR(d.cramers_v, 1, 1e-12);
  // Three of each: 1 1 0 / 0 1 1 / 1 0 1, of which each row has 2 of 6.
  const Dependence half = dependence({0, 0, 1, 1, 2, 2}, {0, 1, 1, 2, 2, 0});
  EXPECT_NEAR(half.chi2, 3, 1e-12);
  EXPECT_NEAR(half.phi, std::sqrt(0.5), 1e-12);
  EXPECT_NEAR(half.cramers_v, 0.5, 1e-12);
}

}  // namespace
}  // namespace heed
