#include "tensor/kernels/cross_entropy.h"

#include <vector>

#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

static int64_t grain(int64_t cols) {
  return 4096 / (cols + 1) + 1;
}

template <class T>
void cross_entropy_forward(T* nll, const T* x, const int32_t* targets, int64_t rows, int64_t cols) {
  parallel_ranges(rows, grain(cols), [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r * cols;
      const T max = row_max(row, cols);
      nll[r] = std::log(row_sum_exp(row, max, cols)) - (row[targets[r]] - max);
    }
  });
}

template <class T>
void cross_entropy_backward(Out<T> dx, const T* x, const int32_t* targets, const T* dnll,
                            int64_t rows, int64_t cols) {
  parallel_ranges(rows, grain(cols), [=](int64_t begin, int64_t end) {
    std::vector<T> p(cols);
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r * cols;
      const T scale = dnll[r] / row_exp(p.data(), row, row_max(row, cols), cols);
      const Out<T> d = dx.from(r * cols);
#pragma omp simd
      for (int64_t i = 0; i < cols; ++i) d.put(i, scale * p[i]);
      d.at[targets[r]] -= dnll[r];
    }
  });
}

template <class T>
void cross_entropy_in_place(T* nll, T* x, const int32_t* targets, int64_t rows, int64_t cols) {
  parallel_ranges(rows, grain(cols), [=](int64_t begin, int64_t end) {
    for (int64_t r = begin; r < end; ++r) {
      T* row = x + r * cols;
      const T max = row_max(row, cols), target = row[targets[r]];
      const T sum = row_exp(row, row, max, cols);
      nll[r] = std::log(sum) - (target - max);
      const T scale = T(1) / sum;
#pragma omp simd
      for (int64_t i = 0; i < cols; ++i) row[i] *= scale;
      row[targets[r]] -= T(1);
    }
  });
}

HEED_INSTANTIATE(cross_entropy_forward);
HEED_INSTANTIATE(cross_entropy_backward);
HEED_INSTANTIATE(cross_entropy_in_place);

}  // namespace heed::cpu
