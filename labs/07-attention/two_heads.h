// Attention of two heads side by side.
#pragma once

#include <vector>

#include "labs/support/check.h"

namespace heed::lab {

// Two heads: each has its half of the rows of query and memory, which are so twice as long as what
// is multiplied, and its own scores behind those of the other.
inline constexpr const char* kHeads =
    "with two heads the rows of a matrix are `ld` apart and `cols` long: what is beside them "
    "belongs to the other head";

inline Tensor beside(const Tensor& a, const Tensor& b) {
  const int64_t width = a.shape()[1];
  const Tensor both = Tensor::zeros({a.shape()[0], 2 * width}, DType::f64);
  for (int64_t i = 0; i < a.numel(); ++i) {
    double* const to = both.data<double>() + i / width * 2 * width + i % width;
    to[0] = a.data<double>()[i];
    to[width] = b.data<double>()[i];
  }
  return both;
}
inline Tensor behind(const Tensor& a, const Tensor& b) {
  std::vector<double> all = a.to_vector();
  const std::vector<double> more = b.to_vector();
  all.insert(all.end(), more.begin(), more.end());
  return Tensor::from(all, {std::ssize(all)});
}

}  // namespace heed::lab
