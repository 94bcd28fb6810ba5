#include "tensor/kernels/lstm_layer.h"

#include "tensor/kernels/lstm.h"
#include "tensor/kernels/lstm_loop.h"

namespace heed::cpu {

template <class T> static auto product_of(const LstmLayer<T>& layer) {
  return [packed = layer.packed](Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
    if (packed) return gemm_packed(c, a, packed, write);
    gemm(c, a, b, write);
  };
}

template <class T> void lstm_layer_forward(T* y, T* c, T* gates, const LstmLayer<T>& layer) {
  lstm_loop_forward(y, c, gates, layer, product_of(layer), lstm_step_forward<T>);
}

template <class T>
void lstm_layer_backward(T* gates, const LstmGrads<T>& d, const T* c, const LstmLayer<T>& layer) {
  lstm_loop_backward(gates, d, c, layer, product_of(layer), lstm_step_backward<T>);
}

// The caches keep the weights here, and a step costs no launch.
template <class T> void lstm_layer_fits(bool* fits, int64_t, int64_t) {
  *fits = false;
}

HEED_INSTANTIATE(lstm_layer_forward);
HEED_INSTANTIATE(lstm_layer_backward);
HEED_INSTANTIATE(lstm_layer_fits);

}  // namespace heed::cpu
