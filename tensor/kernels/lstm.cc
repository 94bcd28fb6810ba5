#include "tensor/kernels/lstm.h"

#include <vector>

#include "tensor/kernels/cells.h"
#include "tensor/kernels/row_math.h"

namespace heed::cpu {

template <class T>
void lstm_step_forward(T* h, T* c, T* gates, const T* c_prev, int64_t rows, int64_t hidden) {
  const std::vector<T> zeros(hidden);
  for_each_row(rows, 4 * hidden, [=, &zeros](int64_t r) {
    const T* before = c_prev ? c_prev + r * hidden : zeros.data();
    T* const gate = gates + r * 4 * hidden;
#pragma omp simd
    for (int64_t k = 0; k < hidden; ++k) {
      lstm_unit(gate + k, hidden, before[k], c[r * hidden + k], h[r * hidden + k]);
    }
  });
}

template <class T>
void lstm_step_backward(T* gates, T* dc_next, const T* dh_next, const T* dy, const T* c,
                        const T* c_prev, int64_t dh_rows, int64_t dc_rows, int64_t rows,
                        int64_t hidden) {
  const std::vector<T> zeros(hidden);
  for_each_row(rows, 4 * hidden, [=, &zeros](int64_t r) {
    T* const gate = gates + r * 4 * hidden;
    const T* const before = c_prev ? c_prev + r * hidden : zeros.data();
    const T* const of_y = dy ? dy + r * hidden : zeros.data();
    const T* const dh_in = r < dh_rows ? dh_next + r * hidden : zeros.data();
    const T* const dc_in = r < dc_rows ? dc_next + r * hidden : zeros.data();
#pragma omp simd
    for (int64_t k = 0; k < hidden; ++k) {
      dc_next[r * hidden + k] = lstm_unit_backward(gate + k, hidden, c[r * hidden + k], before[k],
                                                   of_y[k] + dh_in[k], dc_in[k]);
    }
  });
}

HEED_INSTANTIATE(lstm_step_forward, lstm_step_backward);

}  // namespace heed::cpu
