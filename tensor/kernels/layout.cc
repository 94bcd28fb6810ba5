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
void convert(double* y, const int32_t* x, int64_t n) {
  std::copy(x, x + n, y);
}
void convert(float* y, const int32_t* x, int64_t n) {
  std::transform(x, x + n, y, [](int32_t v) { return static_cast<float>(v); });
}

// In tiles: neighbours in x are far apart in y, and the other way round, so a line of cache would
// be gone before it is used up.
template <class T>
void swap_axes(Out<T> y, const T* x, int64_t outer, int64_t a, int64_t mid, int64_t b,
               int64_t inner) {
  constexpr int64_t kTile = 32;
  const int64_t strips = (b + kTile - 1) / kTile, step = mid * b * inner;
  parallel_ranges(
      outer * mid * strips, 16384 / (kTile * a * inner + 1) + 1, [=](int64_t begin, int64_t end) {
        for (int64_t strip = begin; strip < end; ++strip) {
          const int64_t o = strip / (mid * strips), m = strip / strips % mid;
          const int64_t first = strip % strips * kTile, last = std::min(first + kTile, b);
          for (int64_t tile = 0; tile < a; tile += kTile) {
            for (int64_t j = first; j < last; ++j) {
              const T* from = x + ((o * a * mid + m) * b + j) * inner;
              const Out<T> to = y.from(((o * b + j) * mid + m) * a * inner);
              for (int64_t i = tile; i < std::min(tile + kTile, a); ++i) {
                for (int64_t k = 0; k < inner; ++k) to.put(i * inner + k, from[i * step + k]);
              }
            }
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

// A run along the last axis is either copied or one element of x, repeated.
template <class T> void expand_forward(T* y, const T* x, const Broadcast& map) {
  const int64_t width = map.size[5];
  int64_t runs = 1;
  for (int axis = 0; axis < 5; ++axis) runs *= map.size[axis];
  parallel_ranges(runs, 16384 / (width + 1) + 1, [&](int64_t begin, int64_t end) {
    int64_t at[5], from = 0, rest = begin;
    for (int axis = 4; axis >= 0; rest /= map.size[axis--]) {
      at[axis] = rest % map.size[axis];
      from += at[axis] * map.stride[axis];
    }
    for (int64_t run = begin; run < end; ++run) {
      if (map.stride[5] == 0) {
        std::fill_n(y + run * width, width, x[from]);
      } else {
        std::copy_n(x + from, width, y + run * width);
      }
      for (int axis = 4; axis >= 0; --axis) {  // on to the next run
        from += map.stride[axis];
        if (++at[axis] < map.size[axis]) break;
        from -= at[axis] * map.stride[axis];
        at[axis] = 0;
      }
    }
  });
}

HEED_INSTANTIATE(swap_axes);
HEED_INSTANTIATE(copy_block);
HEED_INSTANTIATE(expand_forward);
template decltype(expand_forward<int32_t>) expand_forward<int32_t>;

}  // namespace heed::cpu
