#include "tensor/kernels/pooling.h"

#include <algorithm>
#include <vector>

#include "tensor/kernels/columns.h"
#include "tensor/kernels/reduce.h"

namespace heed::cpu {

// No two segments share rows where there is a gradient, so each belongs to one thread.

template <class T>
void segment_mean_forward(T* y, const T* x, const int32_t* offsets, const int32_t* starts,
                          int64_t segments, int64_t width) {
  parallel_for(segments, [=](int64_t b) {
    const int64_t length = offsets[b + 1] - offsets[b];
    const T* rows = x + int64_t{starts[b]} * width;
    T* to = y + b * width;
    if (length > kTerms) {
      std::vector<double> sums(width);
      add_rows<T>(sums.data(), length, width,
                  [=](int64_t j, int64_t i) { return rows[j * width + i]; });
      for (int64_t i = 0; i < width; ++i) to[i] = T(sums[i] / static_cast<double>(length));
      return;
    }
    std::fill_n(to, width, T(0));
    for (int64_t j = 0; j < length; ++j) row_axpy(to, T(1), rows + j * width, width);
    for (int64_t i = 0; i < width; ++i) to[i] /= T(length);
  });
}

template <class T>
void segment_mean_backward(T* dx, const T* dy, const int32_t* offsets, const int32_t* starts,
                           int64_t segments, int64_t width) {
  parallel_for(segments, [=](int64_t b) {
    const int64_t length = offsets[b + 1] - offsets[b];
    T* rows = dx + int64_t{starts[b]} * width;
    for (int64_t j = 0; j < length; ++j) {
      row_axpy(rows + j * width, T(1) / T(length), dy + b * width, width);
    }
  });
}

template <class T>
void segment_max_forward(T* y, int32_t* where, const T* x, const int32_t* offsets,
                         const int32_t* starts, int64_t segments, int64_t width) {
  parallel_for(segments, [=](int64_t b) {
    const int32_t first = starts[b], last = first + offsets[b + 1] - offsets[b];
    std::copy_n(x + first * width, width, y + b * width);
    std::fill_n(where + b * width, width, first);
    for (int32_t row = first + 1; row < last; ++row) {
      for (int64_t i = 0; i < width; ++i) {
        if (!beats(x[row * width + i], y[b * width + i])) continue;
        y[b * width + i] = x[row * width + i];
        where[b * width + i] = row;
      }
    }
  });
}

HEED_INSTANTIATE(segment_mean_forward, segment_mean_backward, segment_max_forward);

}  // namespace heed::cpu
