// From a tensor to the kernel for its element type and device.
//   KERNEL(y, softmax_forward(y.data<T>(), x.data<T>(), rows, cols));
// runs cpu:: or gpu::softmax_forward with T = float or double, whatever y is.
#pragma once

#include "tensor/tensor.h"

// ON_DEVICE(tensor, kernel(...)): the device only, for kernels on fixed element types.
#define ON_DEVICE(tensor, ...) \
  do {                         \
    check_on_cpu(tensor);      \
    cpu::__VA_ARGS__;          \
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

namespace heed {

inline void check_on_cpu(const Tensor& t) {
  if (t.device().is_cuda()) throw DeviceError("this build has no CUDA backend");
}

}  // namespace heed
