#include "tensor/kernels/pooling.h"

#include "tensor/cuda/launch.h"
#include "tensor/kernels/reduce.h"
#include "tensor/kernels/sums.h"

namespace heed::gpu {

// A thread for each element of y, so that neighbours read neighbours.

template <class T>
void segment_mean_forward(T* y, const T* x, const int32_t* offsets, const int32_t* starts,
                          int64_t segments, int64_t width) {
  for_each(segments * width, [=] __device__(int64_t at) {
    const int64_t b = at / width, length = offsets[b + 1] - offsets[b];
    const T* first = x + starts[b] * width + at % width;
    LongSum<T> sum;
    for (int64_t j = 0; j < length; ++j) sum.add(first[j * width]);
    y[at] = T(sum.total() / static_cast<double>(length));
  });
}

template <class T>
void segment_mean_backward(T* dx, const T* dy, const int32_t* offsets, const int32_t* starts,
                           int64_t segments, int64_t width) {
  for_each(segments * width, [=] __device__(int64_t at) {
    const int64_t b = at / width, length = offsets[b + 1] - offsets[b];
    T* first = dx + starts[b] * width + at % width;
    const T part = dy[at] / T(length);
    for (int64_t j = 0; j < length; ++j) first[j * width] += part;
  });
}

template <class T>
void segment_max_forward(T* y, int32_t* where, const T* x, const int32_t* offsets,
                         const int32_t* starts, int64_t segments, int64_t width) {
  for_each(segments * width, [=] __device__(int64_t at) {
    const int64_t b = at / width, i = at % width;
    int64_t best = starts[b];
    const int64_t last = best + offsets[b + 1] - offsets[b];
    for (int64_t row = best + 1; row < last; ++row) {
      if (beats(x[row * width + i], x[best * width + i])) best = row;
    }
    y[at] = x[best * width + i];
    where[at] = static_cast<int32_t>(best);
  });
}

HEED_INSTANTIATE(segment_mean_forward, segment_mean_backward, segment_max_forward);

}  // namespace heed::gpu
