// Products of matrices: of any orientation in memory that is wider than they are, by plain loops,
// and how fast. For labs 1 and 10.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "labs/support/check.h"
#include "tensor/kernels/gemm.h"
#include "tensor/parallel.h"

namespace heed::lab {

inline const Tolerance kExact = {.relative = 0, .absolute = 0};
inline const Tolerance kRounding = {.relative = 1e-11, .absolute = 1e-11};
inline const char* const kProduct = "C_ij = sum_k A_ik B_kj";

// The elements [begin, end) in the order of memory, in a tensor of their own.
inline Tensor range_of(const Tensor& x, int64_t begin, int64_t end, Shape shape) {
  const std::vector<double> all = x.to_vector();
  const std::vector<double> some(all.begin() + begin, all.begin() + end);
  if (x.dtype() == DType::i32) {
    return Tensor::from(std::vector<int32_t>(some.begin(), some.end()), shape);
  }
  return Tensor::from(some, shape).to(x.dtype());
}

// A matrix of f64 in memory whose lines are longer than they need to be.
struct Stored {
  Tensor memory;  // (lines, ld)
  int64_t rows, cols;
  bool transposed;

  int64_t ld() const { return memory.shape()[1]; }
  template <class T = double> Mat<T> mat() const {
    return {memory.data<T>(), rows, cols, ld(), transposed};
  }
  Stored to(DType dtype) const { return {memory.to(dtype), rows, cols, transposed}; }

  // As if it were stored in some other way: for mistakes.
  Tensor read(int64_t ld, bool transposed) const {
    const Tensor x = Tensor::zeros({rows, cols}, DType::f64);
    const double* const from = memory.data<double>();
    double* const to = x.data<double>();
    for (int64_t at = 0; at < rows * cols; ++at) {
      const int64_t i = at / cols, j = at % cols;
      to[at] = from[transposed ? j * ld + i : i * ld + j];
    }
    return x;
  }
  Tensor values() const { return read(ld(), transposed); }
};

inline Stored store(Draw& draw, int64_t rows, int64_t cols, bool transposed, int64_t slack) {
  const int64_t lines = transposed ? cols : rows, length = transposed ? rows : cols;
  return {draw.normal({lines, length + slack}), rows, cols, transposed};
}

inline Tensor product(const Tensor& a, const Tensor& b) {
  const int64_t m = a.shape()[0], depth = a.shape()[1], n = b.shape()[1];
  const Tensor c = Tensor::zeros({m, n}, DType::f64);
  const double *const left = a.data<double>(), *const right = b.data<double>();
  double* const sums = c.data<double>();
  for (int64_t at = 0; at < m * n; ++at) {
    const int64_t i = at / n, j = at % n;
    for (int64_t k = 0; k < depth; ++k) sums[at] += left[i * depth + k] * right[k * n + j];
  }
  return c;
}

inline Tensor sum(const Tensor& a, const Tensor& b) {
  std::vector<double> values = a.to_vector();
  const std::vector<double> more = b.to_vector();
  for (size_t i = 0; i < values.size(); ++i) values[i] += more[i];
  return Tensor::from(values, a.shape());
}

struct Sizes {
  int64_t m, n, k;
};

inline Sizes draw_sizes(Draw& draw, int64_t low, int64_t high) {
  return {draw.between(low, high), draw.between(low, high), draw.between(low, high)};
}

// What a function finds on the stack that is called next: memory that nobody has written shows
// there, too.
[[gnu::noinline]] inline void poison_stack() {
  volatile uint64_t numbers[1 << 14];
  for (volatile uint64_t& number : numbers) number = ~uint64_t{0};  // NaN, as in fresh memory
}

struct Problem {
  Stored a, b, c;

  std::string str() const {
    return text("C (", c.rows, ", ", c.cols, ") = A", a.transposed ? "^T (" : " (", a.rows, ", ",
                a.cols, ") times B", b.transposed ? "^T (" : " (", b.rows, ", ", b.cols, ")");
  }
  Tensor want() const { return product(a.values(), b.values()); }
  // What gemm() makes of it, in f64; C as it was stays in `c`.
  template <class T = double> Tensor run(Write write) const {
    const DType dtype = DTypeOf<T>::value;
    const Stored before = {surrounded<T>(c.memory.to(dtype)), c.rows, c.cols, false};
    const Stored out = {before.memory.clone(), c.rows, c.cols, false};
    const Stored left = a.to(dtype), right = b.to(dtype);
    const std::vector<double> of_a = left.memory.to_vector(), of_b = right.memory.to_vector();
    poison_stack();
    cpu::gemm<T>(out.mat<T>(), left.mat<T>(), right.mat<T>(), write);
    expect_outside_is_left_alone(out.mat<T>(), before.mat<T>());
    expect_factor_is_left_alone("A", left.memory.to_vector(), of_a);
    expect_factor_is_left_alone("B", right.memory.to_vector(), of_b);
    return out.to(DType::f64).values();
  }

 private:
  static constexpr int64_t kBehind = 4;  // lines behind C, which belong to somebody else

  // C with lines behind it, and a signalling NaN wherever C is not: each sum changes it, also one
  // with 0, into that of memory that nobody has written.
  template <class T> Tensor surrounded(const Tensor& memory) const {
    const int64_t lines = memory.shape()[0], ld = c.ld();
    const Tensor all = Tensor::empty({lines + kBehind, ld}, memory.dtype());
    const uint64_t bits = sizeof(T) == 4 ? 0x7fbfffff : 0x7ff7ffffffffffff;
    for (int64_t at = 0; at < all.numel(); ++at) {
      const bool inside = at / ld < c.rows && at % ld < c.cols;
      const void* const from = inside ? static_cast<const void*>(memory.data<T>() + at) : &bits;
      std::memcpy(all.data<T>() + at, from, sizeof(T));
    }
    return all;
  }
  template <class T> void expect_outside_is_left_alone(Mat<T> got, Mat<T> before) const {
    for (int64_t at = 0; at < (c.memory.shape()[0] + kBehind) * c.ld(); ++at) {
      const int64_t row = at / c.ld(), col = at % c.ld();
      if (row < c.rows && col < c.cols) continue;
      if (std::memcmp(got.at + at, before.at + at, sizeof(T)) == 0) continue;
      return expect(
          false, text("memory beside C was written to, column ", col, " of row ", row, ": C has ",
                      c.rows, " rows and ", c.cols, " columns, its rows are ", c.ld(), " apart."));
    }
  }
  static void expect_factor_is_left_alone(const char* name, const std::vector<double>& got,
                                          const std::vector<double>& before) {
    for (int64_t at = 0; at < std::ssize(got); ++at) {
      if (got[at] == before[at] || std::isnan(before[at])) continue;
      return expect(false, text("number ", at, " in the memory of ", name,
                                " was written to: a product reads its factors."));
    }
  }
};

inline Problem draw_problem(Draw& draw, Sizes x, bool ta = false, bool tb = false,
                            int64_t slack = 0) {
  return {store(draw, x.m, x.k, ta, slack), store(draw, x.k, x.n, tb, 2 * slack),
          store(draw, x.m, x.n, false, 3 * slack)};
}

// Of an A of zeros and a B of NaN.
inline void expect_nan_stays(Draw& draw) {
  const Problem p = draw_problem(draw, draw_sizes(draw, 2, 9));
  p.a.memory.fill(0);
  p.b.memory.fill(NAN);
  const std::vector<double> c = p.run(Write::assign).to_vector();
  expect(std::all_of(c.begin(), c.end(), [](double value) { return std::isnan(value); }),
         "A is 0, B is NaN, and C is a number: 0 times NaN is NaN. Who leaves out such products "
         "hides what went wrong before.");
}

// The same bits by any number of threads, and for a row without the others.
inline void expect_same_bits(Draw& draw, Sizes x) {
  const Tensor a = draw.normal({x.m, x.k}, DType::f32), b = draw.normal({x.k, x.n}, DType::f32);
  const auto run = [&](int64_t begin, int64_t end) {
    const Tensor c = unwritten({end - begin, x.n}, DType::f32);
    cpu::gemm<float>({c.data<float>(), end - begin, x.n, x.n},
                     {a.data<float>() + begin * x.k, end - begin, x.k, x.k},
                     {b.data<float>(), x.k, x.n, x.n}, Write::assign);
    return c;
  };
  set_num_threads(1);
  const Tensor alone = run(0, x.m);
  set_num_threads(3);
  Tensor together = run(0, x.m);  // what threads share by mistake shows when they meet there
  const int64_t rounds = 100'000'000 / (x.m * x.n * x.k);
  for (int i = 0; i < rounds && std::memcmp(together.raw(), alone.raw(), alone.bytes()) == 0; ++i) {
    together = run(0, x.m);
  }
  expect_close("C", together, alone,
               {.tolerance = kExact,
                .law = "a result must not depend on the number of threads",
                .want = "yours by one thread",
                .got = "yours by three"});
  const int64_t row = draw.between(1, x.m - 1);
  expect_close("one row of C alone", run(row, row + 1),
               range_of(alone, row * x.n, (row + 1) * x.n, {1, x.n}),
               {.tolerance = kExact,
                .law = "every element is summed in the order of k, whatever is beside it: so a "
                       "dialogue's numbers do not depend on its batch",
                .want = "yours, among others",
                .got = "yours, alone"});
}

// Of processor time, so that a busy machine changes less: the best of the rounds, three at least,
// that fit into a fifth of a second. For what one thread does.
inline double best_seconds(const std::function<void()>& round) {
  const auto now = [] {
    timespec time;
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  double best = 1e9;
  const double begin = now();
  for (int rounds = 0; rounds < 3 || now() - begin < 0.2; ++rounds) {
    const double before = now();
    round();
    best = std::min(best, now() - before);
  }
  return best;
}

// 10^9 operations a second.
inline double gflops(Sizes x, const std::function<void()>& multiply) {
  return 2e-9 * static_cast<double>(x.m * x.n * x.k) / best_seconds(multiply);
}

}  // namespace heed::lab
