#include "dialog/stats/roc.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed
