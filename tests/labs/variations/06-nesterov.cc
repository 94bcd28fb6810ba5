#include "labs/06-training/variation.h"

namespace heed::lab {

double warm_up(double peak, int64_t) {
  return peak;
}

void nesterov(double* x, double* v, const double* dx, double rate, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double d = dx[i] + @w * x[i];
    v[i] = @m * v[i] + d;
    x[i] -= rate * (d + @m * v[i]);
  }
}

}  // namespace heed::lab
