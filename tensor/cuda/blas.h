// The one function of cuBLAS that heed uses. blas.cc calls cuBLAS, blas_emulated.cc cpu::gemm.
#pragma once

#include <cstdint>

#include "tensor/device.h"
#include "tensor/kernels/gemm.h"

namespace heed::cuda {

// C_i = or += A_i B_i for i in [0, batch), none of them empty, on the current device and with the
// precision of set_matmul(). Throws DeviceError for what cuBLAS reports and where it is not
// installed.
template <class T>
void blas_gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, int64_t batch, Write write);

// The precision of products of f32 matrices.
void set_matmul(Matmul precision);

}  // namespace heed::cuda
