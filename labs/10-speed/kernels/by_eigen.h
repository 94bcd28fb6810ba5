// The product that lab 10 is compared with in its figure.
#pragma once

#include <cstdint>

namespace heed::lab {

// Whether Eigen was there when this was compiled.
bool have_eigen();
// C = A B for A (m, k) and B (k, n), by one thread.
void product_by_eigen(float* c, const float* a, const float* b, int64_t m, int64_t n, int64_t k);

}  // namespace heed::lab
