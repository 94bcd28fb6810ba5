#pragma once

#include "tensor/kernels/kernel.h"

// Sum of x_i^2, in f64.
HEED_KERNEL(template <class T> void sum_squares(double* result, const T* x, int64_t n));
// SGD with momentum m and weight decay w (Sutskever et al. 2013, as in PyTorch):
//   d = g + w p;  v = m v + d (where v is not null);  p -= rate (v or d);   g = scale * grad
HEED_KERNEL(template <class T> void sgd_update(T* p, T* v, const T* grad, T scale, T rate,
                                               T momentum, T decay, int64_t n));
// Plain SGD on some rows: p[ids_i] -= rate * grad_i
HEED_KERNEL(template <class T> void sgd_update_rows(T* p, const T* grad, const int32_t* ids, T rate,
                                                    int64_t n, int64_t width));
// Adam with decoupled weight decay w, with c1 = 1 - beta1^t, c2 = 1 - beta2^t:
//   m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2
//   p -= rate ((m / c1) / (sqrt(v / c2) + eps) + w p)
namespace heed {
struct AdamFactors {
  double rate, beta1, beta2, eps, weight_decay, c1, c2, scale;
};
}  // namespace heed
HEED_KERNEL(template <class T> void adam_update(T* p, T* m, T* v, const T* grad,
                                                const AdamFactors& factors, int64_t n));
