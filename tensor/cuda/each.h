// The loops of tensor/kernels/each.h for gpu::, a thread for each element or column.
#pragma once

#define HEED_BACKEND gpu

#include "tensor/cuda/launch.h"
#include "tensor/kernels/kernel.h"
#include "tensor/random.h"

namespace heed::gpu {

template <class T, class Value> void put_each(Out<T> y, int64_t n, Value value) {
  for_each(n, [=] __device__(int64_t i) { y.put(i, value(i)); });
}

template <class T, class Value>
void put_rows(Out<T> y, int64_t stride, int64_t rows, int64_t cols, Value value) {
  for_each(rows * cols, [=] __device__(int64_t i) {
    const int64_t r = i / cols, c = i % cols;
    y.put(r * stride + c, value(r, c));
  });
}

template <class Body> void for_each_strip(int64_t outer, int64_t, int64_t inner, Body body) {
  for_each(outer * inner, [=] __device__(int64_t i) { body(i / inner, i % inner, i % inner + 1); });
}

// A thread has the four elements of a Philox block.
template <class Body> void for_each_pair(RandomKey key, int64_t n, Body body) {
  for_each((n + 3) / 4, [=] __device__(int64_t b) {
    const Philox4 r = key.block(b);
    const float u[4] = {uniform01(r.x), uniform01(r.y), uniform01(r.z), uniform01(r.w)};
    body(4 * b, u);
    if (4 * b + 2 < n) body(4 * b + 2, u + 2);
  });
}

template <class T, class Value> void put_random(Out<T> y, RandomKey key, int64_t n, Value value) {
  for_each_pair(key, n, [=] __device__(int64_t first, const float* u) {
    for (int64_t i = first; i < first + 2 && i < n; ++i) y.put(i, value(i, u[i - first]));
  });
}

}  // namespace heed::gpu
