// Views of tensors as matrices, and what a product refuses.
#include "tensor/matrix.h"

#include <gtest/gtest.h>

#include "tests/file_helpers.h"

namespace heed {
namespace {

const Tensor kA = Tensor::of({{1, 2, 3}, {4, 5, 6}});

TEST(Matrix, OfColumnsAndTransposes) {
  const Tensor c = Tensor::full({2, 2}, 100);
  gemm(c, Matrix(kA).columns(1, 2), Matrix(kA).columns(0, 2).t());  // (2 3; 5 6) (1 4; 2 5)
  EXPECT_EQ(c.to_vector(), (std::vector<double>{8, 23, 17, 50}));
  gemm(c, Matrix(kA), Matrix(kA).t(), Write::add);  // (14 32; 32 77)
  EXPECT_EQ(c.to_vector(), (std::vector<double>{22, 55, 49, 127}));
}

TEST(Matrix, OfEachOfABatch) {
  const Tensor a = Tensor::of({{{1, 2}}, {{3, 4}}}), c = Tensor::zeros({2, 1, 1});
  gemm(Matrix::each(c), Matrix::each(a), Matrix::each(a).t());
  EXPECT_EQ(c.to_vector(), (std::vector<double>{5, 25}));
}

TEST(Matrix, RefusesWhatIsNoProduct) {
  const Tensor c = Tensor::zeros({2, 2});
  EXPECT_EQ(error_of<ShapeError>([&] { gemm(c, kA, kA); }),
            "gemm: (2, 3) times (2, 3) does not give (2, 2)");
  EXPECT_EQ(error_of<ShapeError>([&] { gemm(Matrix(c).t(), kA, Matrix(kA).t()); }),
            "gemm: C cannot be a transpose; C^T = B^T A^T can be computed");
  EXPECT_EQ(error_of<ShapeError>([&] { Matrix::each(c); }),
            "gemm: needs (batch, rows, cols), got (2, 2)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)Matrix(kA).columns(2, 2); }),
            "gemm: columns [2, 4) of 3");
  EXPECT_EQ(c.to_vector(), std::vector<double>(4, 0));
}

}  // namespace
}  // namespace heed
