#include "tensor/kernels/gru.h"

#include "tensor/cuda/launch.h"
#include "tensor/kernels/math.h"

namespace heed::gpu {

template <class T>
void gru_step_forward(T* h, T* gates, const T* u, const T* h_prev, int64_t rows, int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    const int64_t first = at / hidden * 3 * hidden + at % hidden;
    const T* from_state = u + first;
    T* gate = gates + first;
    const T r = math::sigmoid(gate[0] + from_state[0]);
    const T z = math::sigmoid(gate[hidden] + from_state[hidden]);
    const T n = math::tanh(gate[2 * hidden] + r * from_state[2 * hidden]);
    gate[0] = r;
    gate[hidden] = z;
    gate[2 * hidden] = n;
    h[at] = (T(1) - z) * n + z * h_prev[at];
  });
}

template <class T>
void gru_step_backward(T* gates, T* u, T* dh, const T* dy, const T* h_prev, int64_t rows,
                       int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    const int64_t first = at / hidden * 3 * hidden + at % hidden;
    T *gate = gates + first, *from_state = u + first;
    const T r = gate[0], z = gate[hidden], n = gate[2 * hidden];
    const T d = dh[at] + dy[at];
    const T dn = d * (T(1) - z) * (T(1) - n * n);
    const T dz = d * (h_prev[at] - n) * z * (T(1) - z);
    const T dr = dn * from_state[2 * hidden] * r * (T(1) - r);
    gate[0] = from_state[0] = dr;
    gate[hidden] = from_state[hidden] = dz;
    gate[2 * hidden] = dn;
    from_state[2 * hidden] = dn * r;
    dh[at] = d * z;
  });
}

HEED_INSTANTIATE(gru_step_forward);
HEED_INSTANTIATE(gru_step_backward);

}  // namespace heed::gpu
