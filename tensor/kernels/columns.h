// Work on columns, for the CPU kernels: along the middle axis of x (outer, n, inner), outer * inner
// columns of n elements each, and long sums (tensor/kernels/sums.h).
#pragma once

#include <algorithm>
#include <cstdint>

#include "tensor/kernels/row_math.h"
#include "tensor/kernels/sums.h"
#include "tensor/parallel.h"

namespace heed::cpu {

// Calls body(o, begin, end) for ranges of neighbouring columns [begin, end) of block o, on all
// threads. A column belongs to one thread.
template <class Body>
void for_each_strip(int64_t outer, int64_t n, int64_t inner, const Body& body) {
  const int64_t fewest = std::min<int64_t>(inner, 64);  // whole cache lines
  const int64_t grain = std::max(16384 / (n + 1) + 1, fewest);
  parallel_ranges(outer * inner, grain, [=](int64_t begin, int64_t end) {
    for (int64_t at = begin; at < end;) {
      const int64_t o = at / inner, stop = std::min(end, (o + 1) * inner);
      body(o, at - o * inner, stop - o * inner);
      at = stop;
    }
  });
}

constexpr int64_t kLanes = 64;  // neighbouring sums, which vector instructions add side by side

// total[i] += the sum of value(row, i) over `terms` rows, for i < width
template <class T, int terms, class Value>
void add_terms(double* total, int64_t first, int64_t width, const Value& value) {
#pragma omp simd
  for (int64_t i = 0; i < width; ++i) {
    T part = 0;
    for (int k = 0; k < terms; ++k) part += value(first + k, i);
    total[i] += part;
  }
}

// The same over all rows.
template <class T, class Value>
void add_rows(double* total, int64_t rows, int64_t width, const Value& value) {
  int64_t row = 0;
  for (; row + kTerms <= rows; row += kTerms) add_terms<T, kTerms>(total, row, width, value);
  for (; row + 4 <= rows; row += 4) add_terms<T, 4>(total, row, width, value);
  for (; row < rows; ++row) add_terms<T, 1>(total, row, width, value);
}

// The sum of n neighbours. Many of them are summed as kLanes columns, and then the rest.
template <class T> double long_sum(const T* x, int64_t n) {
  if (n <= 4 * kLanes) return row_sum(x, n);
  const int64_t rows = n / kLanes;
  double lanes[kLanes] = {};
  add_rows<T>(lanes, rows, kLanes, [=](int64_t row, int64_t i) { return x[row * kLanes + i]; });
  return row_sum(lanes, kLanes) + row_sum(x + rows * kLanes, n - rows * kLanes);
}

}  // namespace heed::cpu
