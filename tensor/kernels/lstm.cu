#include "tensor/kernels/lstm.h"

#include "tensor/cuda/launch.h"
#include "tensor/kernels/math.h"

namespace heed::gpu {

template <class T>
void lstm_step_forward(T* h, T* c, T* gates, const T* c_prev, int64_t rows, int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    T* gate = gates + at / hidden * 4 * hidden + at % hidden;
    const T i = math::sigmoid(gate[0]), f = math::sigmoid(gate[hidden]);
    const T g = math::tanh(gate[2 * hidden]), o = math::sigmoid(gate[3 * hidden]);
    const T before = c_prev ? c_prev[at] : T(0), cell = f * before + i * g;
    gate[0] = i;
    gate[hidden] = f;
    gate[2 * hidden] = g;
    gate[3 * hidden] = o;
    c[at] = cell;
    h[at] = o * math::tanh(cell);
  });
}

template <class T>
void lstm_step_backward(T* gates, T* dc_next, const T* dh_next, const T* dy, const T* c,
                        const T* c_prev, int64_t dh_rows, int64_t dc_rows, int64_t rows,
                        int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    const int64_t first = at / hidden * 4 * hidden + at % hidden;
    const T i = gates[first], f = gates[first + hidden];
    const T g = gates[first + 2 * hidden], o = gates[first + 3 * hidden];
    const T tanh_c = math::tanh(c[at]);
    const T dh = (dy ? dy[at] : T(0)) + (at < dh_rows * hidden ? dh_next[at] : T(0));
    const T dc = (at < dc_rows * hidden ? dc_next[at] : T(0)) + dh * o * (T(1) - tanh_c * tanh_c);
    gates[first] = dc * g * i * (T(1) - i);
    gates[first + hidden] = dc * (c_prev ? c_prev[at] : T(0)) * f * (T(1) - f);
    gates[first + 2 * hidden] = dc * i * (T(1) - g * g);
    gates[first + 3 * hidden] = dh * tanh_c * o * (T(1) - o);
    dc_next[at] = dc * f;
  });
}

HEED_INSTANTIATE(lstm_step_forward);
HEED_INSTANTIATE(lstm_step_backward);

}  // namespace heed::gpu
