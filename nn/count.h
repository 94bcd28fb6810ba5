// The number of parameters of a model, before it is made.
#pragma once

#include <cstdint>

#include "nn/module.h"
#include "tensor/shapes_only.h"

namespace heed {

// For a model of `layers` layers that are equal from the second on. It counts models of one and of
// two layers, which take no memory. make(layers) returns a pointer to a Module.
template <class Make> double count_parameters(int64_t layers, const Make& make) {
  const ShapesOnly no_memory;
  const auto count = [&](int64_t n) { return static_cast<double>(parameter_count(*make(n))); };
  const double one = count(1);
  return layers == 1 ? one : one + static_cast<double>(layers - 1) * (count(2) - one);
}

}  // namespace heed
