#include "tensor/kernels/recurrent_layer.h"

#include "tensor/kernels/each.h"
#include "tensor/kernels/gemm.h"
#include "tensor/kernels/gru.h"
#include "tensor/kernels/lstm.h"

namespace heed::HEED_BACKEND {
namespace {

// A function (c, a, b, write) with the product of gemm(), C = A B or C += A B. It uses `packed`
// instead of b unless `packed` is null.
template <class T> auto product_with(const T* packed) {
  return [packed](Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
    if (packed) return gemm_packed(c, a, packed, write);
    gemm(c, a, b, write);
  };
}

}  // namespace

template <class T> void lstm_layer_forward(T* y, T* c, T* gates, const RecurrentLayer<T>& layer) {
  const auto product = product_with(layer.packed);
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
    lstm_step_forward(y + first * hidden, c + first * hidden, a, c_prev, rows, hidden);
  }
}

template <class T>
void lstm_layer_backward(T* gates, const LstmGrads<T>& d, const T* c,
                         const RecurrentLayer<T>& layer) {
  const auto product = product_with(layer.packed);
  const int64_t hidden = layer.hidden, width = 4 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = layer.steps - 1; t >= 0; --t) {
    const int64_t rows = layer.rows(t), going_on = layer.rows(t + 1), first = layer.offsets[t];
    const T* const dy = d.dy ? d.dy + first * hidden : nullptr;
    const T* const c_prev = layer.before(t, c, layer.c0);
    T* const da = gates + first * width;
    lstm_step_backward(da, d.dc, d.dh, dy, c + first * hidden, c_prev, d.dh_given ? rows : going_on,
                       d.dc_given ? rows : going_on, rows, hidden);
    if (t > 0 || d.dh_wanted) {
      product({d.dh, rows, hidden, hidden}, {da, rows, width, width}, w, Write::assign);
    }
  }
}

template <class T> void gru_layer_forward(T* y, T* gates, T* u, const RecurrentLayer<T>& layer) {
  const auto product = product_with(layer.packed);
  const int64_t hidden = layer.hidden, width = 3 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = 0; t < layer.steps; ++t) {
    const int64_t rows = layer.rows(t), first = layer.offsets[t];
    const T* const h_prev = layer.before(t, y, layer.h0);
    T* const u_t = u + first * width;
    if (h_prev) {
      product({u_t, rows, width, width}, {h_prev, rows, hidden, hidden}, w.t(), Write::add);
    }
    gru_step_forward<T>(y + first * hidden, gates + first * width, u_t, h_prev, rows, hidden);
  }
}

template <class T>
void gru_layer_backward(T* gates, T* u, T* dh, const T* dy, const T* y, int dh_wanted,
                        const RecurrentLayer<T>& layer) {
  const auto product = product_with(layer.packed);
  const int64_t hidden = layer.hidden, width = 3 * hidden;
  const Mat<const T> w{layer.w, width, hidden, hidden};
  for (int64_t t = layer.steps - 1; t >= 0; --t) {
    const int64_t rows = layer.rows(t), first = layer.offsets[t];
    T* const du = u + first * width;
    gru_step_backward<T>(gates + first * width, du, dh, dy ? dy + first * hidden : nullptr,
                         layer.before(t, y, layer.h0), rows, hidden);
    if (t > 0 || dh_wanted) {
      product({dh, rows, hidden, hidden}, {du, rows, width, width}, w, Write::add);
    }
  }
}

HEED_INSTANTIATE(lstm_layer_forward, lstm_layer_backward, gru_layer_forward, gru_layer_backward);

}  // namespace heed::HEED_BACKEND
