#include "labs/01-memory/variation.h"

namespace heed::lab {

void scaled_product(double* c, int64_t ldc, const double* a, int64_t lda, const double* s,
                    const double* b, int64_t ldb, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) c[i * ldc + j] *= @q;
    for (int64_t l = 0; l < k; ++l) {
      const double factor = @p * a[i * lda + l] * s[l];
      for (int64_t j = 0; j < n; ++j) c[i * ldc + j] += factor * b[l * ldb + j];
    }
  }
}

}  // namespace heed::lab
