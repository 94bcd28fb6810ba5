// The loop over the steps of an LSTM layer, for the kernels of both devices:
//   product(c, a, b, write)   C = A B or C += A B
//   step(...)                 lstm_step_forward() or lstm_step_backward() of the device
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/kernels/recurrent_layer.h"

namespace heed {

template <class T, class Product, class Step>
void lstm_loop_forward(T* y, T* c, T* gates, const RecurrentLayer<T>& layer, const Product& product,
                       const Step& step) {
  const int64_t hidden = layer.hidden, width = 4 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = 0; t < layer.steps; ++t) {
    const int64_t rows = layer.rows(t), first = layer.offsets[t];
    const T* const h_prev = layer.before(t, y, layer.h0);
    const T* const c_prev = layer.before(t, c, layer.c0);
    T* const a = gates + first * width;
    if (h_prev) {
      product({a, rows, width, width}, {h_prev, rows, hidden, hidden}, w.t(), Write::add);
    }
    step(y + first * hidden, c + first * hidden, a, c_prev, rows, hidden);
  }
}

template <class T, class Product, class Step>
void lstm_loop_backward(T* gates, const LstmGrads<T>& d, const T* c, const RecurrentLayer<T>& layer,
                        const Product& product, const Step& step) {
  const int64_t hidden = layer.hidden, width = 4 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = layer.steps - 1; t >= 0; --t) {
    const int64_t rows = layer.rows(t), going_on = layer.rows(t + 1), first = layer.offsets[t];
    const T* const dy = d.dy ? d.dy + first * hidden : nullptr;
    const T* const c_prev = layer.before(t, c, layer.c0);
    T* const da = gates + first * width;
    step(da, d.dc, d.dh, dy, c + first * hidden, c_prev, d.dh_given ? rows : going_on,
         d.dc_given ? rows : going_on, rows, hidden);
    if (t > 0 || d.dh_wanted) {
      product({d.dh, rows, hidden, hidden}, {da, rows, width, width}, w, Write::assign);
    }
  }
}

}  // namespace heed
