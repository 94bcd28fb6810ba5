#pragma once

#include "tensor/kernels/kernel.h"

namespace heed {

// One LSTM layer over a packed batch of N rows and B sequences (autograd/packing.h), H = hidden.
// Step t has the rows [offsets[t], offsets[t + 1]): its sequences are the first ones of step t - 1.
template <class T> struct LstmLayer {
  const int64_t* offsets;            // (steps + 1), on the host
  const int32_t* offsets_on_device;  // the same on a GPU, if steps > 1
  int64_t steps, hidden;
  const T* w;        // (4H, H)
  const T* packed;   // the right factor of a step's product for gemm_packed(), or null
  const T *h0, *c0;  // (B, H), null for zeros

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
  // (B, H): where given, the gradients of the last states, else not initialised; in the end those
  // of the first states, dh only if wanted.
  T *dh, *dc;
  bool dh_given, dc_given, dh_wanted;
};

}  // namespace heed

// All steps, as lstm() in autograd/ops.h says; a step is a product and lstm_step_forward() or
// lstm_step_backward(). A GPU may do them in one kernel (persistent_lstm.h).
//   forward:  gates (N, 4H), preactivations without their recurrent part, give way to activations;
//             y and c (N, H) are h and c after each step. The right factor is w^T.
//   backward: activations give way to the gradients of the preactivations. The right factor is w.
HEED_KERNEL(template <class T>
            void lstm_layer_forward(T* y, T* c, T* gates, const LstmLayer<T>& layer));
HEED_KERNEL(template <class T> void lstm_layer_backward(T* gates, const LstmGrads<T>& d, const T* c,
                                                        const LstmLayer<T>& layer));
// Whether the current device does all steps of such a layer in one kernel.
HEED_KERNEL(template <class T> void lstm_layer_fits(bool* fits, int64_t batch, int64_t hidden));
