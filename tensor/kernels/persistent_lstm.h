// All time steps of one LSTM layer in one kernel, which stays on the GPU from the first step to the
// last and keeps its part of the recurrent weights in shared memory ("persistent": Diamos et al.
// 2016, Persistent RNNs). Products are summed in f32 or f64, whatever set_matmul() says, in an
// order that depends on the sizes only.
#pragma once

#include "tensor/kernels/lstm_layer.h"

namespace heed::gpu {

// Whether the current device can and is to run such a layer: the environment says
// HEED_PERSISTENT=1, the device launches cooperatively, and the weights fit into its
// multiprocessors (docs/cuda.md has the formula). Throws UsageError for other values of
// HEED_PERSISTENT than 0 and 1.
template <class T> bool persistent_lstm_fits(int64_t batch, int64_t hidden);
// lstm_layer_forward() and lstm_layer_backward() of layers that fit.
template <class T> void persistent_lstm_forward(T* y, T* c, T* gates, const LstmLayer<T>& layer);
template <class T>
void persistent_lstm_backward(T* gates, const LstmGrads<T>& d, const T* c,
                              const LstmLayer<T>& layer);

}  // namespace heed::gpu
