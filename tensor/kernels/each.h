// The loops of a kernel that is written once for both devices. x.cc defines it in namespace
// HEED_BACKEND: with these loops, or with those of tensor/cuda/each.h, which x.cu includes before
// x.cc. The closures are [=] HEED_DEVICE(...) { ... }, a value of each element or a body:
//   put_each(y, n, value)                    y_i = value(i), or +=
//   put_rows(y, stride, rows, cols, value)   y[r * stride + c] = value(r, c), or +=
//   for_each_strip(outer, n, inner, body)    body(o, begin, end), tensor/kernels/columns.h; on a
//                                            GPU a column for each thread, end = begin + 1
//   put_random(y, key, n, value)             y_i = value(i, u_i), or +=, u_i uniform in [0, 1)
//   for_each_pair(key, n, body)              body(i, u) for i = 0, 2, ..., with the uniforms u[0]
//   of
//                                            i and u[1] of i + 1
#pragma once

#ifndef HEED_BACKEND
#define HEED_BACKEND cpu

#include <cstdint>

#include "tensor/kernels/columns.h"
#include "tensor/kernels/kernel.h"
#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"
#include "tensor/random.h"

namespace heed::cpu {

// A loop for each way to write, so that the compiler sees no condition inside. `omp simd` says that
// y does not overlap what the closure has captured. Without it the compiler reads alpha or a
// pointer again for every element, and vectorises nothing.
template <class T, class Value>
void put_range(Out<T> y, int64_t begin, int64_t end, const Value& value) {
  T* const to = y.at;
  if (y.write == Write::assign) {
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) to[i] = value(i);
  } else {
#pragma omp simd
    for (int64_t i = begin; i < end; ++i) to[i] += value(i);
  }
}

template <class T, class Value> void put_each(Out<T> y, int64_t n, Value value) {
  constexpr int64_t kGrain = 16384;  // elements of one piece: some microseconds of work
  // Each piece has a copy of the closure of its own, so that the compiler can keep in registers
  // what the closure has captured.
  parallel_ranges(n, kGrain,
                  [=](int64_t begin, int64_t end) { put_range(y, begin, end, Value(value)); });
}

template <class T, class Value>
void put_rows(Out<T> y, int64_t stride, int64_t rows, int64_t cols, Value value) {
  for_each_row(rows, cols, [=](int64_t r) {
    put_range(y.from(r * stride), 0, cols, [=](int64_t c) { return value(r, c); });
  });
}

// body(begin, end, u) with the uniforms u of the elements [begin, end).
template <class Body> void for_each_uniform(RandomKey key, int64_t n, const Body& body) {
  constexpr int64_t kGrain = 8192;  // a multiple of 4: a Philox block belongs to one thread
  parallel_ranges(n, kGrain, [=](int64_t begin, int64_t end) {
    float u[kGrain];
#pragma omp simd
    for (int64_t b = begin / 4; b < (end + 3) / 4; ++b) {
      const Philox4 r = key.block(b);
      float* out = u + (4 * b - begin);
      out[0] = uniform01(r.x);
      out[1] = uniform01(r.y);
      out[2] = uniform01(r.z);
      out[3] = uniform01(r.w);
    }
    body(begin, end, static_cast<const float*>(u));
  });
}

template <class T, class Value> void put_random(Out<T> y, RandomKey key, int64_t n, Value value) {
  for_each_uniform(key, n, [=](int64_t begin, int64_t end, const float* u) {
    put_range(y, begin, end, [=](int64_t i) { return value(i, u[i - begin]); });
  });
}

template <class Body> void for_each_pair(RandomKey key, int64_t n, Body body) {
  for_each_uniform(key, n, [=](int64_t begin, int64_t end, const float* u) {
    for (int64_t i = begin; i < end; i += 2) body(i, u + (i - begin));
  });
}

}  // namespace heed::cpu

#endif
