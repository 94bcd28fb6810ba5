#include "nn/init.h"

#include <cmath>

namespace heed {
namespace {

void check_matrix(const char* name, const Shape& shape) {
  check_shape(shape.rank() == 2 && shape.numel() > 0, name, ": needs a weight (out, in), got ",
              shape);
}

// By `law`, or where that is empty by the parameter's own.
void draw(Module& module, const Initializer& law, uint64_t seed, bool again) {
  name_parts(module);
  for (const NamedParameter& p : parameters(module)) {
    const ParameterCell& cell = *p.var.cell();
    const Initializer& its = law ? law : cell.law;
    if (!its || cell.buffer || !(cell.blank || again)) continue;
    p.var.set_value(its(p.var.shape(), init_key(seed, p.name), p.var.dtype()).to(p.var.device()));
  }
}

}  // namespace

Tensor xavier_uniform(Shape shape, RandomKey key, DType dtype) {
  check_matrix("xavier_uniform", shape);
  const double limit = std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
  return uniform(shape, -limit, limit, key, dtype);
}

Tensor kaiming_uniform(Shape shape, RandomKey key, DType dtype) {
  check_matrix("kaiming_uniform", shape);
  const double limit = std::sqrt(6.0 / static_cast<double>(shape[1]));
  return uniform(shape, -limit, limit, key, dtype);
}

Initializer uniform_law(double low, double high) {
  return [=](const Shape& shape, RandomKey key, DType dtype) {
    return uniform(shape, low, high, key, dtype);
  };
}

Initializer normal_law(double mean, double deviation) {
  return [=](const Shape& shape, RandomKey key, DType dtype) {
    return normal(shape, mean, deviation, key, dtype);
  };
}

Initializer constant_law(double value) {
  return
      [=](const Shape& shape, RandomKey, DType dtype) { return Tensor::full(shape, value, dtype); };
}

RandomKey init_key(uint64_t seed, const std::string& parameter_name) {
  return {seed, purpose_id("init." + parameter_name), 0};
}

void init(Module& module, uint64_t seed) {
  draw(module, {}, seed, /*again=*/false);
}

void init_uniform(Module& module, double low, double high, uint64_t seed) {
  draw(module, uniform_law(low, high), seed, /*again=*/false);
}

void init_again(Module& module, uint64_t seed) {
  draw(module, {}, seed, /*again=*/true);
}

void init_again_uniform(Module& module, double low, double high, uint64_t seed) {
  draw(module, uniform_law(low, high), seed, /*again=*/true);
}

void init_again_xavier(Module& module, uint64_t seed) {
  name_parts(module);
  for (const NamedParameter& p : parameters(module)) {
    const Tensor& value = p.var.value();
    if (p.var.cell()->buffer || p.var.shape().rank() != 2 || value.numel() == 0) continue;
    p.var.set_value(
        xavier_uniform(value.shape(), init_key(seed, p.name), value.dtype()).to(value.device()));
  }
}

}  // namespace heed
