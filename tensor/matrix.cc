#include "tensor/matrix.h"

#include "tensor/dispatch.h"

namespace heed {

Matrix::Matrix(const Tensor& x, int64_t height, int64_t width, int64_t batch)
    : memory_(x), height_(height), width_(width), ld_(width), batch_(batch) {}

Matrix::Matrix(const Tensor& x)
    : Matrix(x, x.shape().product(0, x.shape().rank() - 1), x.shape().back(), kSingle) {}

Matrix Matrix::each(const Tensor& x) {
  check_shape(x.shape().rank() == 3, "gemm: needs (batch, rows, cols), got ", x.shape());
  return {x, x.shape()[1], x.shape()[2], x.shape()[0]};
}

Matrix Matrix::t() const {
  Matrix view = *this;
  view.transposed_ = !transposed_;
  return view;
}

Matrix Matrix::columns(int64_t first, int64_t count) const {
  check_shape(!transposed_ && first >= 0 && count >= 0 && first + count <= width_,
              "gemm: columns [", first, ", ", first + count, ") of ", width_);
  Matrix view = *this;
  view.first_col_ += first;
  view.width_ = count;
  return view;
}

bool Matrix::operator==(const Matrix& other) const {
  return memory_.raw() == other.memory_.raw() && dtype() == other.dtype() &&
         height_ == other.height_ && width_ == other.width_ && ld_ == other.ld_ &&
         first_col_ == other.first_col_ && batch_ == other.batch_ &&
         transposed_ == other.transposed_;
}

Matrix Tensor::t() const {
  return Matrix(*this).t();
}

void check_product(const Matrix& c, const Matrix& a, const Matrix& b) {
  check_shape(a.rows() == c.rows() && b.cols() == c.cols() && a.cols() == b.rows() &&
                  a.batch() == c.batch() && b.batch() == c.batch(),
              "gemm: (", a.rows(), ", ", a.cols(), ") times (", b.rows(), ", ", b.cols(),
              ") does not give (", c.rows(), ", ", c.cols(), ")");
  check_shape(!c.transposed_, "gemm: C cannot be a transpose; C^T = B^T A^T can be computed");
}

void gemm(const Matrix& c, const Matrix& a, const Matrix& b, Write write) {
  check_product(c, a, b);
  if (c.batch() == Matrix::kSingle) {
    KERNEL(c, gemm(c.as<T>(), a.as<const T>(), b.as<const T>(), write));
  } else {
    KERNEL(c, gemm_batched(c.as<T>(), a.as<const T>(), b.as<const T>(), c.batch(), write));
  }
}

void gemm(const Destination& c, const Matrix& a, const Matrix& b) {
  gemm(a.batch() == Matrix::kSingle ? Matrix(c.at) : Matrix::each(c.at), a, b, c.write);
}

}  // namespace heed
