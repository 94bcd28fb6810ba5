#include "tensor/kernels/layout.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

void convert(double* y, const float* x, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = x[i]; });
}
void convert(float* y, const double* x, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = static_cast<float>(x[i]); });
}

// By the elements of y, so that writes are to neighbours; reads are in runs of `inner`.
template <class T>
void swap_axes(Out<T> y, const T* x, int64_t outer, int64_t a, int64_t mid, int64_t b,
               int64_t inner) {
  for_each(outer * b * mid * a * inner, [=] __device__(int64_t to) {
    const int64_t k = to % inner, row = to / inner;  // row: of (outer, b, mid, a)
    const int64_t i = row % a, m = row / a % mid;
    const int64_t j = row / (a * mid) % b, o = row / (a * mid * b);
    y.put(to, x[(((o * a + i) * mid + m) * b + j) * inner + k]);
  });
}

template <class T>
void copy_block(Out<T> y, int64_t y_stride, const T* x, int64_t x_stride, int64_t rows,
                int64_t width) {
  for_each(rows * width, [=] __device__(int64_t i) {
    const int64_t r = i / width, col = i % width;
    y.put(r * y_stride + col, x[r * x_stride + col]);
  });
}

template <class T> void expand_forward(T* y, const T* x, const Broadcast& map) {
  int64_t n = 1;
  for (int64_t size : map.size) n *= size;
  for_each(n, [=] __device__(int64_t to) {
    int64_t from = 0, rest = to;
    for (int axis = 5; axis >= 0; --axis) {
      from += rest % map.size[axis] * map.stride[axis];
      rest /= map.size[axis];
    }
    y[to] = x[from];
  });
}

// Some of the axes of a Broadcast: their sizes, and their strides in x and in y.
struct Axes {
  int count = 0;
  int64_t numel = 1, size[6] = {}, in_x[6] = {}, in_y[6] = {};

  void add(int64_t n, int64_t x_stride, int64_t y_stride) {
    if (n == 1) return;
    size[count] = n;
    in_x[count] = x_stride;
    in_y[count++] = y_stride;
    numel *= n;
  }
  // Where the i-th of the numel places along these axes lies, in units of the strides.
  __device__ int64_t place(int64_t i, const int64_t* stride) const {
    int64_t at = 0;
    for (int axis = count - 1; axis >= 0; --axis) {
      at += i % size[axis] * stride[axis];
      i /= size[axis];
    }
    return at;
  }
};

// The axes of y, but for those (kept = false) or only those (true) along which x has a size.
Axes axes_of(const Broadcast& map, bool kept) {
  int64_t y_stride[6];
  int64_t n = 1;
  for (int axis = 5; axis >= 0; n *= map.size[axis--]) y_stride[axis] = n;
  Axes axes;
  for (int axis = 0; axis < 6; ++axis) {
    if ((map.stride[axis] != 0) == kept) axes.add(map.size[axis], map.stride[axis], y_stride[axis]);
  }
  return axes;
}

// A block for each element of x.
template <class T>
__global__ void expand_backward_kernel(T* dx, const T* dy, Axes kept, Axes repeated) {
  const T* from = dy + kept.place(blockIdx.x, kept.in_y);
  T sum = 0;
  for (int64_t j = threadIdx.x; j < repeated.numel; j += blockDim.x) {
    sum += from[repeated.place(j, repeated.in_y)];
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) dx[kept.place(blockIdx.x, kept.in_x)] += sum;
}

template <class T> void expand_backward(T* dx, const T* dy, const Broadcast& map) {
  const Axes kept = axes_of(map, true), repeated = axes_of(map, false);
  if (kept.numel == 0 || repeated.numel == 0) return;
  if (repeated.numel >= kWarp) {
    launch<expand_backward_kernel<T>>({kept.numel, row_threads(repeated.numel)}, dx, dy, kept,
                                      repeated);
    return;
  }
  for_each(kept.numel, [=] __device__(int64_t i) {  // too few repeats to share out
    const T* from = dy + kept.place(i, kept.in_y);
    T sum = 0;
    for (int64_t j = 0; j < repeated.numel; ++j) sum += from[repeated.place(j, repeated.in_y)];
    dx[kept.place(i, kept.in_x)] += sum;
  });
}

HEED_INSTANTIATE(swap_axes);
HEED_INSTANTIATE(copy_block);
HEED_INSTANTIATE(expand_forward);
HEED_INSTANTIATE(expand_backward);

}  // namespace heed::gpu
