#include "tensor/kernels/cross_entropy.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"

namespace heed::gpu {

// One block for each row, here and below.
template <class T>
__global__ void cross_entropy_kernel(T* nll, const T* x, const int32_t* targets, int64_t cols) {
  const T* row = x + blockIdx.x * cols;
  const T max = row_max(row, cols), sum = row_exp_sum(row, max, cols);
  if (threadIdx.x == 0) nll[blockIdx.x] = std::log(sum) - (row[targets[blockIdx.x]] - max);
}

template <class T>
__global__ void cross_entropy_backward_kernel(Out<T> dx, const T* x, const int32_t* targets,
                                              const T* dnll, int64_t cols) {
  const T* row = x + blockIdx.x * cols;
  const int64_t target = targets[blockIdx.x];
  const T max = row_max(row, cols), scale = T(1) / row_exp_sum(row, max, cols);
  const T d = dnll[blockIdx.x];
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    const T p = math::exp(row[i] - max) * scale;
    dx.put(blockIdx.x * cols + i, d * (p - (i == target ? T(1) : T(0))));
  }
}

// Thread target % blockDim.x has the target's column: no other thread reads or writes it, so the
// logits can be replaced where they lie.
template <class T>
__global__ void cross_entropy_in_place_kernel(T* nll, T* x, const int32_t* targets, int64_t cols) {
  T* row = x + blockIdx.x * cols;
  const int64_t target = targets[blockIdx.x];
  const T max = row_max(row, cols), sum = row_exp_sum(row, max, cols), scale = T(1) / sum;
  if (target % blockDim.x == threadIdx.x) nll[blockIdx.x] = std::log(sum) - (row[target] - max);
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
    row[i] = math::exp(row[i] - max) * scale - (i == target ? T(1) : T(0));
  }
}

template <class T>
void cross_entropy_forward(T* nll, const T* x, const int32_t* targets, int64_t rows, int64_t cols) {
  launch<cross_entropy_kernel<T>>({rows, row_threads(cols)}, nll, x, targets, cols);
}

template <class T>
void cross_entropy_backward(Out<T> dx, const T* x, const int32_t* targets, const T* dnll,
                            int64_t rows, int64_t cols) {
  launch<cross_entropy_backward_kernel<T>>({rows, row_threads(cols)}, dx, x, targets, dnll, cols);
}

template <class T>
void cross_entropy_in_place(T* nll, T* x, const int32_t* targets, int64_t rows, int64_t cols) {
  launch<cross_entropy_in_place_kernel<T>>({rows, row_threads(cols)}, nll, x, targets, cols);
}

HEED_INSTANTIATE(cross_entropy_forward);
HEED_INSTANTIATE(cross_entropy_backward);
HEED_INSTANTIATE(cross_entropy_in_place);

}  // namespace heed::gpu
