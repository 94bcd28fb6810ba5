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

// What cuBLAS would refuse, which sees the rows of memory as columns.
template <class T> void check_operand(const char* name, Mat<T> x) {
  const int64_t width = x.transposed ? x.rows : x.cols;
  if (width >= 0 && x.ld >= width && x.ld >= 1) return;
  throw InternalError(std::string("cuBLAS: the leading dimension of ") + name + " is " +
                      std::to_string(x.ld) + " with " + std::to_string(width) + " rows");
}

// The nearest number with a mantissa of as many bits as the tensor cores read, ties to even.
float rounded(float x, int bits) {
  if (std::isnan(x)) return x;  // the carry of its bits could make it 0
  const uint32_t word = std::bit_cast<uint32_t>(x), last = 23 - bits;
  const uint32_t half = (1u << (last - 1)) - 1 + (word >> last & 1);
  return std::bit_cast<float>((word + half) >> last << last);
}

// The memory of operand i of a batch without gaps, rounded where the precision says so.
template <class T> std::vector<T> operand(Mat<const T> x, int64_t i) {
  const int64_t cols = x.transposed ? x.rows : x.cols;
  std::vector<T> copy(x.rows * x.cols);
  for (size_t at = 0; at < copy.size(); ++at) {
    const T value = x.at[i * x.stride + static_cast<int64_t>(at) / cols * x.ld + at % cols];
    copy[at] = value;
    if constexpr (sizeof(T) == 4) {
      if (matmul != Matmul::f32) copy[at] = rounded(value, matmul == Matmul::tf32 ? 10 : 7);
    }
  }
  return copy;
}

}  // namespace

void set_matmul(Matmul precision) {
  matmul = precision;
}

template <class T>
void blas_gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, int64_t batch, Write write) {
  check_operand("A", b);  // in the order of cuBLAS, which is asked for C^T = B^T A^T
  check_operand("B", a);
  check_operand("C", c);
  count_launch();
  const emulator::MemoryAccess access;
  for (int64_t i = 0; i < batch; ++i) {
    const std::vector<T> left = operand(a, i), right = operand(b, i);
    const auto dense = [](Mat<const T> x, const std::vector<T>& memory) {
      return Mat<const T>{memory.data(), x.rows, x.cols, x.transposed ? x.rows : x.cols,
                          x.transposed};
    };
    cpu::gemm<T>({c.at + i * c.stride, c.rows, c.cols, c.ld}, dense(a, left), dense(b, right),
                 write);
  }
}

template void blas_gemm(Mat<float>, Mat<const float>, Mat<const float>, int64_t, Write);
template void blas_gemm(Mat<double>, Mat<const double>, Mat<const double>, int64_t, Write);

}  // namespace heed::cuda
