#pragma once

#include "tensor/kernels/kernel.h"

namespace heed {

// One layer of an LSTM (G = 4 gates) or a GRU (G = 3) over a packed batch of N rows and B sequences
// (autograd/packing.h), H = hidden.
// Step t has the rows [offsets[t], offsets[t + 1]): its sequences are the first ones of step t - 1.
template <class T> struct RecurrentLayer {
  const int64_t* offsets;  // (steps + 1), on the host
  int64_t steps, hidden;
  const T* w;        // (GH, H)
  const T* packed;   // the right factor of a step's product for gemm_packed(), or null
  const T *h0, *c0;  // (B, H), null for zeros; a GRU has no c

  int64_t batch() const { return rows(0); }
  int64_t rows(int64_t t) const { return t < steps ? offsets[t + 1] - offsets[t] : 0; }
  // What step t starts from: `first` in step 0, then the states of the step before.
  const T* before(int64_t t, const T* states, const T* first) const {
    return t ? states + offsets[t - 1] * hidden : first;
  }
};

// Gradients that come in and go out.
template <class T> struct LstmGrads {
  const T* dy;  // (N, H), null for zeros
  // (B, H). In: the gradients of the last states if given, else uninitialised. Out: those of the
  // first states, dh only if wanted.
  T *dh, *dc;
  bool dh_given, dc_given, dh_wanted;
};

}  // namespace heed

// All steps, as lstm() in autograd/ops.h says; a step is a product and lstm_step_forward() or
// lstm_step_backward().
//   forward:  activations replace gates (N, 4H), preactivations without their recurrent part;
//             y and c (N, H) are h and c after each step. The right factor is w^T.
//   backward: the gradients of the preactivations replace the activations. The right factor is w.
HEED_KERNEL(template <class T>
            void lstm_layer_forward(T* y, T* c, T* gates, const RecurrentLayer<T>& layer));
HEED_KERNEL(template <class T> void lstm_layer_backward(T* gates, const LstmGrads<T>& d, const T* c,
                                                        const RecurrentLayer<T>& layer));

// The same for gru() and its steps:
//   forward:  gates and u (N, 3H) as gru_step_forward() takes them, u with the bias only.
//             The right factor is w^T.
//   backward: da and du replace gates and u. dh (B, H) comes in as the gradient of the last states,
//             and goes out as that of the first ones if wanted. dy may be null for zeros.
//             The right factor is w.
HEED_KERNEL(template <class T>
            void gru_layer_forward(T* y, T* gates, T* u, const RecurrentLayer<T>& layer));
HEED_KERNEL(template <class T> void gru_layer_backward(T* gates, T* u, T* dh, const T* dy,
                                                       const T* y, int dh_wanted,
                                                       const RecurrentLayer<T>& layer));
