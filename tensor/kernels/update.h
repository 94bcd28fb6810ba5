#pragma once

#include "tensor/kernels/kernel.h"

namespace heed {

HEED_HD inline double clip_factor(double norm, double max_norm) {
  return norm <= max_norm ? 1.0 : max_norm / norm;  // NaN where the norm is
}

}  // namespace heed

// total = the sum of x_i^2 over `count` arrays, in f64. The list of arrays is on the host.
HEED_KERNEL(template <class T>
            void sum_squares(double* total, const Values<T>* arrays, int64_t count));
// For gradients that are multiplied by `scale` (of any sign) and then clipped to the norm max_norm:
//   clipping[0] = norm = sqrt(squares)
//   clipping[1] = scale min(1, max_norm / (|scale| norm)),   the factor of each gradient
HEED_KERNEL(void clip(double* clipping, const double* squares, double scale, double max_norm));
// SGD with momentum m and weight decay w (Sutskever et al. 2013, as in PyTorch), here and below
// with g = *scale grad:
//   d = g + w p;  v = m v + d (where v is not null);  p -= rate (v or d)
HEED_KERNEL(template <class T> void sgd_update(T* p, T* v, const T* grad, const double* scale,
                                               T rate, T momentum, T decay, int64_t n));
// Plain SGD on some rows: p[ids_i] -= rate g_i
HEED_KERNEL(template <class T> void sgd_update_rows(T* p, const T* grad, const int32_t* ids,
                                                    const double* scale, double rate, int64_t n,
                                                    int64_t width));
// Adam with decoupled weight decay w, with c1 = 1 - beta1^t, c2 = 1 - beta2^t:
//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   p -= rate ((m / c1) / (sqrt(v / c2) + eps) + w p)
namespace heed {
struct AdamFactors {
  double rate, beta1, beta2, eps, weight_decay, c1, c2;
};
}  // namespace heed
HEED_KERNEL(template <class T> void adam_update(T* p, T* m, T* v, const T* grad,
                                                const double* scale, const AdamFactors& factors,
                                                int64_t n));
