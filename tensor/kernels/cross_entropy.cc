#include "tensor/kernels/cross_entropy.h"

#include <vector>

#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

template <class T>
void cross_entropy_rows(T* nll, T* x, const int32_t* targets, int64_t rows, int64_t cols,
                        bool with_grad) {
  parallel_ranges(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      T* row = x + r * cols;
      const T max = row_max(row, cols), target = row[targets[r]];
      const T sum = row_exp(row, row, max, cols);
      nll[r] = std::log(sum) + max - target;
      if (!with_grad) continue;
      const T scale = T(1) / sum;
#pragma omp simd
      for (int64_t i = 0; i < cols; ++i) row[i] *= scale;
      row[targets[r]] -= T(1);
    }
  });
}

template <class T>
void cross_entropy_backward(T* dx, const T* x, const int32_t* targets, const T* dnll, int64_t rows,
                            int64_t cols) {
  parallel_ranges(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    std::vector<T> p(cols);
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r * cols;
      const T sum = row_exp(p.data(), row, row_max(row, cols), cols);
      row_axpy(dx + r * cols, dnll[r] / sum, p.data(), cols);
      dx[r * cols + targets[r]] -= dnll[r];
    }
  });
}

HEED_INSTANTIATE(cross_entropy_rows);
HEED_INSTANTIATE(cross_entropy_backward);

}  // namespace heed::cpu
