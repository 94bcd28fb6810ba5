#include "tensor/kernels/gemm.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tensor/kernels/gemm_pack.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed {
namespace {

constexpr bool kNo = false, kYes = true;  // transposed
constexpr Write kWrites[] = {Write::assign, Write::add};

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
  bool ta = kNo, tb = kNo;
  Write write = Write::assign;
  int64_t slack = 0;

  std::string str() const {
    return std::to_string(m) + " x " + std::to_string(n) + " x " + std::to_string(k) +
           (ta ? " A^T" : " A") + (tb ? " B^T" : " B") + (write == Write::add ? " added" : "") +
           " slack " + std::to_string(slack);
  }
};

template <class T> struct Problem {
  explicit Problem(const Case& p, uint64_t seed = 1)
      : c0(p),
        rng(seed, "gemm_test"),
        a(p.ta ? p.k : p.m, p.ta ? p.m : p.k, p.slack, rng),
        b(p.tb ? p.n : p.k, p.tb ? p.k : p.n, 2 * p.slack, rng),
        c(p.m, p.n, 3 * p.slack, rng) {}

  Mat<const T> left() const { return {a.values.data(), c0.m, c0.k, a.ld, c0.ta}; }
  Mat<const T> right() const { return {b.values.data(), c0.k, c0.n, b.ld, c0.tb}; }
  Mat<T> result(std::vector<T>& out) const { return {out.data(), c0.m, c0.n, c.ld}; }

  std::vector<T> run() const {
    std::vector<T> out = c.values;
    cpu::gemm<T>(result(out), left(), right(), c0.write);
    return out;
  }

  // C by three loops in double, and whatever else was in the memory of C.
  std::vector<double> naive() const {
    std::vector<double> out(c.values.begin(), c.values.end());
    for (int64_t i = 0; i < c0.m; ++i) {
      std::vector<double> row(c0.n);
      for (int64_t l = 0; l < c0.k; ++l) {
        const double left = a.values[c0.ta ? l * a.ld + i : i * a.ld + l];
        const T* right = b.values.data() + (c0.tb ? l : l * b.ld);
        const int64_t step = c0.tb ? b.ld : 1;
        for (int64_t j = 0; j < c0.n; ++j) row[j] += left * right[j * step];
      }
      for (int64_t j = 0; j < c0.n; ++j) {
        out[i * c.ld + j] = row[j] + (c0.write == Write::add ? out[i * c.ld + j] : 0);
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
  for (bool ta : {kNo, kYes}) {
    for (bool tb : {kNo, kYes}) {
      for (int64_t m : {1, 2, 3, 7, 17, 64}) {
        for (int64_t n : {1, 2, 3, 7, 65}) {
          for (int64_t k : {0, 1, 2, 7, 17, 65}) {
            for (Write write : kWrites) {
              expect_product<double>({m, n, k, ta, tb, write, 3});
              expect_product<float>({m, n, k, ta, tb, write, k % 2});
            }
          }
        }
      }
    }
  }
}

// More than one block along each axis, with columns of C enough that A is copied as a whole, or so
// few that each tile of A is copied when it is needed; and more tiles than one piece of C takes.
TEST(Gemm, MoreThanOneBlock) {
  constexpr int64_t kFloats = cpu::kPanels * cpu::Simd<float>::kWidth;
  constexpr int64_t kDoubles = cpu::kPanels * cpu::Simd<double>::kWidth;
  constexpr int64_t kSpan = cpu::kSpan + 7, kDepth = cpu::kDepth + 7;
  for (bool ta : {kNo, kYes}) {
    for (bool tb : {kNo, kYes}) {
      expect_product<float>({kSpan, kFloats + 1, 13, ta, tb, Write::add, 5});
      expect_product<double>({kSpan, kDoubles + 1, 9, ta, tb, Write::assign, 3});
      expect_product<float>({kSpan, 17, 20, ta, tb, Write::assign, 1});
      expect_product<float>({9, kSpan, 20, ta, tb, Write::assign, 2});
      expect_product<double>({13, kSpan, 7, ta, tb, Write::add, 0});
      expect_product<float>({17, 65, 2 * kDepth, ta, tb, Write::add, 3});
      expect_product<float>({255, kFloats + 1, kDepth, ta, tb, Write::assign, 0});
    }
  }
}

// One term after the other would be wrong by 3e-6: a gradient of weights over many rows.
TEST(Gemm, LongSumsLoseLittle) {
  constexpr int64_t kRows = 20480;
  Problem<float> p({5, 3, kRows, kYes, kNo});
  for (float& x : p.a.values) x = std::abs(x);
  p.b.values.assign(p.b.values.size(), 1.0f);
  const std::vector<float> got = p.run();
  const std::vector<double> sums = p.naive();
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i] / sums[i], 1.0, 1e-6) << i;
}

TEST(Gemm, WithoutColumnsOrRowsTouchesNothing) {
  for (const Case& p : {Case{0, 3, 2}, Case{3, 0, 2}, Case{0, 0, 0}}) {
    const Problem<float> problem(p);
    EXPECT_EQ(problem.run(), problem.c.values);
  }
}

TEST(Gemm, NoInnerAxisGivesZeros) {
  const Problem<float> problem({2, 2, 0, kNo, kNo, Write::assign, 1});
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
  for (const Case& p :
       {Case{1030, 1030, 65, kNo, kYes}, Case{40, 1030, 300, kYes, kNo, Write::add}}) {
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
  cpu::pack_matrix<T>(packed.data(), problem.right());
  cpu::gemm_packed<T>(problem.result(got), problem.left(), packed.data(), p.write);
  EXPECT_EQ(got, problem.run()) << p.str();
}

TEST(GemmPacked, GivesTheBitsOfGemm) {
  for (bool tb : {kNo, kYes}) {
    for (Write write : kWrites) {
      for (int64_t n : {0, 1, 7, 64, 65, 300, 1030}) {
        for (int64_t k : {0, 1, 17, 300, 1030}) {
          expect_packed_equals_gemm<float>({5, n, k, kNo, tb, write, 3});
          expect_packed_equals_gemm<double>({n % 9, n, k, kNo, tb, write, 2});
        }
      }
      expect_packed_equals_gemm<float>({cpu::kSpan + 7, 65, 33, kNo, tb, write, 1});
      expect_packed_equals_gemm<float>({257, cpu::kSpan + 7, 33, kNo, tb, write, 1});
    }
  }
}

// A row has the same bits alone as among others, so no batch changes what a sequence computes.
TEST(Gemm, ARowDoesNotDependOnTheRowsBesideIt) {
  for (bool tb : {kNo, kYes}) {
    const Problem<float> problem({1030, 300, 400, kNo, tb, Write::assign, 1});
    const std::vector<float> all = problem.run();
    const Case& p = problem.c0;
    for (int64_t row : {0, 1, 5, 13, 500, 1023, 1024, 1029}) {
      std::vector<float> alone(p.n);
      const float* first_of_row = problem.a.values.data() + row * problem.a.ld;
      cpu::gemm<float>({alone.data(), 1, p.n, p.n}, {first_of_row, 1, p.k, problem.a.ld},
                       problem.right(), Write::assign);
      const auto first = all.begin() + row * problem.c.ld;
      EXPECT_EQ(alone, std::vector<float>(first, first + p.n)) << "row " << row;
    }
  }
}

TEST(GemmBatched, EqualsOneProductForEachEntry) {
  constexpr int64_t kBatch = 5, m = 6, n = 7, k = 9;
  for (bool ta : {kNo, kYes}) {
    for (bool tb : {kNo, kYes}) {
      for (Write write : kWrites) {
        Rng rng(3);
        const Matrix<double> a(kBatch, m * k, 2, rng), b(kBatch, k * n, 1, rng),
            c(kBatch, m * n, 3, rng);
        std::vector<double> got = c.values, want = c.values;
        const Mat<const double> left{a.values.data(), m, k, ta ? m : k, ta, a.ld};
        const Mat<const double> right{b.values.data(), k, n, tb ? k : n, tb, b.ld};
        cpu::gemm_batched<double>({got.data(), m, n, n, false, c.ld}, left, right, kBatch, write);
        for (int64_t i = 0; i < kBatch; ++i) {
          Mat<const double> l = left, r = right;
          l.at += i * a.ld;
          r.at += i * b.ld;
          cpu::gemm<double>({want.data() + i * c.ld, m, n, n}, l, r, write);
        }
        EXPECT_EQ(got, want);
      }
    }
  }
}

}  // namespace
}  // namespace heed
