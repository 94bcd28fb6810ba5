#include "tensor/kernels/lstm.h"

#include "tensor/cuda/launch.h"
#include "tensor/kernels/cells.h"

namespace heed::gpu {

template <class T>
void lstm_step_forward(T* h, T* c, T* gates, const T* c_prev, int64_t rows, int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    T* const gate = gates + at / hidden * 4 * hidden + at % hidden;
    lstm_unit<T>(gate, hidden, c_prev ? c_prev[at] : T(0), c[at], h[at]);
  });
}

template <class T>
void lstm_step_backward(T* gates, T* dc_next, const T* dh_next, const T* dy, const T* c,
                        const T* c_prev, int64_t dh_rows, int64_t dc_rows, int64_t rows,
                        int64_t hidden) {
  for_each(rows * hidden, [=] __device__(int64_t at) {
    T* const gate = gates + at / hidden * 4 * hidden + at % hidden;
    const T dh = (dy ? dy[at] : T(0)) + (at < dh_rows * hidden ? dh_next[at] : T(0));
    const T dc = at < dc_rows * hidden ? dc_next[at] : T(0);
    dc_next[at] = lstm_unit_backward<T>(gate, hidden, c[at], c_prev ? c_prev[at] : T(0), dh, dc);
  });
}

HEED_INSTANTIATE(lstm_step_forward, lstm_step_backward);

}  // namespace heed::gpu
