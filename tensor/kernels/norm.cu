#include "tensor/kernels/norm.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"
#include "tensor/kernels/sums.h"

namespace heed::gpu {

// One block for each row.
template <class T>
void layer_norm_forward(T* y, T* saved, const T* x, const T* gain, const T* bias, T eps,
                        int64_t rows, int64_t cols) {
  for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t row) {
    const T* in = x + row * cols;
    const T mean = row_sum(in, cols) / T(cols);
    T squares = 0;
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      squares += (in[i] - mean) * (in[i] - mean);
    }
    const T r = T(1) / std::sqrt(block_sum(squares) / T(cols) + eps);
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      y[row * cols + i] = (in[i] - mean) * r * gain[i] + bias[i];
    }
    if (threadIdx.x == 0) {
      saved[2 * row] = mean;
      saved[2 * row + 1] = r;
    }
  });
}

template <class T>
void layer_norm_backward(Out<T> dx, const T* x, const T* gain, const T* saved, const T* dy,
                         int64_t rows, int64_t cols) {
  for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t row) {
    const T *in = x + row * cols, *d_out = dy + row * cols;
    const T mean = saved[2 * row], r = saved[2 * row + 1];
    T sum = 0, dot = 0;
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      const T d = d_out[i] * gain[i];
      sum += d;
      dot += d * (in[i] - mean) * r;
    }
    sum = block_sum(sum);
    dot = block_sum(dot);
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      const T z = (in[i] - mean) * r;
      dx.put(row * cols + i, r * (d_out[i] * gain[i] - sum / T(cols) - z * dot / T(cols)));
    }
  });
}

// Sums down the columns: one block for kWarp of them.
template <class T>
void layer_norm_parameters(T* dgain, T* dbias, const T* x, const T* saved, const T* dy,
                           int64_t rows, int64_t cols) {
  for_each_block({(cols + kWarp - 1) / kWarp, dim3(kWarp, kDown)}, [=] __device__(int64_t strip) {
    const int64_t col = strip * kWarp + threadIdx.x;
    LongSum<T> gain, bias;
    for (int64_t row = threadIdx.y; row < rows && col < cols; row += kDown) {
      const T d = dy[row * cols + col];
      if (dgain) gain.add(d * (x[row * cols + col] - saved[2 * row]) * saved[2 * row + 1]);
      bias.add(d);
    }
    const double gain_sum = column_sum(gain.total()), bias_sum = column_sum(bias.total());
    if (threadIdx.y > 0 || col >= cols) return;
    if (dgain) dgain[col] += static_cast<T>(gain_sum);
    if (dbias) dbias[col] += static_cast<T>(bias_sum);
  });
}

HEED_INSTANTIATE(layer_norm_forward, layer_norm_backward, layer_norm_parameters);

}  // namespace heed::gpu
