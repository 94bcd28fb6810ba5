// The arithmetic of one unit of an LSTM in one time step, for the kernels on a GPU. The formulas
// stand in lstm.h; a[4] are i, f, g, o.
#pragma once

#include "tensor/kernels/kernel.h"
#include "tensor/kernels/math.h"

namespace heed {

// Preactivations give way to activations.
template <class T> HEED_HD void lstm_cell(T (&a)[4], T c_prev, T& c, T& h) {
  a[0] = math::sigmoid(a[0]);
  a[1] = math::sigmoid(a[1]);
  a[2] = math::tanh(a[2]);
  a[3] = math::sigmoid(a[3]);
  c = a[1] * c_prev + a[0] * a[2];
  h = a[3] * math::tanh(c);
}

// Activations give way to the gradients of the preactivations. dh and dc: what comes in from
// elsewhere. Returns dc of the step before.
template <class T> HEED_HD T lstm_cell_backward(T (&a)[4], T c, T c_prev, T dh, T dc) {
  const T i = a[0], f = a[1], g = a[2], o = a[3], tanh_c = math::tanh(c);
  dc += dh * o * (T(1) - tanh_c * tanh_c);
  a[0] = dc * g * i * (T(1) - i);
  a[1] = dc * c_prev * f * (T(1) - f);
  a[2] = dc * i * (T(1) - g * g);
  a[3] = dh * tanh_c * o * (T(1) - o);
  return dc * f;
}

// The four gates of a unit, `hidden` apart.
template <class T> HEED_HD void get_gates(T (&a)[4], const T* gate, int64_t hidden) {
  for (int i = 0; i < 4; ++i) a[i] = gate[i * hidden];
}
template <class T> HEED_HD void put_gates(T* gate, const T (&a)[4], int64_t hidden) {
  for (int i = 0; i < 4; ++i) gate[i * hidden] = a[i];
}

}  // namespace heed
