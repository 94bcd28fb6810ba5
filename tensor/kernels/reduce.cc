#include "tensor/kernels/reduce.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/columns.h"
#include "tensor/parallel.h"

namespace heed::cpu {

namespace {

constexpr int64_t kPiece = 65536;  // elements that are summed in one go

// Sums of contiguous rows, long ones in pieces of fixed length.
template <class T> void sum_contiguous(T* y, const T* x, T scale, int64_t outer, int64_t n) {
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  std::vector<T> partial(outer * pieces);
  parallel_for(outer * pieces, [&](int64_t i) {
    const T* first = x + i / pieces * n + i % pieces * kPiece;
    const int64_t count = std::min(kPiece, n - i % pieces * kPiece);
    T sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t j = 0; j < count; ++j) sum += first[j];
    partial[i] = sum;
  });
  for (int64_t o = 0; o < outer; ++o) {
    T sum = 0;
    for (int64_t p = 0; p < pieces; ++p) sum += partial[o * pieces + p];
    y[o] = scale * sum;
  }
}

// sum (cols) = the sum of rows of x, which are `stride` apart
template <class T> void add_rows(T* sum, const T* x, int64_t rows, int64_t cols, int64_t stride) {
  std::fill_n(sum, cols, T(0));
  for (int64_t j = 0; j < rows; ++j) {
    const T* row = x + j * stride;
#pragma omp simd
    for (int64_t c = 0; c < cols; ++c) sum[c] += row[c];
  }
}

}  // namespace

// Else in strips of columns, long ones in pieces of rows.
template <class T>
void sum_forward(T* y, const T* x, T scale, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) return sum_contiguous(y, x, scale, outer, n);
  constexpr int64_t kCols = 2048;  // whose sums stay in the first cache
  const int64_t width = std::clamp<int64_t>(inner, 1, kCols), rows = kPiece / width;
  const int64_t pieces = (n + rows - 1) / rows, strips = (inner + kCols - 1) / kCols;
  std::vector<T> partial(pieces > 1 ? outer * pieces * inner : 0);
  T* sums = pieces > 1 ? partial.data() : y;  // (outer, pieces, inner)
  const int64_t grain = kPiece / (std::min(n, rows) * width + 1) + 1;
  parallel_ranges(outer * pieces * strips, grain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t piece = i / strips, first = i % strips * kCols;  // piece: of (outer, pieces)
      const int64_t from = piece % pieces * rows, o = piece / pieces;
      add_rows(sums + piece * inner + first, x + (o * n + from) * inner + first,
               std::min(rows, n - from), std::min(kCols, inner - first), inner);
    }
  });
  for_each_strip(outer, pieces, inner, [=](int64_t o, int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      T sum = 0;
      for (int64_t p = 0; p < pieces; ++p) sum += sums[(o * pieces + p) * inner + c];
      y[o * inner + c] = scale * sum;
    }
  });
}

template <class T>
void sum_backward(Out<T> dx, const T* dy, T scale, int64_t outer, int64_t n, int64_t inner) {
  parallel_ranges(outer * n, 16384 / (inner + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      const T* from = dy + row / n * inner;
      for (int64_t i = 0; i < inner; ++i) dx.put(row * inner + i, scale * from[i]);
    }
  });
}

template <class T>
void max_forward(T* y, int32_t* where, const T* x, int64_t outer, int64_t n, int64_t inner) {
  for_each_strip(outer, n, inner, [=](int64_t o, int64_t begin, int64_t end) {
    const T* first = x + o * n * inner;
    std::copy(first + begin, first + end, y + o * inner + begin);
    std::fill(where + o * inner + begin, where + o * inner + end, 0);
    for (int64_t j = 1; j < n; ++j) {
      for (int64_t i = begin; i < end; ++i) {
        if (!beats(first[j * inner + i], y[o * inner + i])) continue;
        y[o * inner + i] = first[j * inner + i];
        where[o * inner + i] = static_cast<int32_t>(j);
      }
    }
  });
}

template <class T>
void max_backward(T* dx, const int32_t* where, const T* dy, int64_t outer, int64_t n,
                  int64_t inner) {
  for_each_strip(outer, 1, inner, [=](int64_t o, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      dx[(o * n + where[o * inner + i]) * inner + i] += dy[o * inner + i];
    }
  });
}

template <class T>
void cumsum(Out<T> y, const T* x, int reverse, int64_t outer, int64_t n, int64_t inner) {
  for_each_strip(outer, n, inner, [=](int64_t o, int64_t begin, int64_t end) {
    std::vector<T> sum(end - begin);
    for (int64_t step = 0; step < n; ++step) {
      const int64_t row = (o * n + (reverse ? n - 1 - step : step)) * inner;
      for (int64_t i = begin; i < end; ++i) {
        sum[i - begin] += x[row + i];
        y.put(row + i, sum[i - begin]);
      }
    }
  });
}

HEED_INSTANTIATE(sum_forward);
HEED_INSTANTIATE(sum_backward);
HEED_INSTANTIATE(max_forward);
HEED_INSTANTIATE(max_backward);
HEED_INSTANTIATE(cumsum);

}  // namespace heed::cpu
