#include "tensor/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "tensor/kernels/random.h"
#include "tensor/parallel.h"
#include "tensor/random_tensor.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::vector<uint32_t> words(Philox4 r) {
  return {r.x, r.y, r.z, r.w};
}

// The known answers that the authors publish with Random123 (kat_vectors, philox4x32 10).
TEST(Philox, KnownAnswers) {
  EXPECT_EQ(words(philox({0, 0, 0, 0}, 0)),
            (std::vector<uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(words(philox({~0u, ~0u, ~0u, ~0u}, ~0ull)),
            (std::vector<uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  // key a4093822 299f31d0, the low word first
  EXPECT_EQ(words(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0x299f31d0a4093822ull)),
            (std::vector<uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomKey, EveryFieldChangesTheStream) {
  const RandomKey key{1, 2, 3};
  for (const RandomKey& other :
       {RandomKey{2, 2, 3}, RandomKey{1, 3, 3}, RandomKey{1, 2, 4},
        RandomKey{1 + (1ull << 32), 2, 3}, RandomKey{1, 2, 3 + (1ull << 32)}}) {
    int same = 0;
    for (uint64_t i = 0; i < 100; ++i) same += key.word(i) == other.word(i);
    EXPECT_LE(same, 1);
  }
  EXPECT_NE(purpose_id("dropout.encoder"), purpose_id("dropout.decoder"));
  EXPECT_EQ(purpose_id("a"), 0xE40C292Cu);  // FNV-1a's published value
}

TEST(RandomKey, WordsAreTheBlocksInOrder) {
  const RandomKey key{9, 8, 7};
  for (uint64_t b : {uint64_t{0}, uint64_t{5}, uint64_t{1} << 33}) {
    const std::vector<uint32_t> block = words(key.block(b));
    for (uint64_t i = 0; i < 4; ++i) EXPECT_EQ(key.word(4 * b + i), block[i]);
  }
  EXPECT_NE(words(key.block(1)), words(key.block(1 + (uint64_t{1} << 32))));
}

struct Moments {
  double mean = 0, variance = 0, skew = 0, kurtosis = 0;
};
template <class T> Moments moments(const std::vector<T>& x) {
  Moments m;
  const double n = static_cast<double>(x.size());
  for (T v : x) m.mean += v / n;
  for (T v : x) m.variance += (v - m.mean) * (v - m.mean) / n;
  for (T v : x) m.skew += std::pow((v - m.mean) / std::sqrt(m.variance), 3) / n;
  for (T v : x) m.kurtosis += std::pow((v - m.mean) / std::sqrt(m.variance), 4) / n;
  return m;
}

constexpr RandomKey kKey{42, purpose_id("random_test"), 1};
constexpr int64_t kMany = 400'001;  // odd: the last normal has no partner

template <class T> std::vector<T> uniform(int64_t n, RandomKey key = kKey) {
  std::vector<T> x(n);
  cpu::random_uniform<T>(x.data(), T(-1), T(3), key, n);
  return x;
}
template <class T> std::vector<T> normal(int64_t n, RandomKey key = kKey) {
  std::vector<T> x(n);
  cpu::random_normal<T>(x.data(), T(2), T(3), key, n);
  return x;
}

// Bounds are five standard errors of each moment.
// The last of these has the largest u that there is, 1 - 2^-24: 1 + u rounds to 2.
TEST(RandomUniform, StaysBelowItsEnd) {
  for (Device device : test_devices()) {
    const std::vector<double> x =
        heed::uniform({124700}, 1, 2, {4, 7}, DType::f32, device).to_vector();
    EXPECT_EQ(x.back(), 2 - std::ldexp(1, -23));
    EXPECT_LT(*std::max_element(x.begin(), x.end()), 2);
  }
  for (const double x : heed::uniform({10}, 3, 3, {4, 7}).to_vector()) EXPECT_EQ(x, 3);
}

TEST(RandomNormal, RefusesWhatIsNoDistribution) {
  const auto error = [](double mean, double deviation) {
    return error_of<UsageError>([&] { (void)heed::normal({2}, mean, deviation, {1}); });
  };
  const std::string rule = "normal: needs a finite mean and a finite deviation >= 0, got ";
  EXPECT_EQ(error(0, -1), rule + "0 and -1");
  EXPECT_EQ(error(NAN, 1), rule + "nan and 1");
  EXPECT_EQ(error(0, INFINITY), rule + "0 and inf");
  EXPECT_EQ(error(1e39, 1), rule + "1e+39 and 1");
  EXPECT_EQ(error(0, 1e39), rule + "0 and 1e+39");
  EXPECT_EQ(heed::normal({2}, 3, 0, {1}).to_vector(), (std::vector<double>{3, 3}));
}

TEST(RandomUniform, RefusesBoundsThatAreNone) {
  const auto error = [](double low, double high) {
    return error_of<UsageError>([&] { (void)heed::uniform({2}, low, high, {1}); });
  };
  EXPECT_EQ(error(2, 1), "uniform: needs finite numbers low <= high, got 2 and 1");
  EXPECT_EQ(error(0, INFINITY), "uniform: needs finite numbers low <= high, got 0 and inf");
  EXPECT_EQ(error(-3e38, 3e38), "uniform: needs finite numbers low <= high, got -3e+38 and 3e+38");
  EXPECT_EQ(error(1e39, 1e39), "uniform: needs finite numbers low <= high, got 1e+39 and 1e+39");
  for (const double x : heed::uniform({2}, -3e38, 3e38, {1}, DType::f64).to_vector()) {
    EXPECT_LT(std::abs(x), 3e38);
  }
  EXPECT_NE(error(-INFINITY, INFINITY), "no error");
  EXPECT_NE(error(NAN, 1), "no error");
}

TEST(RandomTensors, AreNotOfIntegers) {
  const auto error = [](const auto& draw) { return error_of<ShapeError>([&] { (void)draw(); }); };
  EXPECT_EQ(error([] { return heed::uniform({2}, 0, 1, {1}, DType::i32); }),
            "uniform: element type i32: expected f32 or f64");
  EXPECT_EQ(error([] { return heed::normal({2}, 0, 1, {1}, DType::i32); }),
            "normal: element type i32: expected f32 or f64");
  EXPECT_EQ(error([] { return gumbel({2}, {1}, DType::i32); }),
            "gumbel: element type i32: expected f32 or f64");
}

TEST(RandomUniform, HasTheMomentsOfTheDistribution) {
  const std::vector<float> x = uniform<float>(kMany);
  const Moments m = moments(x);
  const double root = std::sqrt(static_cast<double>(kMany));
  EXPECT_NEAR(m.mean, 1, 5 * 1.155 / root);
  EXPECT_NEAR(m.variance, 16.0 / 12, 5 * 1.193 / root);
  EXPECT_NEAR(m.kurtosis, 1.8, 0.02);
  const auto [low, high] = std::minmax_element(x.begin(), x.end());
  EXPECT_GE(*low, -1);
  EXPECT_LT(*low, -0.9999);
  EXPECT_LE(*high, 3);
  EXPECT_GT(*high, 2.9999);
  double together = 0;  // of neighbours, which must be independent
  for (int64_t i = 1; i < kMany; ++i) together += (x[i] - 1) * (x[i - 1] - 1) / kMany;
  EXPECT_NEAR(together, 0, 5 * 16.0 / 12 / root);
}

TEST(RandomNormal, HasTheMomentsOfTheDistribution) {
  const std::vector<double> x = normal<double>(kMany);
  const Moments m = moments(x);
  const double root = std::sqrt(static_cast<double>(kMany));
  EXPECT_NEAR(m.mean, 2, 5 * 3 / root);
  EXPECT_NEAR(m.variance, 9, 5 * 9 * std::sqrt(2.0) / root);
  EXPECT_NEAR(m.skew, 0, 5 * std::sqrt(6.0) / root);
  EXPECT_NEAR(m.kurtosis, 3, 5 * std::sqrt(24.0) / root);
  double pairs = 0;
  for (int64_t i = 1; i < kMany; ++i) pairs += (x[i] - 2) * (x[i - 1] - 2) / 9 / kMany;
  EXPECT_NEAR(pairs, 0, 5 / root);
  for (double v : x) ASSERT_TRUE(std::isfinite(v));
}

// Box-Muller of 1 - u, never of u, which may be 0; the last of an odd number stands alone.
TEST(RandomNormal, IsBoxMullerOfTheWords) {
  const std::vector<double> x = normal<double>(7);
  for (uint64_t i = 0; i < 7; ++i) {
    const double u = uniform01(kKey.word(i - i % 2)),
                 angle = 2 * M_PI * uniform01(kKey.word(i - i % 2 + 1));
    const double radius = std::sqrt(-2 * std::log(1 - u));
    EXPECT_NEAR(x[i], 2 + 3 * radius * (i % 2 ? std::sin(angle) : std::cos(angle)), 1e-12) << i;
  }
}

TEST(RandomKernels, F32AndF64DrawTheSameNumbers) {
  const std::vector<float> u = uniform<float>(1001), z = normal<float>(1001);
  const std::vector<double> wide_u = uniform<double>(1001), wide_z = normal<double>(1001);
  for (size_t i = 0; i < u.size(); ++i) {
    EXPECT_NEAR(u[i], wide_u[i], 1e-6);
    EXPECT_NEAR(z[i], wide_z[i], 1e-5);
  }
}

TEST(RandomKernels, AnElementDoesNotDependOnTheNumberOfOthers) {
  const std::vector<float> few = uniform<float>(13), many = uniform<float>(30'000);
  EXPECT_EQ(few, std::vector<float>(many.begin(), many.begin() + 13));
  const std::vector<float> some = normal<float>(13), more = normal<float>(30'000);
  EXPECT_EQ(some, std::vector<float>(more.begin(), more.begin() + 13));
}

std::vector<float> dropped(int64_t n, float p, Write write = Write::assign) {
  std::vector<float> x(n, 2.0f), y(n, 1.0f);
  cpu::dropout<float>({y.data(), write}, x.data(), p, kKey, n);
  return y;
}

TEST(RandomKernels, AnyNumberOfThreadsGivesTheSameBits) {
  set_num_threads(1);
  const auto u = uniform<float>(100'003), z = normal<float>(100'003), d = dropped(100'003, 0.2f);
  for (int threads : {2, 4}) {
    set_num_threads(threads);
    EXPECT_EQ(uniform<float>(100'003), u);
    EXPECT_EQ(normal<float>(100'003), z);
    EXPECT_EQ(dropped(100'003, 0.2f), d);
  }
  set_num_threads(0);
}

TEST(Dropout, KeepsTheExpectedShareAndScalesIt) {
  for (float p : {0.1f, 0.2f, 0.5f, 0.9f}) {
    int64_t kept = 0;
    for (float y : dropped(kMany, p)) {
      if (y == 0) continue;
      EXPECT_FLOAT_EQ(y, 2 / (1 - p));
      ++kept;
    }
    EXPECT_NEAR(static_cast<double>(kept) / kMany, 1 - p,
                5 * std::sqrt(p * (1 - p) / static_cast<double>(kMany)));
  }
}

TEST(Dropout, AccumulatesTheSameElements) {
  const std::vector<float> once = dropped(1000, 0.5f), added = dropped(1000, 0.5f, Write::add);
  for (size_t i = 0; i < once.size(); ++i) EXPECT_EQ(added[i], once[i] + 1);
}

TEST(Rng, UniformIsInRangeWithTheRightMean) {
  Rng rng(3, "uniform");
  std::vector<double> x(100'000);
  for (double& v : x) {
    v = rng.uniform();
    ASSERT_TRUE(0 <= v && v < 1);
  }
  EXPECT_NEAR(moments(x).mean, 0.5, 5 * 0.2887 / std::sqrt(1e5));
  EXPECT_NEAR(moments(x).variance, 1.0 / 12, 5 * 0.0745 / std::sqrt(1e5));
}

TEST(Rng, BelowIsUniform) {
  for (uint64_t n : {1u, 2u, 3u, 10u, 1000u}) {
    Rng rng(n, "below");
    std::vector<double> count(n);
    const double expected = 200'000.0 / static_cast<double>(n);
    for (int i = 0; i < 200'000; ++i) ++count.at(rng.below(n));
    double chi2 = 0;
    for (double c : count) chi2 += (c - expected) * (c - expected) / expected;
    EXPECT_LT(chi2, static_cast<double>(n - 1) + 5 * std::sqrt(2.0 * static_cast<double>(n)));
  }
}

TEST(Rng, BelowZeroThereIsNothing) {
  EXPECT_EQ(error_of<UsageError>([] { Rng(1).below(0); }), "below: there is no number below 0");
}

// Taking the remainder without rejection would give the lower half of this range twice as often.
TEST(Rng, BelowHasNoBiasForHugeRanges) {
  const uint64_t n = (uint64_t{3} << 62) - 1;
  Rng rng(1, "huge");
  int low = 0;
  for (int i = 0; i < 20'000; ++i) low += rng.below(n) < (uint64_t{1} << 62);
  EXPECT_NEAR(low / 20'000.0, 1 / 3.0, 5 * std::sqrt(2.0 / 9 / 20'000));
}

TEST(Rng, BelowIsMadeOfTheHighWordAndThenTheLowWord) {
  const RandomKey key{5, 6, 7};
  Rng rng(key);
  EXPECT_EQ(rng.below(uint64_t{1} << 63),
            ((uint64_t{key.word(0)} << 32) | key.word(1)) % (uint64_t{1} << 63));
}

TEST(Rng, ShuffleIsAPermutationThatTheSeedDecides) {
  std::vector<int> sorted(52);
  std::iota(sorted.begin(), sorted.end(), 0);
  std::vector<int> a = sorted, b = sorted, c = sorted;
  Rng(1, "shuffle").shuffle(a);
  Rng(1, "shuffle").shuffle(b);
  Rng(2, "shuffle").shuffle(c);
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_NE(a, sorted);
  std::sort(a.begin(), a.end());
  EXPECT_EQ(a, sorted);
}

TEST(Rng, ShuffleGivesAllOrdersEquallyOften) {
  std::vector<int> count(6);
  Rng rng(4, "orders");
  for (int i = 0; i < 60'000; ++i) {
    std::vector<int> x{0, 1, 2};
    rng.shuffle(x);
    ++count.at(x[0] * 2 + (x[1] > x[2]));
  }
  for (int c : count) EXPECT_NEAR(c, 10'000, 5 * std::sqrt(60'000 * 5.0 / 36));
}

TEST(Rng, ShufflesNothingAndOneThing) {
  std::vector<int> none, one{3};
  Rng rng(1);
  rng.shuffle(none);
  rng.shuffle(one);
  EXPECT_EQ(one, std::vector<int>{3});
}

}  // namespace
}  // namespace heed
