// Our matrix product against Eigen's, on the shapes of a training step, which are too large for the
// plain loops of gemm_test.cc.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "tensor/kernels/gemm.h"

namespace heed {
namespace {

template <class T> using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The largest difference between both, over the largest element.
template <class T> double difference(int64_t m, int64_t n, int64_t k, Trans ta, Trans tb) {
  std::srand(1);
  const bool a_t = ta == Trans::yes, b_t = tb == Trans::yes;
  const Matrix<T> a = Matrix<T>::Random(a_t ? k : m, a_t ? m : k);
  const Matrix<T> b = Matrix<T>::Random(b_t ? n : k, b_t ? k : n);
  Matrix<T> ours(m, n), expected(m, n);
  cpu::gemm(ours.data(), n, a.data(), a.cols(), ta, b.data(), b.cols(), tb, m, n, k, false);
  const Matrix<T> left = a_t ? Matrix<T>(a.transpose()) : a;
  const Matrix<T> right = b_t ? Matrix<T>(b.transpose()) : b;
  expected.noalias() = left * right;
  return static_cast<double>((ours - expected).cwiseAbs().maxCoeff() /
                             expected.cwiseAbs().maxCoeff());
}

constexpr Trans kNo = Trans::no, kYes = Trans::yes;

TEST(GemmEigen, ShapesOfATrainingStep) {
  EXPECT_LT(difference<float>(1300, 1024, 256, kNo, kYes), 1e-5);  // x W^T of all steps
  EXPECT_LT(difference<float>(1300, 256, 1024, kNo, kNo), 1e-5);   // dG W
  EXPECT_LT(difference<float>(1024, 256, 1300, kYes, kNo), 1e-5);  // dW = dG^T x
  EXPECT_LT(difference<float>(97, 10007, 256, kNo, kYes), 1e-5);   // logits
  EXPECT_LT(difference<float>(515, 333, 777, kYes, kYes), 1e-5);
  EXPECT_LT(difference<double>(1300, 512, 777, kNo, kYes), 1e-13);
  EXPECT_LT(difference<double>(515, 333, 777, kYes, kYes), 1e-13);
}

}  // namespace
}  // namespace heed
