#include "tensor/kernels/reduce.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/columns.h"
#include "tensor/parallel.h"

namespace heed::cpu {

namespace {

constexpr int64_t kPiece = 65536;  // elements that are summed in one go

// Sums of contiguous rows, long ones in pieces of fixed length.
template <class T> void sum_contiguous(T* y, const T* x, double scale, int64_t outer, int64_t n) {
  if (n <= kPiece) {
    return for_each_row(outer, n / 4,
                        [=](int64_t o) { y[o] = static_cast<T>(scale * long_sum(x + o * n, n)); });
  }
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  std::vector<double> partial(outer * pieces);
  parallel_for(outer * pieces, [&](int64_t i) {
    const int64_t begin = i % pieces * kPiece;
    partial[i] = long_sum(x + i / pieces * n + begin, std::min(kPiece, n - begin));
  });
  for (int64_t o = 0; o < outer; ++o) {
    double sum = 0;
    for (int64_t p = 0; p < pieces; ++p) sum += partial[o * pieces + p];
    y[o] = static_cast<T>(scale * sum);
  }
}

// y (outer, inner) = scale * the sums of few rows, whose order is theirs
template <class T>
void sum_few(T* y, const T* x, double scale, int64_t outer, int64_t n, int64_t inner) {
  for_each_strip(outer, n, inner, [=](int64_t o, int64_t begin, int64_t end) {
    T* const sum = y + o * inner;
    std::fill(sum + begin, sum + end, T(0));
    for (int64_t j = 0; j < n; ++j)
      row_axpy(sum + begin, T(1), x + (o * n + j) * inner + begin, end - begin);
    for (int64_t i = begin; i < end; ++i) sum[i] = static_cast<T>(scale * sum[i]);
  });
}

}  // namespace

// Else in strips of columns, long ones in pieces of rows.
template <class T>
void sum_forward(T* y, const T* x, double scale, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) return sum_contiguous(y, x, scale, outer, n);
  if (n <= kTerms) return sum_few(y, x, scale, outer, n, inner);
  constexpr int64_t kCols = 2048;  // whose sums stay in the first cache
  const int64_t width = std::clamp<int64_t>(inner, 1, kCols), rows = kPiece / width;
  const int64_t pieces = (n + rows - 1) / rows, strips = (inner + kCols - 1) / kCols;
  std::vector<double> partial(outer * pieces * inner);
  double* const sums = partial.data();  // (outer, pieces, inner)
  const int64_t grain = kPiece / (std::min(n, rows) * width + 1) + 1;
  parallel_ranges(outer * pieces * strips, grain, [=](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t piece = i / strips, first = i % strips * kCols;  // piece: of (outer, pieces)
      const int64_t from = piece % pieces * rows, o = piece / pieces;
      const T* const at = x + (o * n + from) * inner + first;
      add_rows<T>(sums + piece * inner + first, std::min(rows, n - from),
                  std::min(kCols, inner - first),
                  [=](int64_t row, int64_t col) { return at[row * inner + col]; });
    }
  });
  for_each_strip(outer, pieces, inner, [=](int64_t o, int64_t begin, int64_t end) {
    for (int64_t c = begin; c < end; ++c) {
      double sum = 0;
      for (int64_t p = 0; p < pieces; ++p) sum += sums[(o * pieces + p) * inner + c];
      y[o * inner + c] = static_cast<T>(scale * sum);
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
void prod_forward(T* y, T* before, const T* x, int64_t outer, int64_t n, int64_t inner) {
  for_each_strip(outer, n, inner, [=](int64_t o, int64_t begin, int64_t end) {
    T* const product = y + o * inner;
    std::fill(product + begin, product + end, T(1));
    for (int64_t row = o * n; row < (o + 1) * n; ++row) {
      for (int64_t i = begin; i < end; ++i) {
        before[row * inner + i] = product[i];
        product[i] *= x[row * inner + i];
      }
    }
  });
}

template <class T>
void prod_backward(Out<T> dx, const T* x, const T* before, const T* dy, int64_t outer, int64_t n,
                   int64_t inner) {
  for_each_strip(outer, n, inner, [=](int64_t o, int64_t begin, int64_t end) {
    std::vector<T> after(dy + o * inner + begin, dy + o * inner + end);  // times dy
    for (int64_t row = (o + 1) * n - 1; row >= o * n; --row) {
      for (int64_t i = begin; i < end; ++i) {
        dx.put(row * inner + i, before[row * inner + i] * after[i - begin]);
        after[i - begin] *= x[row * inner + i];
      }
    }
  });
}

template <class T>
void cumsum(Out<T> y, const T* x, int reverse, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) {
    return for_each_row(outer, n, [=](int64_t row) {
      double sum = 0;
      const int64_t first = reverse ? row * n + n - 1 : row * n, next = reverse ? -1 : 1;
      for (int64_t step = 0; step < n; ++step) {
        sum += x[first + step * next];
        y.put(first + step * next, static_cast<T>(sum));
      }
    });
  }
  for_each_strip(outer, n, inner, [=](int64_t o, int64_t begin, int64_t end) {
    std::vector<double> sum(end - begin);
    for (int64_t step = 0; step < n; ++step) {
      const int64_t row = (o * n + (reverse ? n - 1 - step : step)) * inner;
      for (int64_t i = begin; i < end; ++i) {
        sum[i - begin] += x[row + i];
        y.put(row + i, static_cast<T>(sum[i - begin]));
      }
    }
  });
}

template <class T> void sum_rows(T* db, const T* dy, int64_t rows, int64_t cols) {
  parallel_ranges(cols, kLanes, [=](int64_t begin, int64_t end) {  // a column belongs to one thread
    double sum[kLanes] = {};
    add_rows<T>(sum, rows, end - begin,
                [=](int64_t row, int64_t i) { return dy[row * cols + begin + i]; });
    for (int64_t i = begin; i < end; ++i) db[i] += static_cast<T>(sum[i - begin]);
  });
}

HEED_INSTANTIATE(sum_forward, max_forward, prod_forward, prod_backward, cumsum, sum_rows);
HEED_INSTANTIATE_I32(max_forward);

}  // namespace heed::cpu
