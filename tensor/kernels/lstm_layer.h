#pragma once

#include "tensor/kernels/kernel.h"

// All time steps of one LSTM layer in one kernel, which stays on the GPU from the first step to the
// last and keeps its part of the recurrent weights in shared memory ("persistent": Diamos et al.
// 2016, Persistent RNNs). The arithmetic is that of lstm() in autograd/ops.h; products are summed
// in f32 or f64, whatever set_matmul() says, in an order that depends on the sizes only.
//
// `offsets` (steps + 1) are those of a Packing: step t has the rows [offsets[t], offsets[t + 1]) of
// a packed batch. w is (4 hidden, hidden).

// Whether the current device can and is to run such a layer: the environment says
// HEED_PERSISTENT=1, the device launches cooperatively, and the weights fit into its
// multiprocessors (docs/cuda.md has the formula). Never on the CPU. Throws UsageError for other
// values of HEED_PERSISTENT than 0 and 1.
HEED_KERNEL(template <class T> void lstm_layer_fits(bool* fits, int64_t batch, int64_t hidden));
// gates: preactivations without the recurrent part, which give way to activations. h0 and c0 are
// null for zeros.
HEED_KERNEL(template <class T> void lstm_layer_forward(T* y, T* c, T* gates, const T* w,
                                                       const T* h0, const T* c0,
                                                       const int32_t* offsets, int64_t steps,
                                                       int64_t batch, int64_t hidden));
// gates: activations, which give way to the gradients of the preactivations. dh and dc (batch,
// hidden): where `dh_given` and `dc_given` say so, the gradients of the last states; in the end
// those of the first ones, dh only if `dh_wanted`. dy and c0 are null for zeros.
HEED_KERNEL(template <class T>
            void lstm_layer_backward(T* gates, T* dh, T* dc, const T* dy, const T* c, const T* w,
                                     const T* c0, const int32_t* offsets, int64_t steps,
                                     int64_t batch, int64_t hidden, bool dh_given, bool dc_given,
                                     bool dh_wanted));
