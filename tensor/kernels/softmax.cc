#include "tensor/kernels/softmax.h"

#include "tensor/kernels/columns.h"
#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

template <class T> void softmax_row(T* y, const T* x, int64_t n) {
  const T sum = row_exp(y, x, row_max(x, n), n);
  const T scale = T(1) / sum;
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) y[i] *= scale;
}

template <class T> void softmax_row_backward(Out<T> dx, const T* y, const T* dy, int64_t n) {
  const T dot = row_dot(y, dy, n);
#pragma omp simd
  for (int64_t i = 0; i < n; ++i) dx.put(i, y[i] * (dy[i] - dot));
}

}  // namespace

template <class T> void softmax_forward(T* y, const T* x, int64_t rows, int64_t cols) {
  for_each_row(rows, 4 * cols,
               [=](int64_t row) { softmax_row(y + row * cols, x + row * cols, cols); });
}

template <class T>
void softmax_backward(Out<T> dx, const T* y, const T* dy, int64_t rows, int64_t cols) {
  for_each_row(rows, 4 * cols, [=](int64_t row) {
    const int64_t r = row * cols;
    softmax_row_backward(dx.from(r), y + r, dy + r, cols);
  });
}

template <class T> void log_softmax_forward(T* y, const T* x, int64_t rows, int64_t cols) {
  for_each_row(rows, 4 * cols, [=](int64_t row) {
    const int64_t r = row * cols;
    const T max = row_max(x + r, cols);
    const T log_sum = std::log(row_sum_exp(x + r, max, cols));
    for (int64_t i = 0; i < cols; ++i) y[r + i] = (x[r + i] - max) - log_sum;
  });
}

template <class T>
void log_softmax_backward(Out<T> dx, const T* y, const T* dy, int64_t rows, int64_t cols) {
  for_each_row(rows, 4 * cols, [=](int64_t row) {
    const int64_t r = row * cols;
    const T sum = static_cast<T>(long_sum(dy + r, cols));
#pragma omp simd
    for (int64_t i = r; i < r + cols; ++i) dx.put(i, dy[i] - math::exp(y[i]) * sum);
  });
}

template <class T>
void segment_softmax_forward(T* y, const T* x, const int32_t* offsets, int64_t segments) {
  parallel_ranges(segments, 8, [=](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      softmax_row(y + offsets[s], x + offsets[s], offsets[s + 1] - offsets[s]);
    }
  });
}

template <class T>
void segment_softmax_backward(Out<T> dx, const T* y, const T* dy, const int32_t* offsets,
                              int64_t segments) {
  parallel_ranges(segments, 8, [=](int64_t begin, int64_t end) {
    for (int64_t s = begin; s < end; ++s) {
      const int64_t at = offsets[s];
      softmax_row_backward(dx.from(at), y + at, dy + at, offsets[s + 1] - at);
    }
  });
}

HEED_INSTANTIATE(softmax_forward, softmax_backward, log_softmax_forward, log_softmax_backward,
                 segment_softmax_forward, segment_softmax_backward);

}  // namespace heed::cpu
