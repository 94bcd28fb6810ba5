// The variation of lab 1 (README.md, section variation). You write it in variation.cc.
#pragma once

#include <cstdint>

namespace heed::lab {

// A product with a third operand that counts for a whole row of B, row-major, each matrix with its
// leading dimension:
//   c_ij <- p sum_l a_il s_l b_lj + q c_ij       A (m, k), s (k), B (k, n), C (m, n)
// p and q are your own: labs/heed-lab id NAME.
void scaled_product(double* c, int64_t ldc, const double* a, int64_t lda, const double* s,
                    const double* b, int64_t ldb, int64_t m, int64_t n, int64_t k);

}  // namespace heed::lab
