#include "tensor/kernels/gru.h"

#include "tensor/cuda/launch.h"
#include "tensor/kernels/cells.h"

namespace heed::gpu {

template <class T>
void gru_step_forward(T* h, T* gates, const T* u, const T* h_prev, int64_t rows, int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    const int64_t first = at / hidden * 3 * hidden + at % hidden;
    h[at] = gru_unit<T>(gates + first, u + first, hidden, h_prev ? h_prev[at] : T(0));
  });
}

template <class T>
void gru_step_backward(T* gates, T* u, T* dh, const T* dy, const T* h_prev, int64_t rows,
                       int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    const int64_t first = at / hidden * 3 * hidden + at % hidden;
    dh[at] = gru_unit_backward<T>(gates + first, u + first, hidden, h_prev ? h_prev[at] : T(0),
                                  dh[at] + (dy ? dy[at] : T(0)));
  });
}

HEED_INSTANTIATE(gru_step_forward, gru_step_backward);

}  // namespace heed::gpu
