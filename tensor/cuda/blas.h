// The one function of cuBLAS that heed uses. blas.cc calls cuBLAS, blas_emulated.cc cpu::gemm.
#pragma once

#include <cstdint>

#include "tensor/device.h"

namespace heed::cuda {

// A matrix in cuBLAS's column-major order: element (i, j) is at[i + j * ld]. The matrices of a
// batch lie `stride` elements apart.
template <class T> struct BlasMatrix {
  T* at;
  int64_t ld, stride = 0;
  bool transposed = false;  // the operand is the transpose of what is stored
};

// C_i = A_i B_i + beta C_i for i in [0, batch), A (m, k), B (k, n), C (m, n), on the current device
// and with the precision of set_matmul(). Throws DeviceError for what cuBLAS reports and where it
// is not installed.
template <class T>
void blas_gemm(const BlasMatrix<T>& c, const BlasMatrix<const T>& a, const BlasMatrix<const T>& b,
               int64_t m, int64_t n, int64_t k, T beta, int64_t batch);

// The precision of products of f32 matrices.
void set_matmul(Matmul precision);

}  // namespace heed::cuda
