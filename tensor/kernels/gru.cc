#include "tensor/kernels/gru.h"

#include <vector>

#include "tensor/kernels/cells.h"
#include "tensor/kernels/row_math.h"

namespace heed::cpu {

template <class T>
void gru_step_forward(T* h, T* gates, const T* u, const T* h_prev, int64_t rows, int64_t hidden) {
  const std::vector<T> zeros(hidden);
  for_each_row(rows, 4 * hidden, [=, &zeros](int64_t row) {
    T* const gate = gates + row * 3 * hidden;
    const T* const from_state = u + row * 3 * hidden;
    const T* const before = h_prev ? h_prev + row * hidden : zeros.data();
#pragma omp simd
    for (int64_t k = 0; k < hidden; ++k) {
      h[row * hidden + k] = gru_unit(gate + k, from_state + k, hidden, before[k]);
    }
  });
}

template <class T>
void gru_step_backward(T* gates, T* u, T* dh, const T* dy, const T* h_prev, int64_t rows,
                       int64_t hidden) {
  const std::vector<T> zeros(hidden);
  for_each_row(rows, 4 * hidden, [=, &zeros](int64_t row) {
    T* const gate = gates + row * 3 * hidden;
    T* const from_state = u + row * 3 * hidden;
    const T* const before = h_prev ? h_prev + row * hidden : zeros.data();
    const T* const of_y = dy ? dy + row * hidden : zeros.data();
#pragma omp simd
    for (int64_t k = 0; k < hidden; ++k) {
      const int64_t at = row * hidden + k;
      dh[at] = gru_unit_backward(gate + k, from_state + k, hidden, before[k], dh[at] + of_y[k]);
    }
  });
}

HEED_INSTANTIATE(gru_step_forward, gru_step_backward);

}  // namespace heed::cpu
