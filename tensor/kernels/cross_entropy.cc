#include "tensor/kernels/cross_entropy.h"

#include <vector>

#include "tensor/kernels/row_math.h"
#include "tensor/parallel.h"

namespace heed::cpu {

// What smoothing adds to the loss of a row; `target` is the logit of the target.
template <class T> static T smoothed(const T* row, T target, T smoothing, int64_t cols) {
  return smoothing > T(0) ? smoothing * (target - row_sum(row, cols) / T(cols)) : T(0);
}

template <class T>
void cross_entropy_forward(T* loss, const T* x, const int32_t* targets, T smoothing, int64_t rows,
                           int64_t cols) {
  for_each_row(rows, 4 * cols, [=](int64_t r) {
    const T* row = x + r * cols;
    const T max = row_max(row, cols), target = row[targets[r]];
    const T nll = std::log(row_sum_exp(row, max, cols)) - (target - max);
    loss[r] = nll + smoothed(row, target, smoothing, cols);
  });
}

template <class T>
void cross_entropy_backward(Out<T> dx, const T* x, const int32_t* targets, T smoothing,
                            const T* dloss, int64_t rows, int64_t cols) {
  const T share = smoothing / T(cols);
  parallel_ranges(rows, 4096 / (cols + 1) + 1, [=](int64_t begin, int64_t end) {
    std::vector<T> p(cols);
    for (int64_t r = begin; r < end; ++r) {
      const T* row = x + r * cols;
      const T scale = dloss[r] / row_exp(p.data(), row, row_max(row, cols), cols);
      const T off = share * dloss[r];
      const Out<T> d = dx.from(r * cols);
#pragma omp simd
      for (int64_t i = 0; i < cols; ++i) d.put(i, scale * p[i] - off);
      d.at[targets[r]] -= (T(1) - smoothing) * dloss[r];
    }
  });
}

template <class T>
void cross_entropy_in_place(T* nll, T* loss, T* x, const int32_t* targets, const T* weights,
                            T smoothing, int64_t rows, int64_t cols) {
  for_each_row(rows, 4 * cols, [=](int64_t r) {
    T* row = x + r * cols;
    const T max = row_max(row, cols), target = row[targets[r]];
    const T extra = smoothed(row, target, smoothing, cols);
    const T sum = row_exp(row, row, max, cols);
    const T weight = weights ? weights[r] : T(1);
    const T scale = weight / sum, share = weight * (smoothing / T(cols));
    nll[r] = std::log(sum) - (target - max);
    loss[r] = weight * (nll[r] + extra);
#pragma omp simd
    for (int64_t i = 0; i < cols; ++i) row[i] = row[i] * scale - share;
    row[targets[r]] -= weight * (T(1) - smoothing);
  });
}

HEED_INSTANTIATE(cross_entropy_forward, cross_entropy_backward, cross_entropy_in_place);

}  // namespace heed::cpu
