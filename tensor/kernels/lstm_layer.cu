#include "tensor/kernels/lstm_layer.h"

#include "tensor/kernels/lstm.h"
#include "tensor/kernels/lstm_loop.h"
#include "tensor/kernels/persistent_lstm.h"

namespace heed::gpu {

template <class T> static bool stays(const LstmLayer<T>& layer) {
  return layer.steps > 1 && persistent_lstm_fits<T>(layer.batch(), layer.hidden);
}

template <class T> void lstm_layer_forward(T* y, T* c, T* gates, const LstmLayer<T>& layer) {
  if (stays(layer)) return persistent_lstm_forward(y, c, gates, layer);
  lstm_loop_forward(y, c, gates, layer, gemm<T>, lstm_step_forward<T>);
}

template <class T>
void lstm_layer_backward(T* gates, const LstmGrads<T>& d, const T* c, const LstmLayer<T>& layer) {
  if (stays(layer)) return persistent_lstm_backward(gates, d, c, layer);
  lstm_loop_backward(gates, d, c, layer, gemm<T>, lstm_step_backward<T>);
}

template <class T> void lstm_layer_fits(bool* fits, int64_t batch, int64_t hidden) {
  *fits = persistent_lstm_fits<T>(batch, hidden);
}

HEED_INSTANTIATE(lstm_layer_forward);
HEED_INSTANTIATE(lstm_layer_backward);
HEED_INSTANTIATE(lstm_layer_fits);

}  // namespace heed::gpu
