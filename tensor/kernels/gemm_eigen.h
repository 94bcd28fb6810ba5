// HEED_GEMM=eigen: the products of gemm.h by Eigen 3.4, as a readable reference, for processors
// without a tile of ours, and to measure what ours gains.
#pragma once

#include <Eigen/Core>
#include <algorithm>

#include "tensor/kernels/gemm.h"
#include "tensor/parallel.h"

#pragma GCC visibility push(hidden)
namespace heed::cpu {

template <class T> class ByEigen {
 public:
  // Threads take pieces of C, whose bounds depend on C only.
  static void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
    const int64_t across = (c.cols + kCols - 1) / kCols;
    parallel_for((c.rows + kRows - 1) / kRows * across, [=](int64_t piece) {
      const int64_t i = piece / across * kRows, rows = std::min(kRows, c.rows - i);
      const int64_t j = piece % across * kCols, cols = std::min(kCols, c.cols - j);
      // Eigen sums rows that do not fill its tile in another order. Zeros fill the tile, so that a
      // row has the same bits alone as among others.
      Matrix left = Matrix::Zero((rows + kTogether - 1) / kTogether * kTogether, a.cols);
      left.topRows(rows) = view(a).middleRows(i, rows);
      const Matrix right = view(b).middleCols(j, cols);
      const Matrix product = left * right;
      auto to = view(c).block(i, j, rows, cols);
      if (write == Write::add) {
        to += product.topRows(rows);
      } else {
        to = product.topRows(rows);
      }
    });
  }

  // Eigen packs for itself; here B is only laid out as (k, n).
  static int64_t packed_size(int64_t k, int64_t n) { return k * n; }
  static void pack_matrix(T* packed, Mat<const T> b) {
    view(Mat<T>{packed, b.rows, b.cols, b.cols}) = view(b);
  }
  static void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
    gemm(c, a, {packed, a.cols, c.cols, c.cols}, write);
  }

 private:
  static constexpr int64_t kRows = 256, kCols = 480, kTogether = 16;

  using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  using Stride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

  static Eigen::Map<Matrix, 0, Stride> view(Mat<T> x) { return {x.at, x.rows, x.cols, stride(x)}; }
  static Eigen::Map<const Matrix, 0, Stride> view(Mat<const T> x) {
    return {x.at, x.rows, x.cols, stride(x)};
  }
  // From a row to the next, and from a column to the next.
  static Stride stride(Mat<const T> x) { return x.transposed ? Stride(1, x.ld) : Stride(x.ld, 1); }
};

}  // namespace heed::cpu
#pragma GCC visibility pop
