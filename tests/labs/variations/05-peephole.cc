#include <cmath>

#include "labs/05-lstm/variation.h"

namespace heed::lab {

static double s(double x) {
  return 1 / (1 + std::exp(-x));
}

void coupled(double*, double*, const double*, const double*, int64_t) {}
void coupled_backward(double*, double*, const double*, const double*, const double*, const double*,
                      int64_t) {}

void peephole(double* h, double* c, const double* a, const double* c_prev, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const double i = s(a[k] + @p * c_prev[k]), f = s(a[n + k] + @q * c_prev[k]);
    c[k] = f * c_prev[k] + i * std::tanh(a[2 * n + k]);
    h[k] = s(a[3 * n + k] + @p * c[k]) * std::tanh(c[k]);
  }
}

void peephole_backward(double* da, double* dc_prev, const double* a, const double* c_prev,
                       const double* dh, const double* dc, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    const double before = c_prev[k], g = std::tanh(a[2 * n + k]);
    const double i = s(a[k] + @p * before), f = s(a[n + k] + @q * before), c = f * before + i * g;
    const double o = s(a[3 * n + k] + @p * c), t = std::tanh(c);
    da[3 * n + k] = dh[k] * t * o * (1 - o);
    const double d = dc[k] + dh[k] * o * (1 - t * t) + @p * da[3 * n + k];
    da[k] = d * g * i * (1 - i);
    da[n + k] = d * before * f * (1 - f);
    da[2 * n + k] = d * i * (1 - g * g);
    dc_prev[k] = d * f + @p * da[k] + @q * da[n + k];
  }
}

}  // namespace heed::lab
