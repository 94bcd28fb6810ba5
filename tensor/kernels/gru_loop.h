// The loop over the steps of a GRU layer, for the kernels of both devices:
//   product(c, a, b, write)   C = A B or C += A B
//   step(...)                 gru_step_forward() or gru_step_backward() of the device
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/recurrent_layer.h"

namespace heed {

template <class T, class Product, class Step>
void gru_loop_forward(T* y, T* gates, T* u, const RecurrentLayer<T>& layer, const Product& product,
                      const Step& step) {
  const int64_t hidden = layer.hidden, width = 3 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = 0; t < layer.steps; ++t) {
    const int64_t rows = layer.rows(t), first = layer.offsets[t];
    const T* const h_prev = layer.before(t, y, layer.h0);
    T* const u_t = u + first * width;
    if (h_prev) {
      product({u_t, rows, width, width}, {h_prev, rows, hidden, hidden}, w.t(), Write::add);
    }
    step(y + first * hidden, gates + first * width, u_t, h_prev, rows, hidden);
  }
}

template <class T, class Product, class Step>
void gru_loop_backward(T* gates, T* u, T* dh, const T* dy, const T* y, bool dh_wanted,
                       const RecurrentLayer<T>& layer, const Product& product, const Step& step) {
  const int64_t hidden = layer.hidden, width = 3 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = layer.steps - 1; t >= 0; --t) {
    const int64_t rows = layer.rows(t), first = layer.offsets[t];
    T* const du = u + first * width;
    step(gates + first * width, du, dh, dy ? dy + first * hidden : nullptr,
         layer.before(t, y, layer.h0), rows, hidden);
    if (t > 0 || dh_wanted) {
      product({dh, rows, hidden, hidden}, {du, rows, width, width}, w, Write::add);
    }
  }
}

}  // namespace heed
