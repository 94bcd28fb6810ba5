#include "tensor/random_tensor.h"

#include "tensor/dispatch.h"
#include "tensor/kernels/random.h"

namespace heed {

Tensor uniform(Shape shape, double low, double high, RandomKey key, DType dtype, Device device) {
  const Tensor t = Tensor::empty(shape, dtype, device);
  KERNEL(t, random_uniform(t.data<T>(), T(low), T(high), key, t.numel()));
  return t;
}

Tensor normal(Shape shape, double mean, double deviation, RandomKey key, DType dtype,
              Device device) {
  const Tensor t = Tensor::empty(shape, dtype, device);
  KERNEL(t, random_normal(t.data<T>(), T(mean), T(deviation), key, t.numel()));
  return t;
}

Tensor gumbel(Shape shape, RandomKey key, DType dtype, Device device) {
  const Tensor t = Tensor::empty(shape, dtype, device);
  KERNEL(t, random_gumbel(t.data<T>(), key, t.numel()));
  return t;
}

}  // namespace heed
