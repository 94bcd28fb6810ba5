#pragma once

#include "tensor/kernels/elementwise_ops.h"
#include "tensor/kernels/kernel.h"

// y = Op(x)   and   dx += dy * Op'(saved), saved being x or y as Op::kSaves says
HEED_KERNEL(template <class Op, class T> void unary_forward(T* y, const T* x, int64_t n));
HEED_KERNEL(template <class Op, class T>
            void unary_backward(T* dx, const T* saved, const T* dy, int64_t n));
// y = Op(a, b); da += dy * dOp/da; db += dy * dOp/db; da or db may be null
HEED_KERNEL(template <class Op, class T>
            void binary_forward(T* y, const T* a, const T* b, int64_t n));
HEED_KERNEL(template <class Op, class T>
            void binary_backward(T* da, T* db, const T* a, const T* b, const T* dy, int64_t n));
// x = value
HEED_KERNEL(template <class T> void fill(T* x, T value, int64_t n));
// y = alpha x + beta
HEED_KERNEL(template <class T> void scale_shift(T* y, const T* x, T alpha, T beta, int64_t n));
// y += alpha x
HEED_KERNEL(template <class T> void accumulate(T* y, const T* x, T alpha, int64_t n));
// y = mask ? a : b   and   da += mask ? dy : 0, db += mask ? 0 : dy
HEED_KERNEL(template <class T>
            void where_forward(T* y, const int32_t* mask, const T* a, const T* b, int64_t n));
HEED_KERNEL(template <class T>
            void where_backward(T* da, T* db, const int32_t* mask, const T* dy, int64_t n));
// y (rows, cols) += b (cols)   and   db (cols) += sum over the rows of dy (rows, cols)
HEED_KERNEL(template <class T> void add_bias(T* y, const T* b, int64_t rows, int64_t cols));
HEED_KERNEL(template <class T> void sum_rows(T* db, const T* dy, int64_t rows, int64_t cols));
