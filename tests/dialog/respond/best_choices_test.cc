// The most probable tokens of a row of logits.
#include "dialog/respond/best_choices.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "autograd/ops.h"
#include "tensor/random.h"
#include "tests/devices.h"

namespace heed {
namespace {

// Against a full sort: many equal values, whole lanes and begun ones, and few allowed tokens.
TEST(BestChoices, AreTheFirstOfASort) {
  constexpr int64_t kRows = 3;
  for (const DType dtype : {DType::f32, DType::f64}) {
    for (const int64_t size : {1, 65, 255, 256, 257, 1000, 3000}) {
      for (const uint64_t values : {1, 3, 40, 1'000'000}) {
        Rng rng(7, std::to_string(size) + "/" + std::to_string(values));
        std::vector<double> logits(kRows * size);
        for (double& x : logits) x = 1e-5 * static_cast<double>(rng.below(values));
        std::vector<int32_t> excluded;  // a few, as decoding has them, or a quarter of all
        for (int32_t i = 0; i < size; ++i) {
          if (rng.below(4) == 0 && (size < 1000 || i < 10)) excluded.push_back(i);
        }
        for (const Device device : test_devices()) {
          const Tensor rows = Tensor::from(logits, {kRows, size}).to(dtype).to(device);
          const std::vector<double> log_probs = log_softmax(Var(rows)).value().to_vector();
          const std::vector<double> rounded = rows.to_vector();
          for (const int64_t count : {1, 2, 5, 33, 2000}) {
            const auto found = best_choices(rows, excluded, count);
            ASSERT_EQ(found.size(), kRows);
            for (int64_t r = 0; r < kRows; ++r) {
              std::vector<int32_t> sorted;
              for (int32_t i = 0; i < size; ++i) {
                if (!std::binary_search(excluded.begin(), excluded.end(), i)) sorted.push_back(i);
              }
              std::stable_sort(sorted.begin(), sorted.end(), [&](int32_t a, int32_t b) {
                return rounded[r * size + a] > rounded[r * size + b];
              });
              sorted.resize(std::min<int64_t>(count, std::ssize(sorted)));
              ASSERT_EQ(found[r].size(), sorted.size());
              for (size_t i = 0; i < sorted.size(); ++i) {
                EXPECT_EQ(found[r][i].token, sorted[i])
                    << size << " tokens, " << values << " values, " << count;
                EXPECT_NEAR(found[r][i].log_prob, log_probs[r * size + sorted[i]],
                            dtype == DType::f32 ? 1e-5 : 1e-12);
              }
            }
          }
        }
      }
    }
  }
}

TEST(BestChoices, NumbersThatAreNotFinite) {
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
    std::vector<double> logits(1200, -inf);
    logits[7] = 1, logits[290] = 3;                              // two that are possible
    logits[300 + 5] = 2, logits[300 + 9] = nan;                  // a NaN
    logits[600 + 4] = logits[600 + 299] = inf;                   // two that are too large
    const Tensor rows = Tensor::from(logits, {4, 300}, device);  // and a row of -inf only
    const auto found = best_choices(rows, {0}, 3);
    std::vector<std::vector<int32_t>> tokens;
    for (const std::vector<Choice>& row : found) {
      tokens.emplace_back();
      for (const Choice& choice : row) tokens.back().push_back(choice.token);
    }
    EXPECT_EQ(tokens,
              (std::vector<std::vector<int32_t>>{{290, 7, 1}, {5, 1, 2}, {4, 299, 1}, {1, 2, 3}}));
    EXPECT_NEAR(found[0][0].log_prob, -std::log1p(std::exp(-2)), 1e-12);
    EXPECT_NEAR(found[0][1].log_prob, -2 - std::log1p(std::exp(-2)), 1e-12);
    EXPECT_EQ(found[0][2].log_prob, -inf);
    EXPECT_TRUE(std::isnan(found[1][0].log_prob));
    EXPECT_TRUE(best_choices(rows, {}, 0)[3].empty());
  }
}

}  // namespace
}  // namespace heed
