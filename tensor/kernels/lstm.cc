#include "tensor/kernels/lstm.h"

#include "tensor/kernels/math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

static int64_t grain(int64_t hidden) {
  return 4096 / (hidden + 1) + 1;
}

template <class T>
void lstm_step_forward(T* h, T* c, T* gates, const T* c_prev, int64_t rows, int64_t hidden) {
  parallel_ranges(rows, grain(hidden), [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
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
        const T cell = f[k] * c_prev[r * hidden + k] + i[k] * g[k];
        c[r * hidden + k] = cell;
        h[r * hidden + k] = o[k] * math::tanh(cell);
      }
    }
  });
}

template <class T>
void lstm_step_backward(T* gates, T* dc_next, const T* dh_next, const T* dy, const T* c,
                        const T* c_prev, int64_t rows, int64_t hidden) {
  parallel_ranges(rows, grain(hidden), [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      T* gate = gates + r * 4 * hidden;
#pragma omp simd
      for (int64_t k = 0; k < hidden; ++k) {
        const int64_t at = r * hidden + k;
        const T i = gate[k], f = gate[hidden + k];
        const T g = gate[2 * hidden + k], o = gate[3 * hidden + k];
        const T tanh_c = math::tanh(c[at]);
        const T dh = dy[at] + dh_next[at];
        const T dc = dc_next[at] + dh * o * (T(1) - tanh_c * tanh_c);
        gate[k] = dc * g * i * (T(1) - i);
        gate[hidden + k] = dc * c_prev[at] * f * (T(1) - f);
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
