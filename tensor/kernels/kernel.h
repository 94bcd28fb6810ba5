// How a kernel is declared: once, for both backends.
//   HEED_KERNEL(template <class T> void scale(Out<T> y, const T* x, T alpha, int64_t n));
// declares cpu::scale, defined in the .cc beside the header, and gpu::scale, defined in the .cu.
// Kernels see contiguous memory and sizes only: outputs first, then inputs, then sizes.
//
// A gradient kernel takes its destination in one of two forms:
//   Out<T> dx   the kernel computes each element once, and dx says whether to assign or to add it
//   T* dx       the kernel adds to some elements, or to an element several times
#pragma once

#include <cstdint>

#define HEED_KERNEL(...) \
  namespace heed::cpu {  \
  __VA_ARGS__;           \
  }                      \
  namespace heed::gpu {  \
  __VA_ARGS__;           \
  }                      \
  static_assert(true)

// Instantiates a kernel template for both floating-point types, at the end of a .cc or .cu.
// `kernel` is a template's name, which cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define HEED_INSTANTIATE(kernel)                  \
  template decltype(kernel<float>) kernel<float>; \
  template decltype(kernel<double>) kernel<double>
// NOLINTEND(bugprone-macro-parentheses)

// Before functions that nvcc compiles for the device too.
#ifdef __CUDACC__
#define HEED_HD __host__ __device__
#else
#define HEED_HD
#endif

namespace heed {

// Whether a result overwrites its memory (y = x) or is added to it (y += x). The first contribution
// to a gradient is assigned and the others are added, so no memory has to be zeroed first.
enum class Write : uint8_t { assign, add };

// The destination of a result, and how its elements are written.
template <class T> struct Out {
  T* at;
  Write write;

  HEED_HD Out(T* at, Write write = Write::assign) : at(at), write(write) {}
  HEED_HD void put(int64_t i, T value) const {
    at[i] = write == Write::add ? at[i] + value : value;
  }
  HEED_HD Out from(int64_t i) const { return {at + i, write}; }
};

// One of several arrays that a kernel reads.
template <class T> struct Values {
  const T* at;
  int64_t n;
};

}  // namespace heed
