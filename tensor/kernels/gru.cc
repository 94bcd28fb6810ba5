#include "tensor/kernels/gru.h"

#include "tensor/kernels/math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

static int64_t grain(int64_t hidden) {
  return 4096 / (hidden + 1) + 1;
}

template <class T>
void gru_step_forward(T* h, T* gates, const T* u, const T* h_prev, int64_t rows, int64_t hidden) {
  parallel_ranges(rows, grain(hidden), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T* __restrict r = gates + row * 3 * hidden;
      T* __restrict z = r + hidden;
      T* __restrict n = z + hidden;
      const T* from_state = u + row * 3 * hidden;
#pragma omp simd
      for (int64_t k = 0; k < hidden; ++k) {
        r[k] = math::sigmoid(r[k] + from_state[k]);
        z[k] = math::sigmoid(z[k] + from_state[hidden + k]);
        n[k] = math::tanh(n[k] + r[k] * from_state[2 * hidden + k]);
        h[row * hidden + k] = (T(1) - z[k]) * n[k] + z[k] * h_prev[row * hidden + k];
      }
    }
  });
}

template <class T>
void gru_step_backward(T* gates, T* u, T* dh, const T* dy, const T* h_prev, int64_t rows,
                       int64_t hidden) {
  parallel_ranges(rows, grain(hidden), [=](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) {
      T* gate = gates + row * 3 * hidden;
      T* from_state = u + row * 3 * hidden;
#pragma omp simd
      for (int64_t k = 0; k < hidden; ++k) {
        const int64_t at = row * hidden + k;
        const T r = gate[k], z = gate[hidden + k], n = gate[2 * hidden + k];
        const T d = dh[at] + dy[at];
        const T dn = d * (T(1) - z) * (T(1) - n * n);
        const T dz = d * (h_prev[at] - n) * z * (T(1) - z);
        const T dr = dn * from_state[2 * hidden + k] * r * (T(1) - r);
        gate[k] = from_state[k] = dr;
        gate[hidden + k] = from_state[hidden + k] = dz;
        gate[2 * hidden + k] = dn;
        from_state[2 * hidden + k] = dn * r;
        dh[at] = d * z;
      }
    }
  });
}

HEED_INSTANTIATE(gru_step_forward);
HEED_INSTANTIATE(gru_step_backward);

}  // namespace heed::cpu
