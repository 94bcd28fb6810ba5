#pragma once

#include "tensor/kernels/elementwise_ops.h"
#include "tensor/kernels/kernel.h"

// y = op(x)   and   dx = dy op'(saved); Op::kSaves says whether `saved` is x, y or unused
HEED_KERNEL(template <class Op, class T> void unary_forward(T* y, const T* x, Op op, int64_t n));
HEED_KERNEL(template <class Op, class T>
            void unary_backward(Out<T> dx, const T* saved, const T* dy, Op op, int64_t n));
// y = Op(a, b)   and   da = dy dOp/da   and   db = dy dOp/db; inputs that these do not read may be
// null
HEED_KERNEL(template <class Op, class T>
            void binary_forward(T* y, const T* a, const T* b, int64_t n));
HEED_KERNEL(template <class Op, class T>
            void binary_backward_a(Out<T> da, const T* a, const T* b, const T* dy, int64_t n));
HEED_KERNEL(template <class Op, class T>
            void binary_backward_b(Out<T> db, const T* a, const T* b, const T* dy, int64_t n));
// x = value; of i32 too
HEED_KERNEL(template <class T> void fill(T* x, T value, int64_t n));
// y = alpha x + beta
HEED_KERNEL(template <class T> void scale_shift(T* y, const T* x, T alpha, T beta, int64_t n));
// y = alpha x
HEED_KERNEL(template <class T> void scale(Out<T> y, const T* x, T alpha, int64_t n));
// y = *alpha x, with alpha on the device of the tensors
HEED_KERNEL(template <class T> void scale_by(T* y, const T* x, const T* alpha, int64_t n));
// y = mask ? a : b (of i32 too)   and   dx = [(mask != 0) == of] dy: of a for of = 1, of b for
// of = 0
HEED_KERNEL(template <class T>
            void where_forward(T* y, const int32_t* mask, const T* a, const T* b, int64_t n));
HEED_KERNEL(template <class T>
            void where_backward(Out<T> dx, const int32_t* mask, int of, const T* dy, int64_t n));
// y (rows, cols) += b (cols)
HEED_KERNEL(template <class T> void add_bias(T* y, const T* b, int64_t rows, int64_t cols));
// y (outer, n, inner) = scale x (outer, inner), repeated along the middle axis
HEED_KERNEL(template <class T>
            void spread(Out<T> y, const T* x, T scale, int64_t outer, int64_t n, int64_t inner));
// A block (rows, width) of one matrix to one of another width:
//   y[r * y_stride + i] = x[r * x_stride + i]
// Concatenation and splitting along any axis, of i32 too.
HEED_KERNEL(template <class T> void copy_block(Out<T> y, int64_t y_stride, const T* x,
                                               int64_t x_stride, int64_t rows, int64_t width));
// y = 1 where Op holds for a and b, else 0; of f32, f64 and i32. A NaN is not equal to anything.
HEED_KERNEL(template <class Op, class T>
            void compare(int32_t* y, const T* a, const T* b, int64_t n));
// y = x with another element type: f32 to f64, f64 to f32, i32 to either
HEED_KERNEL(template <class Y, class X> void convert(Y* y, const X* x, int64_t n));
