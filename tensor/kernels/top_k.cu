#include "tensor/kernels/top_k.h"

#include "tensor/cuda/launch.h"
#include "tensor/cuda/row_math.h"

namespace heed::gpu {

template <class T> __device__ T nan_last(T x) {
  return x == x ? x : T(-std::numeric_limits<T>::infinity());
}

// A block for each row: finds one after the other, each the first of the largest that come after
// the one before, by (value, column).
template <class T>
void top_k_log_softmax(double* log_probs, int32_t* ids, const T* x, int64_t rows, int64_t cols,
                       int64_t k) {
  for_each_block({rows, row_threads(cols)}, [=] __device__(int64_t r) {
    const T* const row = x + r * cols;
    T max = 0, value = std::numeric_limits<T>::infinity();
    int64_t column = -1;
    double log_sum = 0;
    for (int64_t place = r * k; place < (r + 1) * k; ++place) {
      const auto comes_after = [&](int64_t i) {
        const T at = nan_last(row[i]);
        return at < value || (at == value && i > column);
      };
      T next = -std::numeric_limits<T>::infinity();
      for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) {
        if (comes_after(i)) next = Max::apply(next, nan_last(row[i]));
      }
      next = block_max(next);
      int64_t first = -cols;  // the column, negated
      for (int64_t i = threadIdx.x; i < cols && first == -cols; i += blockDim.x) {
        if (comes_after(i) && nan_last(row[i]) == next) first = -i;
      }
      column = -block_max(first);
      value = next;
      if (place == r * k) {
        max = value;
        log_sum = std::log(static_cast<double>(row_exp_sum(row, max, cols)));
      }
      if (threadIdx.x == 0) {
        ids[place] = static_cast<int32_t>(column);
        log_probs[place] = static_cast<double>(value) - max - log_sum;
      }
    }
  });
}

HEED_INSTANTIATE(top_k_log_softmax);

}  // namespace heed::gpu
