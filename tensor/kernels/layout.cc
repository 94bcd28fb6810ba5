#include "tensor/kernels/layout.h"

#include <algorithm>

#include "tensor/parallel.h"

namespace heed::cpu {

void convert(double* y, const float* x, int64_t n) {
  std::copy(x, x + n, y);
}
void convert(float* y, const double* x, int64_t n) {
  std::transform(x, x + n, y, [](double v) { return static_cast<float>(v); });
}

template <class T>
void swap_axes(Out<T> y, const T* x, int64_t outer, int64_t a, int64_t mid, int64_t b,
               int64_t inner) {
  parallel_for(outer * b, [=](int64_t row) {
    const int64_t o = row / b, j = row % b;
    for (int64_t m = 0; m < mid; ++m) {
      for (int64_t i = 0; i < a; ++i) {
        const T* from = x + (((o * a + i) * mid + m) * b + j) * inner;
        const Out<T> to = y.from((((o * b + j) * mid + m) * a + i) * inner);
        for (int64_t k = 0; k < inner; ++k) to.put(k, from[k]);
      }
    }
  });
}

template <class T>
void copy_block(Out<T> y, int64_t y_stride, const T* x, int64_t x_stride, int64_t rows,
                int64_t width) {
  parallel_ranges(rows, 16384 / (width + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const Out<T> to = y.from(r * y_stride);
      const T* from = x + r * x_stride;
#pragma omp simd
      for (int64_t i = 0; i < width; ++i) to.put(i, from[i]);
    }
  });
}

// Calls body(position in y, position in x) for the first element of each run along the last axis.
template <class Body> static void for_each_run(const Broadcast& m, Body body) {
  const auto* n = m.size;
  const auto* s = m.stride;
  int64_t at = 0;
  for (int64_t i = 0; i < n[0]; ++i)
    for (int64_t j = 0; j < n[1]; ++j)
      for (int64_t k = 0; k < n[2]; ++k)
        for (int64_t l = 0; l < n[3]; ++l)
          for (int64_t o = 0; o < n[4]; ++o, at += n[5])
            body(at, i * s[0] + j * s[1] + k * s[2] + l * s[3] + o * s[4]);
}

template <class T> void expand_forward(T* y, const T* x, const Broadcast& map) {
  for_each_run(map, [&](int64_t to, int64_t from) {
    for (int64_t p = 0; p < map.size[5]; ++p) y[to + p] = x[from + p * map.stride[5]];
  });
}

template <class T> void expand_backward(T* dx, const T* dy, const Broadcast& map) {
  for_each_run(map, [&](int64_t to, int64_t from) {
    for (int64_t p = 0; p < map.size[5]; ++p) dx[from + p * map.stride[5]] += dy[to + p];
  });
}

HEED_INSTANTIATE(swap_axes);
HEED_INSTANTIATE(copy_block);
HEED_INSTANTIATE(expand_forward);
HEED_INSTANTIATE(expand_backward);

}  // namespace heed::cpu
