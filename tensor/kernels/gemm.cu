// Matrix products by cuBLAS. It takes matrices column by column; ours lie row by row, which to
// cuBLAS is their transpose. So it is asked for C^T = op(B)^T op(A)^T: the operands change places,
// and nothing else changes.
#include "tensor/kernels/gemm.h"

#include "tensor/cuda/blas.h"
#include "tensor/cuda/launch.h"

namespace heed::gpu {

template <class T>
void gemm(T* c, int64_t ldc, const T* a, int64_t lda, Trans trans_a, const T* b, int64_t ldb,
          Trans trans_b, int64_t m, int64_t n, int64_t k, bool accumulate) {
  if (m == 0 || n == 0) return;
  if (k == 0) {  // cuBLAS takes no empty operands
    if (accumulate) return;
    for_each(m * n, [=] __device__(int64_t i) { c[i / n * ldc + i % n] = T(0); });
    return;
  }
  cuda::blas_gemm<T>({c, ldc}, {b, ldb, 0, trans_b == Trans::yes},
                     {a, lda, 0, trans_a == Trans::yes}, n, m, k, T(accumulate), 1);
}

template <class T>
void gemm_batched(T* c, int64_t stride_c, const T* a, int64_t stride_a, Trans trans_a, const T* b,
                  int64_t stride_b, Trans trans_b, int64_t batch, int64_t m, int64_t n, int64_t k,
                  bool accumulate) {
  if (batch == 0 || m == 0 || n == 0) return;
  if (k == 0) {
    if (accumulate) return;
    for_each(batch * m * n,
             [=] __device__(int64_t i) { c[i / (m * n) * stride_c + i % (m * n)] = T(0); });
    return;
  }
  const int64_t lda = trans_a == Trans::yes ? m : k, ldb = trans_b == Trans::yes ? k : n;
  cuda::blas_gemm<T>({c, n, stride_c}, {b, ldb, stride_b, trans_b == Trans::yes},
                     {a, lda, stride_a, trans_a == Trans::yes}, n, m, k, T(accumulate), batch);
}

// cuBLAS packs for itself; here op(B) is only laid out as (k, n).
template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n) {
  *elements = k * n;
}

template <class T>
void pack_matrix(T* packed, const T* b, int64_t ldb, Trans trans_b, int64_t k, int64_t n) {
  const int64_t down = trans_b == Trans::yes ? 1 : ldb, across = trans_b == Trans::yes ? ldb : 1;
  for_each(k * n, [=] __device__(int64_t i) { packed[i] = b[i / n * down + i % n * across]; });
}

template <class T>
void gemm_packed(T* c, int64_t ldc, const T* a, int64_t lda, const T* packed, int64_t m, int64_t n,
                 int64_t k, bool accumulate) {
  gemm(c, ldc, a, lda, Trans::no, packed, n, Trans::no, m, n, k, accumulate);
}

HEED_INSTANTIATE(gemm);
HEED_INSTANTIATE(gemm_batched);
HEED_INSTANTIATE(packed_size);
HEED_INSTANTIATE(pack_matrix);
HEED_INSTANTIATE(gemm_packed);

}  // namespace heed::gpu
