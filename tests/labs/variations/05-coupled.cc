#include <cmath>

#include "labs/05-lstm/variation.h"

namespace heed::lab {

static double s(double x) {
  return 1 / (1 + std::exp(-x));
}

void peephole(double*, double*, const double*, const double*, int64_t) {}
void peephole_backward(double*, double*, const double*, const double*, const double*, const double*,
                       int64_t) {}

void coupled(double* h, double* c, const double* a, const double* c_prev, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const double i = s(@p * a[k]);
    c[k] = (1 - i) * c_prev[k] + i * std::tanh(a[n + k]);
    h[k] = s(a[2 * n + k]) * std::tanh(@q * c[k]);
  }
}

void coupled_backward(double* da, double* dc_prev, const double* a, const double* c_prev,
                      const double* dh, const double* dc, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const double i = s(@p * a[k]), g = std::tanh(a[n + k]), o = s(a[2 * n + k]);
    const double t = std::tanh(@q * ((1 - i) * c_prev[k] + i * g));
    const double d = dc[k] + dh[k] * o * (1 - t * t) * @q;
    da[k] = d * (g - c_prev[k]) * @p * i * (1 - i);
    da[n + k] = d * i * (1 - g * g);
    da[2 * n + k] = dh[k] * t * o * (1 - o);
    dc_prev[k] = d * (1 - i);
  }
}

}  // namespace heed::lab
