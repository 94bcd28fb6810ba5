// Our matrix product against Eigen's, on the shapes of a training step, which are too large for the
// plain loops of gemm_test.cc.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "tensor/kernels/gemm.h"

namespace heed {
namespace {

template <class T>
using EigenMatrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// The largest difference between both, over the largest element.
template <class T> double difference(int64_t m, int64_t n, int64_t k, bool ta, bool tb) {
  std::srand(1);
  const EigenMatrix<T> a = EigenMatrix<T>::Random(ta ? k : m, ta ? m : k);
  const EigenMatrix<T> b = EigenMatrix<T>::Random(tb ? n : k, tb ? k : n);
  EigenMatrix<T> ours(m, n), expected(m, n);
  cpu::gemm<T>({ours.data(), m, n, n}, {a.data(), m, k, a.cols(), ta},
               {b.data(), k, n, b.cols(), tb}, Write::assign);
  const EigenMatrix<T> left = ta ? EigenMatrix<T>(a.transpose()) : a;
  const EigenMatrix<T> right = tb ? EigenMatrix<T>(b.transpose()) : b;
  expected.noalias() = left * right;
  return static_cast<double>((ours - expected).cwiseAbs().maxCoeff() /
                             expected.cwiseAbs().maxCoeff());
}

constexpr bool kNo = false, kYes = true;  // transposed

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
