#include "tensor/kernels/reduce.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

constexpr int64_t kPiece = 8192;  // elements that one block sums

// A block for each piece of each row of x (outer, n): y = scale * the sum of the piece.
template <class T> __global__ void sum_kernel(T* y, const T* x, T scale, int64_t n, int64_t piece) {
  const int64_t pieces = n > 0 ? (n + piece - 1) / piece : 1;
  const int64_t row = blockIdx.x / pieces, begin = blockIdx.x % pieces * piece;
  const int64_t end = begin + piece < n ? begin + piece : n;
  T sum = 0;
  for (int64_t j = begin + threadIdx.x; j < end; j += blockDim.x) sum += x[row * n + j];
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = scale * sum;
}

// Sums of contiguous rows; of long ones first the pieces, then the sums of these.
template <class T> void sum_contiguous(T* y, const T* x, T scale, int64_t outer, int64_t n) {
  if (n <= kPiece) {
    launch<sum_kernel<T>>({outer, row_threads(n)}, y, x, scale, n, n);
    return;
  }
  const int64_t pieces = (n + kPiece - 1) / kPiece;
  T* partial = cuda::scratch<T>(outer * pieces);
  launch<sum_kernel<T>>({outer * pieces, row_threads(kPiece)}, partial, x, T(1), n, kPiece);
  launch<sum_kernel<T>>({outer, row_threads(pieces)}, y, partial, scale, pieces, pieces);
}

template <class T>
void sum_forward(T* y, const T* x, T scale, int64_t outer, int64_t n, int64_t inner) {
  if (inner == 1) return sum_contiguous(y, x, scale, outer, n);
  for_each(outer * inner, [=] __device__(int64_t i) {
    const T* first = x + i / inner * n * inner + i % inner;
    T sum = 0;
    for (int64_t j = 0; j < n; ++j) sum += first[j * inner];
    y[i] = scale * sum;
  });
}

template <class T>
void sum_backward(Out<T> dx, const T* dy, T scale, int64_t outer, int64_t n, int64_t inner) {
  for_each(outer * n * inner, [=] __device__(int64_t i) {
    dx.put(i, scale * dy[i / (n * inner) * inner + i % inner]);
  });
}

template <class T>
void max_forward(T* y, int32_t* where, const T* x, int64_t outer, int64_t n, int64_t inner) {
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

template <class T>
void max_backward(T* dx, const int32_t* where, const T* dy, int64_t outer, int64_t n,
                  int64_t inner) {
  for_each(outer * inner, [=] __device__(int64_t i) {
    dx[(i / inner * n + where[i]) * inner + i % inner] += dy[i];
  });
}

HEED_INSTANTIATE(sum_forward);
HEED_INSTANTIATE(sum_backward);
HEED_INSTANTIATE(max_forward);
HEED_INSTANTIATE(max_backward);

}  // namespace heed::gpu
