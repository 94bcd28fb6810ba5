// Matrix products by cuBLAS.
#include "tensor/kernels/gemm.h"

#include "tensor/cuda/blas.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class T> void gemm(Mat<T> c, Mat<const T> a, Mat<const T> b, Write write) {
  gemm_batched(c, a, b, 1, write);
}

template <class T>
void gemm_batched(Mat<T> c, Mat<const T> a, Mat<const T> b, int64_t batch, Write write) {
  const int64_t m = c.rows, n = c.cols, k = a.cols;
  if (batch == 0 || m == 0 || n == 0) return;
  if (k == 0) {  // cuBLAS takes no empty operands
    if (write == Write::add) return;
    for_each(batch * m * n, [=] __device__(int64_t i) {
      c.at[i / (m * n) * c.stride + i / n % m * c.ld + i % n] = T(0);
    });
    return;
  }
  cuda::blas_gemm<T>(c, a, b, batch, write);
}

// cuBLAS packs for itself; here B is only laid out as (k, n).
template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n) {
  *elements = k * n;
}

template <class T> void pack_matrix(T* packed, Mat<const T> b) {
  const int64_t down = b.transposed ? 1 : b.ld, across = b.transposed ? b.ld : 1, n = b.cols;
  for_each(b.rows * n,
           [=] __device__(int64_t i) { packed[i] = b.at[i / n * down + i % n * across]; });
}

template <class T> void gemm_packed(Mat<T> c, Mat<const T> a, const T* packed, Write write) {
  gemm(c, a, Mat<const T>{packed, a.cols, c.cols, c.cols}, write);
}

HEED_INSTANTIATE(gemm, gemm_batched, packed_size, pack_matrix, gemm_packed);

}  // namespace heed::gpu
