#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.h"
#include "emulator/memory.h"
#include "tensor/cuda/blas.h"
#include "tensor/cuda/runtime.h"
#include "tensor/kernels/gemm.h"

namespace heed::cuda {
namespace {

Matmul matmul = Matmul::f32;

// What cuBLAS would refuse.
void check_operand(const char* name, int64_t rows, int64_t ld) {
  if (rows >= 0 && ld >= rows && ld >= 1) return;
  throw InternalError(std::string("cuBLAS: the leading dimension of ") + name + " is " +
                      std::to_string(ld) + " with " + std::to_string(rows) + " rows");
}

// The nearest number with a mantissa of as many bits as the tensor cores read, ties to even.
float rounded(float x, int bits) {
  if (std::isnan(x)) return x;  // the carry of its bits could make it 0
  const uint32_t word = std::bit_cast<uint32_t>(x), last = 23 - bits;
  const uint32_t half = (1u << (last - 1)) - 1 + (word >> last & 1);
  return std::bit_cast<float>((word + half) >> last << last);
}

// An operand as (rows, cols) with the rows `ld` apart, rounded where the precision says so.
template <class T> std::vector<T> operand(const T* at, int64_t ld, int64_t rows, int64_t cols) {
  std::vector<T> copy(rows * cols);
  for (int64_t i = 0; i < rows * cols; ++i) {
    const T value = at[i / cols * ld + i % cols];
    copy[i] = value;
    if constexpr (sizeof(T) == 4) {
      if (matmul != Matmul::f32) copy[i] = rounded(value, matmul == Matmul::tf32 ? 10 : 7);
    }
  }
  return copy;
}

}  // namespace

void set_matmul(Matmul precision) {
  matmul = precision;
}

// A column-major matrix is the row-major one of its transpose: C^T = B^T A^T.
template <class T>
void blas_gemm(const BlasMatrix<T>& c, const BlasMatrix<const T>& a, const BlasMatrix<const T>& b,
               int64_t m, int64_t n, int64_t k, T beta, int64_t batch) {
  check_operand("A", a.transposed ? k : m, a.ld);
  check_operand("B", b.transposed ? n : k, b.ld);
  check_operand("C", m, c.ld);
  if (beta != T(0) && beta != T(1)) throw InternalError("cuBLAS: the emulation has beta 0 and 1");
  count_launch();
  const emulator::MemoryAccess access;
  const int64_t a_cols = a.transposed ? k : m, b_cols = b.transposed ? n : k;
  for (int64_t i = 0; i < batch; ++i) {
    const std::vector<T> left = operand(b.at + i * b.stride, b.ld, n * k / b_cols, b_cols);
    const std::vector<T> right = operand(a.at + i * a.stride, a.ld, m * k / a_cols, a_cols);
    cpu::gemm<T>({c.at + i * c.stride, n, m, c.ld}, {left.data(), n, k, b_cols, b.transposed},
                 {right.data(), k, m, a_cols, a.transposed},
                 beta == T(0) ? Write::assign : Write::add);
  }
}

template void blas_gemm(const BlasMatrix<float>&, const BlasMatrix<const float>&,
                        const BlasMatrix<const float>&, int64_t, int64_t, int64_t, float, int64_t);
template void blas_gemm(const BlasMatrix<double>&, const BlasMatrix<const double>&,
                        const BlasMatrix<const double>&, int64_t, int64_t, int64_t, double,
                        int64_t);

}  // namespace heed::cuda
