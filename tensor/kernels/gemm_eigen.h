// HEED_GEMM=eigen: products by the single-threaded GEMM of Eigen 3.4, for processors that have no
// tile of ours, and to see what ours buys. Shared out so that the promises of gemm.h hold: pieces
// that depend on C only, and every row among as many others as Eigen's tile takes, since it sums
// single ones in another order.
#pragma once

#include <Eigen/Core>

#include "tensor/kernels/gemm_pack.h"

#pragma GCC visibility push(hidden)
namespace heed::cpu {

template <class T> class ByEigen {
 public:
  static void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
    const int64_t across = (c.cols + kColumns - 1) / kColumns;
    parallel_for((c.rows + kRows - 1) / kRows * across, [=](int64_t piece) {
      const int64_t i = piece / across * kRows, j = piece % across * kColumns;
      const Mat<T> to{c.at + i * c.ld + j, std::min(kRows, c.rows - i),
                      std::min(kColumns, c.cols - j), c.ld};
      for (int64_t row = 0; row < to.rows && write == Write::assign; ++row) {
        std::fill_n(to.at + row * to.ld, to.cols, T(0));
      }
      add(to, rows(a, i, to.rows), columns(b, j, to.cols));
    });
  }

  // Eigen packs for itself; here B is only laid out as (k, n).
  static int64_t packed_size(int64_t k, int64_t n) { return k * n; }

  static void pack_matrix(T* packed, Mat<const T> b) {
    const int64_t down = b.transposed ? 1 : b.ld, right = b.transposed ? b.ld : 1, n = b.cols;
    parallel_ranges(b.rows, 16, [=](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        for (int64_t j = 0; j < n; ++j) packed[k * n + j] = b.at[k * down + j * right];
      }
    });
  }

  static void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
    gemm(c, a, {packed, a.cols, c.cols, c.cols}, write);
  }

 private:
  static constexpr int64_t kRows = 256,
                           kColumns = 480;  // of a piece; 480 are whole tiles of Eigen's
  static constexpr int64_t kTogether = Eigen::internal::gebp_traits<T, T>::nr;  // rows of a tile

  static Mat<const T> rows(Mat<const T> x, int64_t first, int64_t count) {
    return {x.at + first * (x.transposed ? 1 : x.ld), count, x.cols, x.ld, x.transposed};
  }
  static Mat<const T> columns(Mat<const T> x, int64_t first, int64_t count) {
    return {x.at + first * (x.transposed ? x.ld : 1), x.rows, count, x.ld, x.transposed};
  }

  // C += A B
  static void add(Mat<T> c, Mat<const T> a, Mat<const T> b) {
    const int64_t whole = c.rows / kTogether * kTogether, rest = c.rows - whole;
    for (int64_t k = 0; k < a.cols; k += kDepth) {
      const Mat<const T> left = columns(a, k, std::min(kDepth, a.cols - k));
      const Mat<const T> right = rows(b, k, left.cols);
      if (whole > 0) add_whole({c.at, whole, c.cols, c.ld}, rows(left, 0, whole), right);
      if (rest > 0) {
        add_rest({c.at + whole * c.ld, rest, c.cols, c.ld}, rows(left, whole, rest), right);
      }
    }
  }

  // Fewer rows than kTogether, filled up with zeros.
  static void add_rest(Mat<T> c, Mat<const T> a, Mat<const T> b) {
    T left[kTogether * kDepth] = {}, sum[kTogether * kColumns] = {};
    const int64_t down = a.transposed ? 1 : a.ld, right = a.transposed ? a.ld : 1;
    for (int64_t i = 0; i < a.rows; ++i) {
      for (int64_t k = 0; k < a.cols; ++k) left[i * kDepth + k] = a.at[i * down + k * right];
      std::copy_n(c.at + i * c.ld, c.cols, sum + i * kColumns);
    }
    add_whole({sum, kTogether, c.cols, kColumns}, {left, kTogether, a.cols, kDepth}, b);
    for (int64_t i = 0; i < c.rows; ++i) std::copy_n(sum + i * kColumns, c.cols, c.at + i * c.ld);
  }

  static void add_whole(Mat<T> c, Mat<const T> a, Mat<const T> b) {
    if (a.transposed) {
      b.transposed ? run<Eigen::ColMajor, Eigen::ColMajor>(c, a, b)
                   : run<Eigen::ColMajor, Eigen::RowMajor>(c, a, b);
    } else {
      b.transposed ? run<Eigen::RowMajor, Eigen::ColMajor>(c, a, b)
                   : run<Eigen::RowMajor, Eigen::RowMajor>(c, a, b);
    }
  }

  // Where Eigen packs its factors. C is row-major, so to Eigen it is C^T = B^T A^T.
  struct Packed {
    alignas(64) T left[kColumns * kDepth];
    alignas(64) T right[kRows * kDepth];
  };
  struct Blocking : Eigen::internal::level3_blocking<T, T> {
    Blocking(int64_t rows, int64_t cols, int64_t depth) {
      this->m_mc = cols;
      this->m_nc = rows;
      this->m_kc = depth;
      this->m_blockA = scratch<Packed>().left;
      this->m_blockB = scratch<Packed>().right;
    }
  };

  // What Eigen calls for c.noalias() += a * b, without its other ways for small and narrow
  // products, each of which sums in an order of its own.
  template <int kA, int kB> static void run(Mat<T> c, Mat<const T> a, Mat<const T> b) {
    Blocking blocking(c.rows, c.cols, a.cols);
    Eigen::internal::general_matrix_matrix_product<int64_t, T, kA, false, T, kB, false,
                                                   Eigen::RowMajor, 1>::run(c.rows, c.cols, a.cols,
                                                                            a.at, a.ld, b.at, b.ld,
                                                                            c.at, 1, c.ld, T(1),
                                                                            blocking, nullptr);
  }
};

}  // namespace heed::cpu
#pragma GCC visibility pop
