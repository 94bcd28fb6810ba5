#pragma once

#include "tensor/kernels/kernel.h"

// One time step of a GRU, everything after the matrix products. A row of the gate buffer holds
// r, z, n, each `hidden` wide. So does a row of u, the contribution of the state before.
//
//   in: gates (rows, 3 hidden) preactivations a, u (rows, 3 hidden),
//       h_prev (rows, hidden), null for zeros
//   r, z = sigmoid(a + u),  n = tanh(a + r u)       replace a
//   h = (1 - z) n + z h_prev
HEED_KERNEL(template <class T> void gru_step_forward(T* h, T* gates, const T* u, const T* h_prev,
                                                     int64_t rows, int64_t hidden));
// Its gradient, with d = dh + dy coming in:
//   dn = d (1 - z)(1 - n^2),  dz = d (h_prev - n) z(1-z),  dr = dn u_n r(1-r)
//   da = (dr, dz, dn)     replaces the gates
//   du = (dr, dz, dn r)   replaces u
//   dh = d z              without what comes through u
// dy and h_prev may be null for zeros.
HEED_KERNEL(template <class T> void gru_step_backward(T* gates, T* u, T* dh, const T* dy,
                                                      const T* h_prev, int64_t rows,
                                                      int64_t hidden));
