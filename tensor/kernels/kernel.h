// How a kernel is declared: once, for both backends.
//   HEED_KERNEL(template <class T> void scale(Out<T> y, const T* x, T alpha, int64_t n));
// declares cpu::scale, defined in the .cc beside the header, and gpu::scale, defined in the .cu. A
// kernel that works on single elements or columns is written once, in the .cc, which the .cu then
// includes (tensor/kernels/each.h).
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

// Instantiates kernel templates for both floating-point types, at the end of a .cc or .cu:
//   HEED_INSTANTIATE(softmax_forward, softmax_backward);
// HEED_INSTANTIATE_I32 does so for int32_t. A macro that calls itself has to be expanded again and
// again: here for up to 14 names.
// NOLINTBEGIN(bugprone-macro-parentheses): a template's name cannot stand in parentheses
#define HEED_INSTANTIATE_ONE(kernel)              \
  template decltype(kernel<float>) kernel<float>; \
  template decltype(kernel<double>) kernel<double>;
#define HEED_INSTANTIATE_ONE_I32(kernel) template decltype(kernel<int32_t>) kernel<int32_t>;
#define HEED_INSTANTIATE(...) \
  HEED_EXPAND(HEED_INSTANTIATE_EACH(HEED_INSTANTIATE_ONE, __VA_ARGS__)) static_assert(true)
#define HEED_INSTANTIATE_I32(...) \
  HEED_EXPAND(HEED_INSTANTIATE_EACH(HEED_INSTANTIATE_ONE_I32, __VA_ARGS__)) static_assert(true)
#define HEED_INSTANTIATE_EACH(ONE, kernel, ...) \
  ONE(kernel) __VA_OPT__(HEED_INSTANTIATE_AGAIN HEED_PARENS(ONE, __VA_ARGS__))
#define HEED_INSTANTIATE_AGAIN() HEED_INSTANTIATE_EACH
#define HEED_PARENS ()
#define HEED_EXPAND(...) HEED_EXPAND_3(HEED_EXPAND_3(HEED_EXPAND_3(__VA_ARGS__)))
#define HEED_EXPAND_3(...) HEED_EXPAND_1(HEED_EXPAND_1(HEED_EXPAND_1(__VA_ARGS__)))
#define HEED_EXPAND_1(...) __VA_ARGS__
// NOLINTEND(bugprone-macro-parentheses)

// Before functions that nvcc compiles for the device too, and for the device only.
#ifdef __CUDACC__
#define HEED_HD __host__ __device__
#define HEED_DEVICE __device__
#else
#define HEED_HD
#define HEED_DEVICE
#endif

namespace heed {

// Whether a result overwrites its memory (y = x) or is added to it (y += x). The first contribution
// to a gradient is assigned and the others are added, so no memory has to be zeroed first.
enum class Write : uint8_t { assign, add };

// The destination of a result, and how its elements are written.
template <class T> struct Out {
  T* at;
  Write write;

  HEED_HD Out(T* y, Write how = Write::assign) : at(y), write(how) {}
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
