#include "tensor/kernels/elementwise.h"

#include "tensor/kernels/each.h"

namespace heed::HEED_BACKEND {

template <class Op, class T> void unary_forward(T* y, const T* x, Op op, int64_t n) {
  put_each<T>(y, n, [=] HEED_DEVICE(int64_t i) { return op.f(x[i]); });
}

template <class Op, class T>
void unary_backward(Out<T> dx, const T* saved, const T* dy, Op op, int64_t n) {
  put_each(dx, n, [=] HEED_DEVICE(int64_t i) {
    return dy[i] * op.df(Op::kSaves == Saves::kNothing ? T(0) : saved[i]);
  });
}

template <class Op, class T> void binary_forward(T* y, const T* a, const T* b, int64_t n) {
  put_each<T>(y, n, [=] HEED_DEVICE(int64_t i) { return Op::f(a[i], b[i]); });
}

template <class Op, class T>
void binary_backward_a(Out<T> da, const T* a, const T* b, const T* dy, int64_t n) {
  put_each(da, n, [=] HEED_DEVICE(int64_t i) {
    return dy[i] * Op::da(input_a<Op::kDa>(a, i), input_b<Op::kDa>(b, i));
  });
}

template <class Op, class T>
void binary_backward_b(Out<T> db, const T* a, const T* b, const T* dy, int64_t n) {
  put_each(db, n, [=] HEED_DEVICE(int64_t i) {
    return dy[i] * Op::db(input_a<Op::kDb>(a, i), input_b<Op::kDb>(b, i));
  });
}

template <class T> void fill(T* x, T value, int64_t n) {
  put_each<T>(x, n, [=] HEED_DEVICE(int64_t) { return value; });
}

template <class T> void scale_shift(T* y, const T* x, T alpha, T beta, int64_t n) {
  put_each<T>(y, n, [=] HEED_DEVICE(int64_t i) { return alpha * x[i] + beta; });
}

template <class T> void scale(Out<T> y, const T* x, T alpha, int64_t n) {
  put_each(y, n, [=] HEED_DEVICE(int64_t i) { return alpha * x[i]; });
}

template <class T> void scale_by(T* y, const T* x, const T* alpha, int64_t n) {
  put_each<T>(y, n, [=] HEED_DEVICE(int64_t i) { return *alpha * x[i]; });
}

template <class T>
void where_forward(T* y, const int32_t* mask, const T* a, const T* b, int64_t n) {
  put_each<T>(y, n, [=] HEED_DEVICE(int64_t i) { return mask[i] ? a[i] : b[i]; });
}

template <class T>
void where_backward(Out<T> dx, const int32_t* mask, int of, const T* dy, int64_t n) {
  put_each(dx, n,
           [=] HEED_DEVICE(int64_t i) { return (mask[i] != 0) == (of != 0) ? dy[i] : T(0); });
}

template <class T> void add_bias(T* y, const T* b, int64_t rows, int64_t cols) {
  put_rows<T>({y, Write::add}, cols, rows, cols,
              [=] HEED_DEVICE(int64_t, int64_t c) { return b[c]; });
}

template <class T>
void spread(Out<T> y, const T* x, T scale, int64_t outer, int64_t n, int64_t inner) {
  if (outer == 1 && inner == 1) {  // a single row, which put_rows() would leave to one thread
    return put_each(y, n, [=] HEED_DEVICE(int64_t) { return scale * *x; });
  }
  if (inner == 1) {
    return put_rows(y, n, outer, n, [=] HEED_DEVICE(int64_t o, int64_t) { return scale * x[o]; });
  }
  put_rows(y, inner, outer * n, inner,
           [=] HEED_DEVICE(int64_t row, int64_t i) { return scale * x[row / n * inner + i]; });
}

template <class T>
void copy_block(Out<T> y, int64_t y_stride, const T* x, int64_t x_stride, int64_t rows,
                int64_t width) {
  put_rows(y, y_stride, rows, width,
           [=] HEED_DEVICE(int64_t r, int64_t i) { return x[r * x_stride + i]; });
}

template <class Op, class T> void compare(int32_t* y, const T* a, const T* b, int64_t n) {
  put_each<int32_t>(y, n, [=] HEED_DEVICE(int64_t i) { return int32_t{Op::holds(a[i], b[i])}; });
}

template <class Y, class X> void convert(Y* y, const X* x, int64_t n) {
  put_each<Y>(y, n, [=] HEED_DEVICE(int64_t i) { return static_cast<Y>(x[i]); });
}

HEED_UNARY_OPS(HEED_INSTANTIATE_UNARY)
HEED_UNARY_OPS_WITH_NUMBERS(HEED_INSTANTIATE_UNARY)
HEED_BINARY_OPS(HEED_INSTANTIATE_BINARY)
HEED_COMPARISONS(HEED_INSTANTIATE_COMPARISON)

HEED_INSTANTIATE(fill, scale_shift, scale, scale_by, where_forward, where_backward, add_bias,
                 spread, copy_block);
HEED_INSTANTIATE_I32(fill, where_forward, copy_block);
template void convert<double, float>(double*, const float*, int64_t);
template void convert<float, double>(float*, const double*, int64_t);
template void convert<double, int32_t>(double*, const int32_t*, int64_t);
template void convert<float, int32_t>(float*, const int32_t*, int64_t);

}  // namespace heed::HEED_BACKEND
