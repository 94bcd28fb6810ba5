#include "dialog/retrieve/clusters.h"

#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "dialog/retrieve/pool.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed::retrieve {
namespace {

// Three heaps around (0, 0), (10, 0) and (0, 10), more rows than are compared at once.
Tensor heaps(int64_t rows) {
  Vec x;
  for (int64_t i = 0; i < rows; ++i) {
    const double noise = static_cast<double>((i * 7) % 5) / 10;
    x.insert(x.end(), {(i % 3 == 1 ? 10.0 : 0.0) + noise, (i % 3 == 2 ? 10.0 : 0.0) - noise});
  }
  return Tensor::from(x, {rows, 2}).to(DType::f32);
}

TEST(KMeans, FindsHeapsTheirMeansAndDistances) {
  const int64_t rows = 1500;
  const Tensor x = heaps(rows);
  for (const uint64_t seed : {1, 2, 3, 4}) {
    const Clusters c = k_means(x, 3, seed);
    std::set<int32_t> all(c.of.begin(), c.of.end());
    EXPECT_EQ(all.size(), 3u);
    for (int64_t i = 3; i < rows; ++i) EXPECT_EQ(c.of[i], c.of[i % 3]) << i;
    for (int64_t i = 0; i < 3; ++i) {  // the noise is 0.2 in the mean
      EXPECT_NEAR(c.centres(c.of[i], 0), (i == 1 ? 10 : 0) + 0.2, 1e-4);
      EXPECT_NEAR(c.centres(c.of[i], 1), (i == 2 ? 10 : 0) - 0.2, 1e-4);
    }
    for (int64_t i = 0; i < rows; ++i) {  // (noise - 0.2)^2 in both directions
      const double off = static_cast<double>((i * 7) % 5) / 10 - 0.2;
      EXPECT_NEAR(c.distance[i], 2 * off * off, 1e-4) << i;
    }
  }
  EXPECT_EQ(k_means(x, 3, 2).of, k_means(x, 3, 2).of);
}

// In the end every row is of the nearest centre, and every centre is the mean of its rows.
TEST(KMeans, GoesOnUntilNothingMoves) {
  constexpr int64_t kRows = 60, kCentres = 4;
  Vec noise;
  Rng rng(1);
  for (int64_t i = 0; i < 2 * kRows; ++i) noise.push_back(rng.uniform());
  const Tensor x = Tensor::from(noise, {kRows, 2}).to(DType::f32);
  for (const uint64_t seed : {1, 2, 3}) {
    const Clusters c = k_means(x, kCentres, seed);
    for (int64_t j = 0; j < kCentres; ++j) {
      double sums[2] = {0, 0}, count = 0;
      for (int64_t i = 0; i < kRows; ++i) {
        const double a = x(i, 0) - c.centres(j, 0), b = x(i, 1) - c.centres(j, 1);
        EXPECT_GE(a * a + b * b, c.distance[i] - 1e-6) << seed << " " << i << " " << j;
        if (c.of[i] != j) continue;
        EXPECT_NEAR(a * a + b * b, c.distance[i], 1e-6);
        sums[0] += x(i, 0), sums[1] += x(i, 1), ++count;
      }
      for (int64_t d = 0; d < 2; ++d) EXPECT_NEAR(c.centres(j, d), sums[d] / count, 1e-6) << seed;
    }
  }
}

// Where there is nothing to find, what is found hangs on the rows that it begins with.
TEST(KMeans, EachSeedBeginsWithOtherRows) {
  Vec noise;
  Rng rng(1);
  for (int i = 0; i < 400; ++i) noise.push_back(rng.uniform());
  const Tensor x = Tensor::from(noise, {200, 2}).to(DType::f32);
  EXPECT_EQ(k_means(x, 10, 1).of, k_means(x, 10, 1).of);
  EXPECT_NE(k_means(x, 10, 1).of, k_means(x, 10, 2).of);
}

TEST(KMeans, OfAsManyClustersAsRowsAndOfEqualRows) {
  const Tensor x = heaps(9);
  const Clusters each = k_means(x, 9, 1);
  EXPECT_EQ(std::set<int32_t>(each.of.begin(), each.of.end()).size(), 9u);
  const Clusters same = k_means(Tensor::zeros({4, 2}), 3, 1);
  EXPECT_EQ(std::set<int32_t>(same.of.begin(), same.of.end()).size(), 1u);
  EXPECT_EQ(error_of<UsageError>([&] { k_means(x, 10, 1); }),
            "clusters: expected 1 to 9 of 9 rows, got 10");
}

// A text's vector is (its length, 0).
struct ByLength : VectorRanker {
  Tensor contexts(const Contexts& contexts, int64_t, const OnTexts&, size_t*) const override {
    return Tensor::zeros({std::ssize(contexts), 2});
  }
  Tensor responses(const std::vector<std::string>& texts, int64_t, const OnTexts&,
                   size_t*) const override {
    Vec x;
    for (const std::string& text : texts) {
      x.insert(x.end(), {static_cast<double>(text.size()), 0.0});
    }
    return Tensor::from(x, {std::ssize(texts), 2}).to(DType::f32);
  }
};

TEST(KMeans, APoolHasTheMostFrequentTextOfEachCluster) {
  const std::vector<std::string> said = {
      "a",          "bb",           "bb",          "ccc",  // 3 is far from the mean, 2.0
      "d234567890", "d23456789012", "d2345678901", "!"};
  const auto pool = most_frequent_of_clusters(said, 2, ByLength(), 1);
  EXPECT_EQ(std::set<std::string>(pool.begin(), pool.end()),
            (std::set<std::string>{"bb", "d2345678901"}));  // equally frequent: the nearest
}

}  // namespace
}  // namespace heed::retrieve
