// From a tensor to the kernel for its element type and device.
//   KERNEL(y, softmax_forward(y.data<T>(), x.data<T>(), rows, cols));
// runs cpu:: or gpu::softmax_forward with T = float or double, whatever y is.
#pragma once

#include <vector>

#include "tensor/cuda/runtime.h"
#include "tensor/kernels/kernel.h"
#include "tensor/tensor.h"

namespace heed {

// The list of arrays that a kernel takes.
template <class T> std::vector<Values<T>> values_of(const std::vector<Tensor>& tensors) {
  std::vector<Values<T>> list;
  for (const Tensor& x : tensors) list.push_back({x.data<T>(), x.numel()});
  return list;
}

}  // namespace heed

// ON_DEVICE(tensor, kernel(...)): the device only, for kernels on fixed element types.
#ifdef HEED_CUDA
#define ON_DEVICE(tensor, ...)                           \
  do {                                                   \
    if ((tensor).device().is_cuda()) {                   \
      ::heed::cuda::set_device((tensor).device().index); \
      gpu::__VA_ARGS__;                                  \
    } else {                                             \
      cpu::__VA_ARGS__;                                  \
    }                                                    \
  } while (0)
#else  // no tensor of this build is on a CUDA device
#define ON_DEVICE(tensor, ...) \
  do {                         \
    cpu::__VA_ARGS__;          \
  } while (0)
#endif

// For kernels that only move or compare elements: with T = int32_t, too.
#define KERNEL_OR_I32(tensor, ...)                \
  do {                                            \
    if ((tensor).dtype() == ::heed::DType::i32) { \
      using T = int32_t;                          \
      ON_DEVICE(tensor, __VA_ARGS__);             \
    } else {                                      \
      KERNEL(tensor, __VA_ARGS__);                \
    }                                             \
  } while (0)

#define KERNEL(tensor, ...)                                              \
  do {                                                                   \
    if ((tensor).dtype() == ::heed::DType::f32) {                        \
      using T = float;                                                   \
      ON_DEVICE(tensor, __VA_ARGS__);                                    \
    } else if ((tensor).dtype() == ::heed::DType::f64) {                 \
      using T = double;                                                  \
      ON_DEVICE(tensor, __VA_ARGS__);                                    \
    } else {                                                             \
      throw ::heed::ShapeError("element type i32: expected f32 or f64"); \
    }                                                                    \
  } while (0)
