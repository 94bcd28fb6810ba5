#pragma once

#include "tensor/kernels/kernel.h"

// One time step of an LSTM, everything after the matrix products. A row of the gate buffer holds
// i, f, g, o, each `hidden` wide.
//
//   in: gates (rows, 4 hidden) preactivations, c_prev (rows, hidden), null for zeros
//   i, f, o = sigmoid(.), g = tanh(.)      replace the preactivations
//   c = f c_prev + i g
//   h = o tanh(c)
HEED_KERNEL(template <class T> void lstm_step_forward(T* h, T* c, T* gates, const T* c_prev,
                                                      int64_t rows, int64_t hidden));
// Its gradient, with dh = dy + dh_next and dc_next coming in:
//   dc      = dc_next + dh o (1 - tanh(c)^2)
//   dgates  = (dc g i(1-i), dc c_prev f(1-f), dc i (1-g^2), dh tanh(c) o(1-o))   replace the gates
//   dc_next = dc f                        becomes dc_next of the step before
// dy and c_prev may be null for zeros. dh_next and dc_next come in for the first dh_rows and
// dc_rows rows only, and are zero for those below.
HEED_KERNEL(template <class T> void lstm_step_backward(T* gates, T* dc_next, const T* dh_next,
                                                       const T* dy, const T* c, const T* c_prev,
                                                       int64_t dh_rows, int64_t dc_rows,
                                                       int64_t rows, int64_t hidden));
