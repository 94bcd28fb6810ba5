// All time steps of one LSTM layer in one kernel, which stays on the GPU from the first step to the
// last and keeps its part of the recurrent weights in shared memory ("persistent": Diamos et al.
// 2016, Persistent RNNs). Products are summed in f32 or f64, whatever set_matmul() says, in an
// order that depends on the sizes only.
#pragma once

#include "tensor/kernels/recurrent_layer.h"

namespace heed::gpu {

// True if HEED_PERSISTENT=1 is set, the current device supports cooperative launches, and the
// weights fit into its multiprocessors (docs/cuda.md has the formula). Throws UsageError if
// HEED_PERSISTENT is neither 0 nor 1.
template <class T> bool persistent_lstm_fits(int64_t batch, int64_t hidden);
// lstm_layer_forward() and lstm_layer_backward() of layers that fit.
template <class T>
void persistent_lstm_forward(T* y, T* c, T* gates, const RecurrentLayer<T>& layer);
template <class T>
void persistent_lstm_backward(T* gates, const LstmGrads<T>& d, const T* c,
                              const RecurrentLayer<T>& layer);

}  // namespace heed::gpu
