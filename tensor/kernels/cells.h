// The arithmetic of one unit of an LSTM or a GRU in one time step, for the loops of the CPU, which
// the compiler vectorises, and for the threads of a GPU. The formulas stand in lstm.h and gru.h.
//
// The ..._unit functions process one unit from memory to memory. The loops call them, because GCC
// does not vectorise an `omp simd` loop that has a struct of its own.
#pragma once

#include "tensor/kernels/kernel.h"
#include "tensor/kernels/math.h"

namespace heed {

// The gates of a unit, `hidden` apart in a row of the gate buffer.
template <class T> struct LstmGates {
  T i, f, g, o;

  static HEED_HD LstmGates load(const T* at, int64_t hidden) {
    return {at[0], at[hidden], at[2 * hidden], at[3 * hidden]};
  }
  HEED_HD void store(T* at, int64_t hidden) const {
    at[0] = i;
    at[hidden] = f;
    at[2 * hidden] = g;
    at[3 * hidden] = o;
  }
};

// Replaces preactivations by activations.
template <class T> HEED_HD void lstm_cell(LstmGates<T>& a, T c_prev, T& c, T& h) {
  a.i = math::sigmoid(a.i);
  a.f = math::sigmoid(a.f);
  a.g = math::tanh(a.g);
  a.o = math::sigmoid(a.o);
  c = a.f * c_prev + a.i * a.g;
  h = a.o * math::tanh(c);
}

// Replaces activations by the gradients of the preactivations. dh and dc are the incoming
// gradients. Returns dc of the step before.
template <class T> HEED_HD T lstm_cell_backward(LstmGates<T>& a, T c, T c_prev, T dh, T dc) {
  const T i = a.i, f = a.f, g = a.g, o = a.o, tanh_c = math::tanh(c);
  dc += dh * o * (T(1) - tanh_c * tanh_c);
  a.i = dc * g * i * (T(1) - i);
  a.f = dc * c_prev * f * (T(1) - f);
  a.g = dc * i * (T(1) - g * g);
  a.o = dh * tanh_c * o * (T(1) - o);
  return dc * f;
}

template <class T> HEED_HD void lstm_unit(T* gate, int64_t hidden, T c_prev, T& c, T& h) {
  auto a = LstmGates<T>::load(gate, hidden);
  lstm_cell(a, c_prev, c, h);
  a.store(gate, hidden);
}
template <class T>
HEED_HD T lstm_unit_backward(T* gate, int64_t hidden, T c, T c_prev, T dh, T dc) {
  auto a = LstmGates<T>::load(gate, hidden);
  dc = lstm_cell_backward(a, c, c_prev, dh, dc);
  a.store(gate, hidden);
  return dc;
}

// The gates of a unit of a GRU, r, z and n, are `hidden` apart, too; so are the parts of u.
// Replaces preactivations by activations. Returns h.
template <class T> HEED_HD T gru_unit(T* a, const T* u, int64_t hidden, T h_prev) {
  const T r = math::sigmoid(a[0] + u[0]);
  const T z = math::sigmoid(a[hidden] + u[hidden]);
  const T n = math::tanh(a[2 * hidden] + r * u[2 * hidden]);
  a[0] = r;
  a[hidden] = z;
  a[2 * hidden] = n;
  return (T(1) - z) * n + z * h_prev;
}

// Replaces activations by da, and u by du. d is the gradient of h. Returns the part of dh_prev that
// does not come through u.
template <class T> HEED_HD T gru_unit_backward(T* a, T* u, int64_t hidden, T h_prev, T d) {
  const T r = a[0], z = a[hidden], n = a[2 * hidden];
  const T dn = d * (T(1) - z) * (T(1) - n * n);
  const T dz = d * (h_prev - n) * z * (T(1) - z);
  const T dr = dn * u[2 * hidden] * r * (T(1) - r);
  a[0] = u[0] = dr;
  a[hidden] = u[hidden] = dz;
  a[2 * hidden] = dn;
  u[2 * hidden] = dn * r;
  return d * z;
}

}  // namespace heed
