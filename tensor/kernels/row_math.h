// Vectorised reductions over one row of memory, for the CPU kernels. `omp simd` allows the compiler
// to sum in vector lanes; the order is fixed by the build, never by threads or data.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

#include "tensor/kernels/math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

// Calls body(row) for all rows, on all threads. `cost` is the cost of one row, where copying a row
// costs the number of its elements.
template <class Body> void for_each_row(int64_t rows, int64_t cost, const Body& body) {
  parallel_ranges(rows, 16384 / (cost + 1) + 1, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) body(row);
  });
}

template <class T> inline T row_sum(const T* x, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += x[i];
  return sum;
}

template <class T> inline T row_max(const T* x, int64_t n) {
  T max = -std::numeric_limits<T>::infinity();
#pragma omp simd reduction(max : max)
  for (int64_t i = 0; i < n; ++i) max = x[i] > max ? x[i] : max;
  return max;
}

// y_i = exp(x_i - max); returns the sum of y.
template <class T> inline T row_exp(T* y, const T* x, T max, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) {
    y[i] = math::exp(x[i] - max);
    sum += y[i];
  }
  return sum;
}

// The same sum, without y.
template <class T> inline T row_sum_exp(const T* x, T max, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += math::exp(x[i] - max);
  return sum;
}

template <class T> inline T row_dot(const T* a, const T* b, int64_t n) {
  T sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// y += alpha x
template <class T> inline void row_axpy(T* y, T alpha, const T* x, int64_t n) {
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] += alpha * x[i];
}

}  // namespace heed::cpu
