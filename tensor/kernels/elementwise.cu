#include "tensor/kernels/elementwise.h"

#include "tensor/cuda/block.h"
#include "tensor/cuda/launch.h"
#include "tensor/kernels/sums.h"

namespace heed::gpu {

template <class Op, class T> void unary_forward(T* y, const T* x, Op op, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = op.f(x[i]); });
}

template <class Op, class T>
void unary_backward(Out<T> dx, const T* saved, const T* dy, Op op, int64_t n) {
  for_each(n, [=] __device__(int64_t i) {
    dx.put(i, dy[i] * op.df(Op::kSaves == Saves::kNothing ? T(0) : saved[i]));
  });
}

template <class Op, class T> void binary_forward(T* y, const T* a, const T* b, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = Op::f(a[i], b[i]); });
}

template <class Op, class T>
void binary_backward_a(Out<T> da, const T* a, const T* b, const T* dy, int64_t n) {
  for_each(n, [=] __device__(int64_t i) {
    da.put(i, dy[i] * Op::da(input_a<Op::kDa>(a, i), input_b<Op::kDa>(b, i)));
  });
}

template <class Op, class T>
void binary_backward_b(Out<T> db, const T* a, const T* b, const T* dy, int64_t n) {
  for_each(n, [=] __device__(int64_t i) {
    db.put(i, dy[i] * Op::db(input_a<Op::kDb>(a, i), input_b<Op::kDb>(b, i)));
  });
}

template <class T> void fill(T* x, T value, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { x[i] = value; });
}

template <class T> void scale_shift(T* y, const T* x, T alpha, T beta, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = alpha * x[i] + beta; });
}

template <class T> void scale(Out<T> y, const T* x, T alpha, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y.put(i, alpha * x[i]); });
}

template <class T> void scale_by(T* y, const T* x, const T* alpha, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = *alpha * x[i]; });
}

template <class T>
void where_forward(T* y, const int32_t* mask, const T* a, const T* b, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { y[i] = mask[i] ? a[i] : b[i]; });
}

template <class T>
void where_backward(Out<T> dx, const int32_t* mask, int of, const T* dy, int64_t n) {
  for_each(n, [=] __device__(int64_t i) { dx.put(i, (mask[i] != 0) == (of != 0) ? dy[i] : T(0)); });
}

template <class T> void add_bias(T* y, const T* b, int64_t rows, int64_t cols) {
  for_each(rows * cols, [=] __device__(int64_t i) { y[i] += b[i % cols]; });
}

template <class T> __global__ void sum_rows_kernel(T* db, const T* dy, int64_t rows, int64_t cols) {
  const int64_t col = int64_t{blockIdx.x} * kWarp + threadIdx.x;
  LongSum<T> sum;
  for (int64_t row = threadIdx.y; row < rows && col < cols; row += kDown) {
    sum.add(dy[row * cols + col]);
  }
  const double total = column_sum(sum.total());
  if (threadIdx.y == 0 && col < cols) db[col] += static_cast<T>(total);
}

template <class T> void sum_rows(T* db, const T* dy, int64_t rows, int64_t cols) {
  launch<sum_rows_kernel<T>>({(cols + kWarp - 1) / kWarp, dim3(kWarp, kDown)}, db, dy, rows, cols);
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

}  // namespace heed::gpu
