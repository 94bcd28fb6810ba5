// The loops of tensor/kernels/each.h for gpu::, a thread for each element or column.
#pragma once

#define HEED_BACKEND gpu

#include "tensor/cuda/launch.h"
#include "tensor/kernels/kernel.h"

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

}  // namespace heed::gpu
