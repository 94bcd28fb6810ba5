#include "tensor/kernels/norm.h"

#include "tensor/kernels/columns.h"
#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

template <class T>
void layer_norm_forward(T* y, T* saved, const T* x, const T* gain, const T* bias, T eps,
                        int64_t rows, int64_t cols) {
  parallel_for(rows, [=](int64_t row) {
    const T* in = x + row * cols;
    const T mean = row_sum(in, cols) / T(cols);
    T squares = 0;
#pragma omp simd reduction(+ : squares)
    for (int64_t i = 0; i < cols; ++i) squares += (in[i] - mean) * (in[i] - mean);
    const T r = T(1) / std::sqrt(squares / T(cols) + eps);
    for (int64_t i = 0; i < cols; ++i) y[row * cols + i] = (in[i] - mean) * r * gain[i] + bias[i];
    saved[2 * row] = mean;
    saved[2 * row + 1] = r;
  });
}

template <class T>
void layer_norm_backward(Out<T> dx, const T* x, const T* gain, const T* saved, const T* dy,
                         int64_t rows, int64_t cols) {
  parallel_for(rows, [=](int64_t row) {
    const T *in = x + row * cols, *d_out = dy + row * cols;
    const T mean = saved[2 * row], r = saved[2 * row + 1];
    T sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
    for (int64_t i = 0; i < cols; ++i) {
      const T d = d_out[i] * gain[i];
      sum += d;
      dot += d * (in[i] - mean) * r;
    }
    for (int64_t i = 0; i < cols; ++i) {
      const T z = (in[i] - mean) * r;
      dx.put(row * cols + i, r * (d_out[i] * gain[i] - sum / T(cols) - z * dot / T(cols)));
    }
  });
}

template <class T>
void layer_norm_parameters(T* dgain, T* dbias, const T* x, const T* saved, const T* dy,
                           int64_t rows, int64_t cols) {
  constexpr int64_t kBlock = 4 * kTerms;  // rows whose dy is still in the cache for dbias
  parallel_ranges(cols, kLanes, [=](int64_t begin, int64_t end) {  // a column belongs to one thread
    double gain[kLanes] = {}, bias[kLanes] = {};
    for (int64_t first = 0; first < rows; first += kBlock) {
      const int64_t count = std::min(kBlock, rows - first);
      const T* const d = dy + first * cols + begin;
      if (dgain) {
        const T *const in = x + first * cols + begin, *const of_row = saved + 2 * first;
        add_rows<T>(gain, count, end - begin, [=](int64_t row, int64_t i) {
          return d[row * cols + i] * (in[row * cols + i] - of_row[2 * row]) * of_row[2 * row + 1];
        });
      }
      if (!dbias) continue;
      add_rows<T>(bias, count, end - begin,
                  [=](int64_t row, int64_t i) { return d[row * cols + i]; });
    }
    for (int64_t i = begin; i < end; ++i) {
      if (dgain) dgain[i] += static_cast<T>(gain[i - begin]);
      if (dbias) dbias[i] += static_cast<T>(bias[i - begin]);
    }
  });
}

HEED_INSTANTIATE(layer_norm_forward, layer_norm_backward, layer_norm_parameters);

}  // namespace heed::cpu
