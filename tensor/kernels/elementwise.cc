#include "tensor/kernels/elementwise.h"

#include "tensor/kernels/columns.h"
#include "tensor/parallel.h"

namespace heed::cpu {

constexpr int64_t kGrain = 16384;  // elements of one piece: some microseconds of work

// y_i = value(i) for i < n, or +=: a loop for each, so that the compiler sees no condition inside.
template <class T, class Value> static void put_each(Out<T> y, int64_t n, Value value) {
  parallel_ranges(n, kGrain, [y = y.at, write = y.write, value](int64_t begin, int64_t end) {
    if (write == Write::assign) {
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) y[i] = value(i);
    } else {
#pragma omp simd
      for (int64_t i = begin; i < end; ++i) y[i] += value(i);
    }
  });
}

// `omp simd` says that y does not overlap what the closure has captured. Without it the compiler
// reads alpha or a pointer again for every element, and vectorises nothing.

template <class Op, class T> void unary_forward(T* y, const T* x, Op op, int64_t n) {
  put_each<T>(y, n, [=](int64_t i) { return op.f(x[i]); });
}

template <class Op, class T>
void unary_backward(Out<T> dx, const T* saved, const T* dy, Op op, int64_t n) {
  put_each(dx, n, [=](int64_t i) {
    return dy[i] * op.df(Op::kSaves == Saves::kNothing ? T(0) : saved[i]);
  });
}

template <class Op, class T> void binary_forward(T* y, const T* a, const T* b, int64_t n) {
  put_each<T>(y, n, [=](int64_t i) { return Op::f(a[i], b[i]); });
}

template <class Op, class T>
void binary_backward_a(Out<T> da, const T* a, const T* b, const T* dy, int64_t n) {
  put_each(da, n, [=](int64_t i) {
    return dy[i] * Op::da(input_a<Op::kDa>(a, i), input_b<Op::kDa>(b, i));
  });
}

template <class Op, class T>
void binary_backward_b(Out<T> db, const T* a, const T* b, const T* dy, int64_t n) {
  put_each(db, n, [=](int64_t i) {
    return dy[i] * Op::db(input_a<Op::kDb>(a, i), input_b<Op::kDb>(b, i));
  });
}

template <class T> void fill(T* x, T value, int64_t n) {
  put_each<T>(x, n, [=](int64_t) { return value; });
}

template <class T> void scale_shift(T* y, const T* x, T alpha, T beta, int64_t n) {
  put_each<T>(y, n, [=](int64_t i) { return alpha * x[i] + beta; });
}

template <class T> void scale(Out<T> y, const T* x, T alpha, int64_t n) {
  put_each(y, n, [=](int64_t i) { return alpha * x[i]; });
}

template <class T> void scale_by(T* y, const T* x, const T* alpha, int64_t n) {
  scale<T>(y, x, *alpha, n);
}

template <class T>
void where_forward(T* y, const int32_t* mask, const T* a, const T* b, int64_t n) {
  put_each<T>(y, n, [=](int64_t i) { return mask[i] ? a[i] : b[i]; });
}

template <class T>
void where_backward(Out<T> dx, const int32_t* mask, int of, const T* dy, int64_t n) {
  put_each(dx, n, [=](int64_t i) { return (mask[i] != 0) == (of != 0) ? dy[i] : T(0); });
}

template <class T> void add_bias(T* y, const T* b, int64_t rows, int64_t cols) {
  for_each_row(rows, cols, [=](int64_t r) {
    for (int64_t c = 0; c < cols; ++c) y[r * cols + c] += b[c];
  });
}

template <class T> void sum_rows(T* db, const T* dy, int64_t rows, int64_t cols) {
  parallel_ranges(cols, kLanes, [=](int64_t begin, int64_t end) {  // a column belongs to one thread
    double sum[kLanes] = {};
    add_rows<T>(sum, rows, end - begin,
                [=](int64_t row, int64_t i) { return dy[row * cols + begin + i]; });
    for (int64_t i = begin; i < end; ++i) db[i] += static_cast<T>(sum[i - begin]);
  });
}

HEED_UNARY_OPS(HEED_INSTANTIATE_UNARY)
HEED_UNARY_OPS_WITH_NUMBERS(HEED_INSTANTIATE_UNARY)
HEED_BINARY_OPS(HEED_INSTANTIATE_BINARY)

HEED_INSTANTIATE(fill);
HEED_INSTANTIATE(scale_shift);
HEED_INSTANTIATE(scale);
HEED_INSTANTIATE(scale_by);
HEED_INSTANTIATE(where_forward);
HEED_INSTANTIATE(where_backward);
HEED_INSTANTIATE(add_bias);
HEED_INSTANTIATE(sum_rows);

}  // namespace heed::cpu
