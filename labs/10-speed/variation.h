// The variation of lab 10 (README.md, section variation). You write it in variation.cc.
#pragma once

#include <cstdint>

namespace heed::lab {

// A product of a tall and narrow matrix A (rows, cols) with itself, all row-major and dense, cols
// 1 to 8 and rows 0 to a million:
//   c_ij = p sum_r a_ri a_rj + q [i = j]
// right to six digits: a sum of so many numbers in one f32 is not. p and q are your own:
// labs/heed-lab id NAME.
void tall_product(float* c, const float* a, int64_t rows, int64_t cols);

}  // namespace heed::lab
