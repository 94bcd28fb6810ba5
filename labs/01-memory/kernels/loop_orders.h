// The three loops of a product in any order, for the figure of lab 1.
#pragma once

#include <cstdint>
#include <string>

namespace heed::lab {

// C += A B for square matrices of n rows; "ikj" has i outermost and j innermost. Of the six orders
// there are "ijk", "ikj", "jki" and "kij".
void product_by_loops(const std::string& order, float* c, const float* a, const float* b,
                      int64_t n);

}  // namespace heed::lab
