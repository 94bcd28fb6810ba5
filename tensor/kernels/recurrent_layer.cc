#include "tensor/kernels/recurrent_layer.h"

#include "tensor/kernels/each.h"
#include "tensor/kernels/gru.h"
#include "tensor/kernels/gru_loop.h"
#include "tensor/kernels/lstm.h"
#include "tensor/kernels/lstm_loop.h"

namespace heed::HEED_BACKEND {
namespace {

// A function (c, a, b, write) with the product of gemm(). It uses `packed` instead of b unless
// `packed` is null.
template <class T> auto product_with(const T* packed) {
  return [packed](Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
    if (packed) return gemm_packed(c, a, packed, write);
    gemm(c, a, b, write);
  };
}

}  // namespace

template <class T> void lstm_layer_forward(T* y, T* c, T* gates, const RecurrentLayer<T>& layer) {
  lstm_loop_forward(y, c, gates, layer, product_with(layer.packed), lstm_step_forward<T>);
}

template <class T>
void lstm_layer_backward(T* gates, const LstmGrads<T>& d, const T* c,
                         const RecurrentLayer<T>& layer) {
  lstm_loop_backward(gates, d, c, layer, product_with(layer.packed), lstm_step_backward<T>);
}

template <class T> void gru_layer_forward(T* y, T* gates, T* u, const RecurrentLayer<T>& layer) {
  gru_loop_forward(y, gates, u, layer, product_with(layer.packed), gru_step_forward<T>);
}

template <class T>
void gru_layer_backward(T* gates, T* u, T* dh, const T* dy, const T* y, int dh_wanted,
                        const RecurrentLayer<T>& layer) {
  gru_loop_backward(gates, u, dh, dy, y, dh_wanted, layer, product_with(layer.packed),
                    gru_step_backward<T>);
}

HEED_INSTANTIATE(lstm_layer_forward, lstm_layer_backward, gru_layer_forward, gru_layer_backward);

}  // namespace heed::HEED_BACKEND
