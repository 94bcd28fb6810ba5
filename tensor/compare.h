// Whether two tensors hold the same numbers, up to rounding.
#pragma once

#include <string>

#include "tensor/tensor.h"

namespace heed {

// a and b are close where |a - b| <= absolute + relative |b|, as in NumPy. Infinities are close to
// themselves; NaN is close to nothing, or to itself with nan_equal.
struct Tolerance {
  double relative = 1e-5, absolute = 1e-8;
  bool nan_equal = false;
};

// True if shapes and element types are equal and all elements are close. The devices may differ.
[[nodiscard]] bool allclose(const Tensor& got, const Tensor& want, const Tolerance& tolerance = {});

// Empty if they are close, else one line that names what differs and the worst element. For tests:
//    EXPECT_EQ(mismatch(y, Tensor::of({1, 2})), "");
//   "2 of 6 elements differ, most at (1, 2): 3.5 and not 3 (off by 0.5)"
[[nodiscard]] std::string mismatch(const Tensor& got, const Tensor& want,
                                   const Tolerance& tolerance = {});

}  // namespace heed
