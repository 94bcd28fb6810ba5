#pragma once

#include "tensor/kernels/kernel.h"

namespace heed {
enum class Trans { no, yes };
}

// C (m, n) = op(A) (m, k) op(B) (k, n), or += with accumulate. op(A) is A or its transpose.
// Row-major with row strides lda, ldb, ldc, so column ranges of a matrix are operands like any
// other.
//
// On the CPU every element of C is summed in the order of k, wherever it stands in C, whatever m is
// and however many threads there are: a row's result does not depend on the rows beside it.
HEED_KERNEL(template <class T> void gemm(T* c, int64_t ldc, const T* a, int64_t lda, Trans trans_a,
                                         const T* b, int64_t ldb, Trans trans_b, int64_t m,
                                         int64_t n, int64_t k, bool accumulate));
// The same for `batch` matrices, each `stride` elements after the one before.
HEED_KERNEL(template <class T> void gemm_batched(T* c, int64_t stride_c, const T* a,
                                                 int64_t stride_a, Trans trans_a, const T* b,
                                                 int64_t stride_b, Trans trans_b, int64_t batch,
                                                 int64_t m, int64_t n, int64_t k, bool accumulate));

// For a B that meets many small A's, such as the recurrent weights in every time step: pack it once
// into as many elements as packed_size says, then C = A op(B) (or +=) with the same results as
// gemm.
HEED_KERNEL(template <class T> void packed_size(int64_t* elements, int64_t k, int64_t n));
HEED_KERNEL(template <class T> void pack_matrix(T* packed, const T* b, int64_t ldb, Trans trans_b,
                                                int64_t k, int64_t n));
HEED_KERNEL(template <class T> void gemm_packed(T* c, int64_t ldc, const T* a, int64_t lda,
                                                const T* packed, int64_t m, int64_t n, int64_t k,
                                                bool accumulate));
