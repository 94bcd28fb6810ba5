// How many parameters a model has, before there is one.
#pragma once

#include <cstdint>

#include "nn/module.h"
#include "tensor/shapes_only.h"

namespace heed {

// Of a model of `layers` layers, those from the second on alike: counted of models of one and of
// two layers, make(layers) -> pointer to a Module, which take no memory.
template <class Make> double count_parameters(int64_t layers, const Make& make) {
  const ShapesOnly no_memory;
  const auto count = [&](int64_t n) { return static_cast<double>(parameter_count(*make(n))); };
  const double one = count(1);
  return layers == 1 ? one : one + static_cast<double>(layers - 1) * (count(2) - one);
}

}  // namespace heed
