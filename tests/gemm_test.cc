#include "tensor/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr Trans kNo = Trans::no, kYes = Trans::yes;

// A stored matrix whose rows are `slack` elements longer than they need to be.
template <class T> struct Matrix {
  Matrix(int64_t rows, int64_t cols, int64_t slack, Rng& rng)
      : ld(cols + slack), values(rows * ld) {
    for (T& v : values) v = static_cast<T>(2 * rng.uniform() - 1);
  }
  int64_t ld;
  std::vector<T> values;
};

struct Case {
  int64_t m, n, k;
  Trans ta = kNo, tb = kNo;
  bool accumulate = false;
  int64_t slack = 0;

  std::string str() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           (ta == kYes ? " A^T" : " A") + (tb == kYes ? " B^T" : " B") +
           (accumulate ? " accumulate" : "") + " slack " + std::to_string(slack);
  }
};

template <class T> struct Problem {
  explicit Problem(const Case& p, uint64_t seed = 1)
      : c0(p),
        rng(seed, "gemm_test"),
        a(p.ta == kYes ? p.k : p.m, p.ta == kYes ? p.m : p.k, p.slack, rng),
        b(p.tb == kYes ? p.n : p.k, p.tb == kYes ? p.k : p.n, 2 * p.slack, rng),
        c(p.m, p.n, 3 * p.slack, rng) {}

  std::vector<T> run() const {
    std::vector<T> out = c.values;
    cpu::gemm<T>(out.data(), c.ld, a.values.data(), a.ld, c0.ta, b.values.data(), b.ld, c0.tb, c0.m,
                 c0.n, c0.k, c0.accumulate);
    return out;
  }

  // C by three loops in double, and whatever else was in the memory of C.
  std::vector<double> naive() const {
    std::vector<double> out(c.values.begin(), c.values.end());
    for (int64_t i = 0; i < c0.m; ++i) {
      std::vector<double> row(c0.n);
      for (int64_t l = 0; l < c0.k; ++l) {
        const double left = a.values[c0.ta == kYes ? l * a.ld + i : i * a.ld + l];
        const T* right = b.values.data() + (c0.tb == kYes ? l : l * b.ld);
        const int64_t step = c0.tb == kYes ? b.ld : 1;
        for (int64_t j = 0; j < c0.n; ++j) row[j] += left * right[j * step];
      }
      for (int64_t j = 0; j < c0.n; ++j) {
        out[i * c.ld + j] = row[j] + (c0.accumulate ? out[i * c.ld + j] : 0);
      }
    }
    return out;
  }

  Case c0;
  Rng rng;
  Matrix<T> a, b, c;
};

template <class T> void expect_product(const Case& p) {
  const Problem<T> problem(p);
  const std::vector<T> got = problem.run();
  const std::vector<double> want = problem.naive();
  const double tolerance = static_cast<double>(p.k + 8) * std::numeric_limits<T>::epsilon();
  for (size_t i = 0; i < got.size(); ++i) {
    const bool outside = static_cast<int64_t>(i) % problem.c.ld >= p.n;
    ASSERT_NEAR(got[i], want[i], outside ? 0 : tolerance)
        << p.str() << ", element " << i << (outside ? ", outside of the block" : "");
  }
}

TEST(Gemm, AllCombinationsOfTransposesAndSmallSizes) {
  for (Trans ta : {kNo, kYes}) {
    for (Trans tb : {kNo, kYes}) {
      for (int64_t m : {1, 2, 3, 7, 17, 64}) {
        for (int64_t n : {1, 2, 3, 7, 65}) {
          for (int64_t k : {0, 1, 2, 7, 17, 65}) {
            for (bool accumulate : {false, true}) {
              expect_product<double>({m, n, k, ta, tb, accumulate, 3});
              expect_product<float>({m, n, k, ta, tb, accumulate, k % 2});
            }
          }
        }
      }
    }
  }
}

// More than one tile along either axis: tiles are 1024 rows and 256 or 512 columns.
TEST(Gemm, LargeSizes) {
  for (Trans ta : {kNo, kYes}) {
    for (Trans tb : {kNo, kYes}) {
      expect_product<float>({255, 513, 65, ta, tb, true, 5});
      expect_product<float>({1030, 17, 64, ta, tb, false, 1});
      expect_product<double>({513, 1030, 7, ta, tb, true, 0});
      expect_product<float>({7, 1030, 255, ta, tb, false, 2});
      expect_product<double>({1030, 513, 17, ta, tb, false, 3});
      expect_product<float>({17, 65, 1030, ta, tb, true, 3});
    }
  }
}

TEST(Gemm, WithoutColumnsOrRowsTouchesNothing) {
  for (const Case& p : {Case{0, 3, 2}, Case{3, 0, 2}, Case{0, 0, 0}}) {
    const Problem<float> problem(p);
    EXPECT_EQ(problem.run(), problem.c.values);
  }
}

TEST(Gemm, NoInnerAxisGivesZeros) {
  const Problem<float> problem({2, 2, 0, kNo, kNo, false, 1});
  std::vector<float> expected = problem.c.values;
  for (int64_t i : {0, 1, 5, 6}) expected[i] = 0;
  ASSERT_EQ(problem.c.ld, 5);
  EXPECT_EQ(problem.run(), expected);
}

TEST(Gemm, OverwritesNaN) {
  Problem<float> problem({3, 3, 2});
  std::fill(problem.c.values.begin(), problem.c.values.end(), NAN);
  for (float v : problem.run()) EXPECT_FALSE(std::isnan(v));
}

TEST(Gemm, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Case& p : {Case{1030, 1030, 65, kNo, kYes}, Case{40, 1030, 300, kYes, kNo, true}}) {
    const Problem<float> problem(p);
    set_num_threads(1);
    const std::vector<float> one = problem.run();
    for (int threads : {2, 4}) {
      set_num_threads(threads);
      EXPECT_EQ(problem.run(), one) << p.str() << ", " << threads << " threads";
    }
  }
  set_num_threads(0);
}

template <class T> void expect_packed_equals_gemm(const Case& p) {
  const Problem<T> problem(p);
  int64_t elements = 0;
  cpu::packed_size<T>(&elements, p.k, p.n);
  std::vector<T> packed(elements), got = problem.c.values;
  cpu::pack_matrix<T>(packed.data(), problem.b.values.data(), problem.b.ld, p.tb, p.k, p.n);
  cpu::gemm_packed<T>(got.data(), problem.c.ld, problem.a.values.data(), problem.a.ld,
                      packed.data(), p.m, p.n, p.k, p.accumulate);
  EXPECT_EQ(got, problem.run()) << p.str();
}

TEST(GemmPacked, GivesTheBitsOfGemm) {
  for (Trans tb : {kNo, kYes}) {
    for (bool accumulate : {false, true}) {
      for (int64_t n : {0, 1, 7, 64, 65, 300, 1030}) {
        for (int64_t k : {0, 1, 17, 300, 1030}) {
          expect_packed_equals_gemm<float>({5, n, k, kNo, tb, accumulate, 3});
          expect_packed_equals_gemm<double>({n % 9, n, k, kNo, tb, accumulate, 2});
        }
      }
      expect_packed_equals_gemm<float>({257, 513, 65, kNo, tb, accumulate, 1});
    }
  }
}

// A row has the same bits alone as among others, so no batch changes what a sequence computes.
TEST(Gemm, ARowDoesNotDependOnTheRowsBesideIt) {
  for (Trans tb : {kNo, kYes}) {
    const Problem<float> problem({1030, 300, 400, kNo, tb, false, 1});
    const std::vector<float> all = problem.run();
    const Case& p = problem.c0;
    for (int64_t row : {0, 1, 5, 13, 500, 1023, 1024, 1029}) {
      std::vector<float> alone(p.n);
      cpu::gemm<float>(alone.data(), p.n, problem.a.values.data() + row * problem.a.ld,
                       problem.a.ld, kNo, problem.b.values.data(), problem.b.ld, tb, 1, p.n, p.k,
                       false);
      const auto first = all.begin() + row * problem.c.ld;
      EXPECT_EQ(alone, std::vector<float>(first, first + p.n)) << "row " << row;
    }
  }
}

TEST(GemmBatched, EqualsOneProductForEachEntry) {
  constexpr int64_t kBatch = 5, m = 6, n = 7, k = 9;
  for (Trans ta : {kNo, kYes}) {
    for (Trans tb : {kNo, kYes}) {
      for (bool accumulate : {false, true}) {
        Rng rng(3);
        const Matrix<double> a(kBatch, m * k, 2, rng), b(kBatch, k * n, 1, rng),
            c(kBatch, m * n, 3, rng);
        std::vector<double> got = c.values, want = c.values;
        cpu::gemm_batched<double>(got.data(), c.ld, a.values.data(), a.ld, ta, b.values.data(),
                                  b.ld, tb, kBatch, m, n, k, accumulate);
        for (int64_t i = 0; i < kBatch; ++i) {
          cpu::gemm<double>(want.data() + i * c.ld, n, a.values.data() + i * a.ld,
                            ta == kYes ? m : k, ta, b.values.data() + i * b.ld, tb == kYes ? k : n,
                            tb, m, n, k, accumulate);
        }
        EXPECT_EQ(got, want);
      }
    }
  }
}

}  // namespace
}  // namespace heed
