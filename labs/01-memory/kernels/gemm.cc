// Products of matrices by loops over blocks. It has the functions of tensor/kernels/gemm.cc, which
// lab 10 takes out, and serves all labs before that.
#include "tensor/kernels/gemm.h"

#include <algorithm>

#include "labs/01-memory/counted.h"
#include "tensor/parallel.h"

namespace heed::cpu {
namespace {

constexpr int64_t kDepth = 32, kCols = 128;  // of a block of B, kDepth even: 16 KiB of f32
constexpr int64_t kRows = 128;               // of C that a thread computes

// The block of X that begins at row i and column j, in the same memory.
template <class T> Mat<T> part(Mat<T> x, int64_t i, int64_t j, int64_t rows, int64_t cols) {
  const int64_t first = x.transposed ? j * x.ld + i : i * x.ld + j;
  return {x.at + first, rows, cols, x.ld, x.transposed};
}

// C += A B, where B is (kDepth, kCols) at most. Two rows of B at a time: a sum is read and written
// half as often.
template <class T> void add_block(Mat<T> c, Mat<const T> a, Mat<const T> b) {
  alignas(64) T rows[kDepth * kCols] = {};  // of B, however that lies in memory; then zeros
  for (int64_t k = 0; k < b.rows; ++k) {
    for (int64_t j = 0; j < b.cols; ++j) rows[k * kCols + j] = *part(b, k, j, 1, 1).at;
  }
  for (int64_t i = 0; i < c.rows; ++i) {
    T* const sums = c.at + i * c.ld;
    for (int64_t k = 0; k < b.rows; k += 2) {
      const T x = *part(a, i, k, 1, 1).at;
      const T y = k + 1 < b.rows ? *part(a, i, k + 1, 1, 1).at : T(0);
      const T *const first = rows + k * kCols, *const second = first + kCols;
      for (int64_t j = 0; j < b.cols; ++j) sums[j] = sums[j] + x * first[j] + y * second[j];
    }
  }
}

}  // namespace

template <class T> void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
  parallel_ranges(c.rows, kRows, [=](int64_t begin, int64_t end) {
    const int64_t rows = end - begin;
    for (int64_t i = begin; i < end && write == Write::assign; ++i) {
      T* const row = c.at + i * c.ld;
      std::fill(row, row + c.cols, T(0));
    }
    for (int64_t j = 0; j < c.cols; j += kCols) {
      const int64_t cols = std::min(kCols, c.cols - j);
      for (int64_t k = 0; k < a.cols; k += kDepth) {
        const int64_t depth = std::min(kDepth, a.cols - k);
        add_block<T>(part(c, begin, j, rows, cols), part(a, begin, k, rows, depth),
                     part(b, k, j, depth, cols));
      }
    }
  });
}

template <class T>
void gemm_batched(Mat<T> c, Mat<const T> a, Mat<const T> b, int64_t batch, Write write) {
  for (int64_t i = 0; i < batch; ++i) {
    gemm(c, a, b, write);
    c.at += c.stride, a.at += a.stride, b.at += b.stride;
  }
}

template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n) {
  *elements = k * n;
}

// By blocks of two rows and three columns, or what is left of them. Each is added to zeros, so that
// an element shows that is in two of them.
template <class T> void pack_matrix(T* packed, Mat<const T> b) {
  std::fill_n(packed, b.rows * b.cols, T(0));
  for (int64_t i = 0; i < b.rows; i += 2) {
    for (int64_t j = 0; j < b.cols; j += 3) {
      const Mat<const T> block =
          part(b, i, j, std::min<int64_t>(2, b.rows - i), std::min<int64_t>(3, b.cols - j));
      for (int64_t at = 0; at < block.rows * block.cols; ++at) {
        const int64_t row = at / block.cols, col = at % block.cols;
        packed[(i + row) * b.cols + j + col] += *part(block, row, col, 1, 1).at;
      }
    }
  }
}

template <class T> void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
  gemm<T>(c, a, {packed, a.cols, c.cols, c.cols}, write);
}

template decltype(gemm<lab::Counted>) gemm<lab::Counted>;
HEED_INSTANTIATE(gemm);
HEED_INSTANTIATE(gemm_batched);
HEED_INSTANTIATE(packed_size);
HEED_INSTANTIATE(pack_matrix);
HEED_INSTANTIATE(gemm_packed);

}  // namespace heed::cpu
