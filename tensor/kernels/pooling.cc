#include "tensor/kernels/pooling.h"

#include "tensor/kernels/each.h"
#include "tensor/kernels/reduce.h"

namespace heed::HEED_BACKEND {

constexpr int64_t kRows = 64;  // of a segment, as a guess: how much work a column is

// No two segments share rows where there is a gradient.

template <class T>
void segment_mean_forward(T* y, const T* x, const int32_t* offsets, const int32_t* starts,
                          int64_t segments, int64_t width) {
  for_each_columns(segments, kRows, width, [=] HEED_DEVICE(int64_t b, int64_t begin, int64_t end) {
    const int64_t length = offsets[b + 1] - offsets[b];
    const T* rows = x + int64_t{starts[b]} * width;
    T sum[kColumns] = {};
    for (int64_t j = 0; j < length; ++j) {
      for (int64_t i = begin; i < end; ++i) sum[i - begin] += rows[j * width + i];
    }
    for (int64_t i = begin; i < end; ++i) y[b * width + i] = sum[i - begin] / T(length);
  });
}

template <class T>
void segment_mean_backward(T* dx, const T* dy, const int32_t* offsets, const int32_t* starts,
                           int64_t segments, int64_t width) {
  for_each_strip(segments, kRows, width, [=] HEED_DEVICE(int64_t b, int64_t begin, int64_t end) {
    const int64_t length = offsets[b + 1] - offsets[b];
    const T part = T(1) / T(length);
    T* rows = dx + int64_t{starts[b]} * width;
    for (int64_t j = 0; j < length; ++j) {
      for (int64_t i = begin; i < end; ++i) rows[j * width + i] += part * dy[b * width + i];
    }
  });
}

template <class T>
void segment_max_forward(T* y, int32_t* where, const T* x, const int32_t* offsets,
                         const int32_t* starts, int64_t segments, int64_t width) {
  for_each_strip(segments, kRows, width, [=] HEED_DEVICE(int64_t b, int64_t begin, int64_t end) {
    const int32_t first = starts[b], last = first + offsets[b + 1] - offsets[b];
    for (int64_t i = begin; i < end; ++i) {
      y[b * width + i] = x[first * width + i];
      where[b * width + i] = first;
    }
    for (int32_t row = first + 1; row < last; ++row) {
      for (int64_t i = begin; i < end; ++i) {
        if (!beats<T>(x[row * width + i], y[b * width + i])) continue;
        y[b * width + i] = x[row * width + i];
        where[b * width + i] = row;
      }
    }
  });
}

HEED_INSTANTIATE(segment_mean_forward, segment_mean_backward, segment_max_forward);

}  // namespace heed::HEED_BACKEND
