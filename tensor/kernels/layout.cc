#include "tensor/kernels/layout.h"

#include <algorithm>

#include "tensor/kernels/row_math.h"

namespace heed::cpu {

constexpr int64_t kTile = 32;

// y_ji = x_ij for a tile of `rows` x `cols` elements, by way of a buffer: so both x and y are
// walked in runs of neighbours, whatever the strides.
template <class T>
static void transpose_tile(Out<T> y, int64_t y_stride, const T* x, int64_t x_stride, int64_t rows,
                           int64_t cols) {
  T tile[kTile][kTile];
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < cols; ++j) tile[j][i] = x[i * x_stride + j];
  }
  for (int64_t j = 0; j < cols; ++j) {
    const Out<T> to = y.from(j * y_stride);
    for (int64_t i = 0; i < rows; ++i) to.put(i, tile[j][i]);
  }
}

// Swaps axes 1 and 3 of (outer, a, mid, b).
template <class T>
static void swap_elements(Out<T> y, const T* x, int64_t outer, int64_t a, int64_t mid, int64_t b) {
  const int64_t strips = (b + kTile - 1) / kTile, grain = 16384 / (kTile * a + 1) + 1;
  parallel_ranges(outer * mid * strips, grain, [=](int64_t begin, int64_t end) {
    for (int64_t strip = begin; strip < end; ++strip) {
      const int64_t o = strip / (mid * strips), m = strip / strips % mid;
      const int64_t j = strip % strips * kTile, cols = std::min(kTile, b - j);
      for (int64_t i = 0; i < a; i += kTile) {
        transpose_tile(y.from(((o * b + j) * mid + m) * a + i), mid * a,
                       x + ((o * a + i) * mid + m) * b + j, mid * b, std::min(kTile, a - i), cols);
      }
    }
  });
}

template <class T>
void swap_axes(Out<T> y, const T* x, int64_t outer, int64_t a, int64_t mid, int64_t b,
               int64_t inner) {
  if (inner == 1) return swap_elements(y, x, outer, a, mid, b);
  for_each_row(outer * b, mid * a * inner, [=](int64_t row) {
    const int64_t o = row / b, j = row % b;
    for (int64_t m = 0; m < mid; ++m) {
      for (int64_t i = 0; i < a; ++i) {
        const T* from = x + (((o * a + i) * mid + m) * b + j) * inner;
        const Out<T> to = y.from(((row * mid + m) * a + i) * inner);
#pragma omp simd
        for (int64_t k = 0; k < inner; ++k) to.put(k, from[k]);
      }
    }
  });
}

template <class T> void join(T* y, const Values<T>* arrays, int64_t count) {
  for (int64_t i = 0; i < count; ++i) y = std::copy_n(arrays[i].at, arrays[i].n, y);
}

// A run along the last axis is either copied or one element of x, repeated.
template <class T> void expand_forward(T* y, const T* x, const Broadcast& map) {
  const int64_t width = map.size[5];
  int64_t runs = 1;
  for (int axis = 0; axis < 5; ++axis) runs *= map.size[axis];
  parallel_ranges(runs, 16384 / (width + 1) + 1, [&](int64_t begin, int64_t end) {
    int64_t at[5], from = 0, rest = begin;
    for (int axis = 4; axis >= 0; --axis) {
      at[axis] = rest % map.size[axis];
      rest /= map.size[axis];
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

template <class T> void one_hot(T* y, const int32_t* ids, int64_t n, int64_t classes) {
  for_each_row(n, classes, [=](int64_t i) {
    std::fill_n(y + i * classes, classes, T(0));
    y[i * classes + ids[i]] = T(1);
  });
}

HEED_INSTANTIATE(swap_axes, join, expand_forward, one_hot);
HEED_INSTANTIATE_I32(swap_axes, join, expand_forward);

}  // namespace heed::cpu
