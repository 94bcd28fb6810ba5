#include "tensor/kernels/cross_entropy.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"

namespace heed::gpu {

// What smoothing adds to the loss of a row.
template <class T> __device__ T smoothed(const T* row, T target, T smoothing, int64_t cols) {
  return smoothing > T(0) ? smoothing * (target - row_sum(row, cols) / T(cols)) : T(0);
}

// One block for each row, here and below.
template <class T>
void cross_entropy_forward(T* loss, const T* x, const int32_t* targets, T smoothing, int64_t rows,
                           int64_t cols) {
  for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t r) {
    const T* row = x + r * cols;
    const T max = row_max(row, cols), sum = row_exp_sum(row, max, cols);
    const T target = row[targets[r]], extra = smoothed(row, target, smoothing, cols);
    if (threadIdx.x == 0) loss[r] = std::log(sum) - (target - max) + extra;
  });
}

template <class T>
void cross_entropy_backward(Out<T> dx, const T* x, const int32_t* targets, T smoothing,
                            const T* dloss, int64_t rows, int64_t cols) {
  for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t r) {
    const T* row = x + r * cols;
    const int64_t target = targets[r];
    const T max = row_max(row, cols), scale = T(1) / row_exp_sum(row, max, cols);
    const T d = dloss[r], share = smoothing / T(cols);
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      const T p = math::exp(row[i] - max) * scale;
      dx.put(r * cols + i, d * (p - share - (i == target ? T(1) - smoothing : T(0))));
    }
  });
}

// Thread target % blockDim.x has the target's column: no other thread reads or writes it, so the
// logits can be replaced where they lie.
template <class T>
void cross_entropy_in_place(T* nll, T* loss, T* x, const int32_t* targets, const T* weights,
                            T smoothing, int64_t rows, int64_t cols) {
  for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t r) {
    T* row = x + r * cols;
    const int64_t target = targets[r];
    const T weight = weights ? weights[r] : T(1);
    const T max = row_max(row, cols), sum = row_exp_sum(row, max, cols), scale = weight / sum;
    const T mean = smoothing > T(0) ? row_sum(row, cols) / T(cols) : T(0);
    const T share = weight * (smoothing / T(cols)), whole = weight * (T(1) - smoothing);
    if (target % blockDim.x == threadIdx.x) {
      const T of_row = std::log(sum) - (row[target] - max);
      nll[r] = of_row;
      loss[r] = weight * (smoothing > T(0) ? of_row + smoothing * (row[target] - mean) : of_row);
    }
    for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
      row[i] = math::exp(row[i] - max) * scale - share - (i == target ? whole : T(0));
    }
  });
}

HEED_INSTANTIATE(cross_entropy_forward, cross_entropy_backward, cross_entropy_in_place);

}  // namespace heed::gpu
