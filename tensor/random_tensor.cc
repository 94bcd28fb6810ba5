#include "tensor/random_tensor.h"

#include <cmath>
#include <limits>

#include "tensor/dispatch.h"
#include "tensor/kernels/random.h"

namespace heed {
namespace {

void check_type(const char* name, DType dtype) {
  check_shape(dtype != DType::i32, name, ": element type i32: expected f32 or f64");
}

// Whether x is a finite number of the element type.
bool fits(double x, DType dtype) {
  return std::abs(x) <= (dtype == DType::f64 ? std::numeric_limits<double>::max()
                                             : std::numeric_limits<float>::max());
}

}  // namespace

Tensor uniform(Shape shape, double low, double high, RandomKey key, DType dtype, Device device) {
  check_type("uniform", dtype);
  if (!(low <= high && fits(low, dtype) && fits(high, dtype) && fits(high - low, dtype))) {
    throw UsageError(text("uniform: needs finite numbers low <= high, got ", low, " and ", high));
  }
  const Tensor t = Tensor::empty(shape, dtype, device);
  KERNEL(t, random_uniform(t.data<T>(), T(low), T(high), key, t.numel()));
  return t;
}

Tensor normal(Shape shape, double mean, double deviation, RandomKey key, DType dtype,
              Device device) {
  check_type("normal", dtype);
  if (!(deviation >= 0 && fits(mean, dtype) && fits(deviation, dtype))) {
    throw UsageError(text("normal: needs a finite mean and a finite deviation >= 0, got ", mean,
                          " and ", deviation));
  }
  const Tensor t = Tensor::empty(shape, dtype, device);
  KERNEL(t, random_normal(t.data<T>(), T(mean), T(deviation), key, t.numel()));
  return t;
}

Tensor gumbel(Shape shape, RandomKey key, DType dtype, Device device) {
  check_type("gumbel", dtype);
  const Tensor t = Tensor::empty(shape, dtype, device);
  KERNEL(t, random_gumbel(t.data<T>(), key, t.numel()));
  return t;
}

}  // namespace heed
