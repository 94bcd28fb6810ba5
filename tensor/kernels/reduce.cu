#include "tensor/kernels/reduce.h"

#include <limits>

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"
#include "tensor/kernels/sums.h"

namespace heed::gpu {

constexpr int64_t kPiece = 8192;  // elements that one block sums

// A block for each piece of each row of x (outer, n): y = scale * the sum of the piece.
template <class Y, class X>
__global__ void sum_kernel(Y* y, const X* x, double scale, int64_t n, int64_t piece) {
  const int64_t pieces = n > 0 ? (n + piece - 1) / piece : 1;
  const int64_t row = blockIdx.x / pieces, begin = blockIdx.x % pieces * piece;
  const int64_t end = begin + piece < n ? begin + piece : n;
  LongSum<X> sum;
  for (int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) sum.add(x[row * n + j]);
  const double total = block_sum(sum.total());
  if (threadIdx.x == 0) y[blockIdx.x] = static_cast<Y>(scale * total);
}

// Sums of contiguous rows; of long ones first the pieces, then the sums of these.
template <class T> void sum_contiguous(T* y, const T* x, double scale, int64_t outer, int64_t n) {
  if (n <= kPiece) {
    launch<sum_kernel<T, T>>({outer, row_threads(n)}, y, x, scale, n, n);
    return;
  }
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  double* const partial = cuda::scratch<double>(outer * pieces);
  launch<sum_kernel<double, T>>({outer * pieces, row_threads(kPiece)}, partial, x, 1.0, n, kPiece);
  launch<sum_kernel<T, double>>({outer, row_threads(pieces)}, y,
                                static_cast<const double*>(partial), scale, pieces, pieces);
}

constexpr int64_t kRows = 1024;  // rows that one block sums

// A block for 32 columns of each piece of rows of x (outer, n, inner):
//   y (outer, pieces, inner) = scale * the sum of the piece
template <class Y, class X>
__global__ void sum_columns_kernel(Y* y, const X* x, double scale, int64_t n, int64_t inner,
                                   int64_t rows) {
  const int64_t strips = (inner + kWarp - 1) / kWarp, pieces = (n + rows - 1) / rows;
  const int64_t piece = blockIdx.x / strips;  // of (outer, pieces)
  const int64_t col = blockIdx.x % strips * kWarp + threadIdx.x;
  const int64_t begin = piece % pieces * rows, end = begin + rows < n ? begin + rows : n;
  const X* first = x + piece / pieces * n * inner + col;
  LongSum<X> sum;
  for (int64_t row = begin + threadIdx.y; row < end && col < inner; row += kDown) {
    sum.add(first[row * inner]);
  }
  const double total = column_sum(sum.total());
  if (threadIdx.y == 0 && col < inner) y[piece * inner + col] = static_cast<Y>(scale * total);
}

template <class T>
void sum_columns(T* y, const T* x, double scale, int64_t outer, int64_t n, int64_t inner) {
  const int64_t strips = (inner + kWarp - 1) / kWarp, pieces = (n + kRows - 1) / kRows;
  const dim3 threads(kWarp, kDown);
  if (pieces == 1) {
    launch<sum_columns_kernel<T, T>>({outer * strips, threads}, y, x, scale, n, inner, n);
    return;
  }
  double* const partial = cuda::scratch<double>(outer * pieces * inner);
  launch<sum_columns_kernel<double, T>>({outer * pieces * strips, threads}, partial, x, 1.0, n,
                                        inner, kRows);
  launch<sum_columns_kernel<T, double>>({outer * strips, threads}, y,
                                        static_cast<const double*>(partial), scale, pieces, inner,
                                        pieces);
}

template <class T>
void sum_forward(T* y, const T* x, double scale, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) return sum_contiguous(y, x, scale, outer, n);
  if (n >= kWarp) return sum_columns(y, x, scale, outer, n, inner);
  for_each(outer * inner, [=] __device__(int64_t i) {  // too few to share out
    const T* first = x + i / inner * n * inner + i % inner;
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += first[j * inner];
    y[i] = static_cast<T>(scale * sum);
  });
}

// A block for each row of x (outer, n): the first of the largest, or the first NaN.
template <class T> void max_of_rows(T* y, int32_t* where, const T* x, int64_t outer, int64_t n) {
  for_each_block({outer, row_threads(n)}, [=] __device__(int64_t o) {
    const T* const row = x + o * n;
    using Limits = std::numeric_limits<T>;
    T max = Limits::has_infinity ? -Limits::infinity() : Limits::lowest();
    int nan = 0;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
      max = Max::apply(row[i], max);
      nan |= row[i] != row[i];
    }
    max = block_max(max);
    nan = block_max(nan);
    int64_t first = -n;  // the place, negated
    for (int64_t i = threadIdx.x; i < n && first == -n; i += blockDim.x) {
      if (nan ? row[i] != row[i] : row[i] == max) first = -i;
    }
    first = block_max(first);
    if (threadIdx.x > 0) return;
    where[o] = static_cast<int32_t>(-first);
    y[o] = row[-first];
  });
}

template <class T>
void max_forward(T* y, int32_t* where, const T* x, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1 && n >= kWarp) return max_of_rows(y, where, x, outer, n);
  for_each(outer * inner, [=] __device__(int64_t i) {
    const T* first = x + i / inner * n * inner + i % inner;
    int64_t best = 0;
    for (int64_t j = 1; j < n; ++j) {
      if (beats(first[j * inner], first[best * inner])) best = j;
    }
    where[i] = static_cast<int32_t>(best);
    y[i] = first[best * inner];
  });
}

// A thread for each product.
template <class T>
void prod_forward(T* y, T* before, const T* x, int64_t outer, int64_t n, int64_t inner) {
  for_each(outer * inner, [=] __device__(int64_t i) {
    const int64_t first = i / inner * n * inner + i % inner;
    T product = 1;
    for (int64_t at = first; at < first + n * inner; at += inner) {
      before[at] = product;
      product *= x[at];
    }
    y[i] = product;
  });
}

template <class T>
void prod_backward(Out<T> dx, const T* x, const T* before, const T* dy, int64_t outer, int64_t n,
                   int64_t inner) {
  for_each(outer * inner, [=] __device__(int64_t i) {
    const int64_t first = i / inner * n * inner + i % inner;
    T after = dy[i];
    for (int64_t at = first + (n - 1) * inner; at >= first; at -= inner) {
      dx.put(at, before[at] * after);
      after *= x[at];
    }
  });
}

// One warp for each row, 32 elements at a time: sums over the lanes, on top of what came before.
template <class T> void scan_rows(Out<T> y, const T* x, int reverse, int64_t outer, int64_t n) {
  for_each_block({n > 0 ? outer : 0, kWarp}, [=] __device__(int64_t row) {
    const int lane = threadIdx.x;
    double before = 0;
    for (int64_t group = 0; group < n; group += kWarp) {
      const int64_t step = group + lane, at = row * n + (reverse ? n - 1 - step : step);
      double sum = step < n ? x[at] : T(0);
      for (int distance = 1; distance < kWarp; distance *= 2) {
        const double lower = __shfl_up_sync(kAllLanes, sum, distance);
        if (lane >= distance) sum += lower;
      }
      sum += before;
      if (step < n) y.put(at, static_cast<T>(sum));
      before = __shfl_sync(kAllLanes, sum, kWarp - 1);
    }
  });
}

template <class T>
void cumsum(Out<T> y, const T* x, int reverse, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) return scan_rows(y, x, reverse, outer, n);
  for_each(outer * inner, [=] __device__(int64_t i) {  // a thread for each column
    const int64_t first = i / inner * n * inner + i % inner;
    double sum = 0;
    for (int64_t step = 0; step < n; ++step) {
      const int64_t at = first + (reverse ? n - 1 - step : step) * inner;
      sum += x[at];
      y.put(at, static_cast<T>(sum));
    }
  });
}

template <class T> void sum_rows(T* db, const T* dy, int64_t rows, int64_t cols) {
  for_each_block({(cols + kWarp - 1) / kWarp, dim3(kWarp, kDown)}, [=] __device__(int64_t strip) {
    const int64_t col = strip * kWarp + threadIdx.x;
    LongSum<T> sum;
    for (int64_t row = threadIdx.y; row < rows && col < cols; row += kDown) {
      sum.add(dy[row * cols + col]);
    }
    const double total = column_sum(sum.total());
    if (threadIdx.y == 0 && col < cols) db[col] += static_cast<T>(total);
  });
}

HEED_INSTANTIATE(sum_forward, max_forward, prod_forward, prod_backward, cumsum, sum_rows);
HEED_INSTANTIATE_I32(max_forward);

}  // namespace heed::gpu
