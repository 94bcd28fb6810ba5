#include "tensor/kernels/lstm.h"

#include <vector>

#include "tensor/kernels/math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

static int64_t grain(int64_t hidden) {
  return 4096 / (hidden + 1) + 1;
}

template <class T>
void lstm_step_forward(T* h, T* c, T* gates, const T* c_prev, int64_t rows, int64_t hidden) {
  const std::vector<T> zeros(hidden);
  parallel_ranges(rows, grain(hidden), [=, &zeros](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* before = c_prev ? c_prev + r * hidden : zeros.data();
      T* __restrict i = gates + r * 4 * hidden;
      T* __restrict f = i + hidden;
      T* __restrict g = f + hidden;
      T* __restrict o = g + hidden;
#pragma omp simd
      for (int64_t k = 0; k < hidden; ++k) {
        i[k] = math::sigmoid(i[k]);
        f[k] = math::sigmoid(f[k]);
        g[k] = math::tanh(g[k]);
        o[k] = math::sigmoid(o[k]);
        const T cell = f[k] * before[k] + i[k] * g[k];
        c[r * hidden + k] = cell;
        h[r * hidden + k] = o[k] * math::tanh(cell);
      }
    }
  });
}

template <class T>
void lstm_step_backward(T* gates, T* dc_next, const T* dh_next, const T* dy, const T* c,
                        const T* c_prev, int64_t dh_rows, int64_t dc_rows, int64_t rows,
                        int64_t hidden) {
  const std::vector<T> zeros(hidden);
  parallel_ranges(rows, grain(hidden), [=, &zeros](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      T* gate = gates + r * 4 * hidden;
      const T* const before = c_prev ? c_prev + r * hidden : zeros.data();
      const T* const of_y = dy ? dy + r * hidden : zeros.data();
      const T* const dh_in = r < dh_rows ? dh_next + r * hidden : zeros.data();
      const T* const dc_in = r < dc_rows ? dc_next + r * hidden : zeros.data();
#pragma omp simd
      for (int64_t k = 0; k < hidden; ++k) {
        const int64_t at = r * hidden + k;
        const T i = gate[k], f = gate[hidden + k];
        const T g = gate[2 * hidden + k], o = gate[3 * hidden + k];
        const T tanh_c = math::tanh(c[at]);
        const T dh = of_y[k] + dh_in[k];
        const T dc = dc_in[k] + dh * o * (T(1) - tanh_c * tanh_c);
        gate[k] = dc * g * i * (T(1) - i);
        gate[hidden + k] = dc * before[k] * f * (T(1) - f);
        gate[2 * hidden + k] = dc * i * (T(1) - g * g);
        gate[3 * hidden + k] = dh * tanh_c * o * (T(1) - o);
        dc_next[at] = dc * f;
      }
    }
  });
}

HEED_INSTANTIATE(lstm_step_forward);
HEED_INSTANTIATE(lstm_step_backward);

}  // namespace heed::cpu
