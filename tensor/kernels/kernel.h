// How a kernel is declared: once, for both backends.
//   HEED_KERNEL(template <class T> void scale(T* x, T factor, int64_t n));
// declares cpu::scale, defined in the .cc beside the header, and gpu::scale, defined in the .cu.
// Kernels see raw pointers, sizes and contiguous memory only: outputs first, then inputs, then
// sizes. Gradient kernels accumulate (dx += ...).
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
