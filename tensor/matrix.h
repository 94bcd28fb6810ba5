// Products of matrices.
#pragma once

#include "tensor/kernels/gemm.h"
#include "tensor/tensor.h"

namespace heed {

// A view of a tensor as a matrix: all of it, some of its columns, or the transpose of either.
class Matrix {
 public:
  // x (..., cols): the leading axes together are the rows. A scalar is not a matrix (ShapeError).
  Matrix(const Tensor& x);
  // The matrices of x (batch, rows, cols).
  static Matrix each(const Tensor& x);

  Matrix t() const;
  Matrix columns(int64_t first, int64_t count) const;

  int64_t rows() const { return transposed_ ? width_ : height_; }
  int64_t cols() const { return transposed_ ? height_ : width_; }
  static constexpr int64_t kSingle = -1;
  int64_t batch() const { return batch_; }  // how many matrices, or kSingle
  DType dtype() const { return memory_.dtype(); }
  Device device() const { return memory_.device(); }
  const Tensor& memory() const { return memory_; }
  bool operator==(const Matrix& other) const;  // the same elements in the same memory

  // For kernels: T is float, double, or one of these const.
  template <class T> Mat<T> as() const {
    T* const first = memory_.data<std::remove_const_t<T>>() + first_col_;
    return {first, rows(), cols(), ld_, transposed_, batch_ > 0 ? height_ * ld_ : 0};
  }

 private:
  friend void check_product(const Matrix& c, const Matrix& a, const Matrix& b);

  Matrix(const Tensor& x, int64_t height, int64_t width, int64_t batch);

  Tensor memory_;
  int64_t height_, width_, ld_;  // as they lie in memory
  int64_t first_col_ = 0, batch_ = kSingle;
  bool transposed_ = false;
};

// Where an op puts the gradient of an input: a tensor, and whether to overwrite its values or to
// add to them. Converts to false if the gradient is not needed.
struct Destination {
  Tensor at;
  Write write = Write::assign;

  explicit operator bool() const { return at.defined(); }
  template <class T> Out<T> out() const { return {at.data<T>(), write}; }
};

// Throws ShapeError unless A (m, k) B (k, n) is C (m, n), and for a C that is a transpose.
void check_product(const Matrix& c, const Matrix& a, const Matrix& b);
// C = A B or C += A B; for views made by Matrix::each C_i = A_i B_i or += for all i. Both throw
// what check_product() throws.
void gemm(const Matrix& c, const Matrix& a, const Matrix& b, Write write = Write::assign);
void gemm(const Destination& c, const Matrix& a, const Matrix& b);

}  // namespace heed
