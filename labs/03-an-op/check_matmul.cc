// Lab 3, second part: the gradient of a product of matrices, through the op.
#include "autograd/ops.h"
#include "labs/03-an-op/each.h"

namespace heed::lab {
namespace {

// ---- task: matmul

Tensor multiply(const Tensor& a, const Tensor& b) {
  const int64_t rows = a.shape()[0], inner = a.shape()[1], cols = b.shape()[1];
  const Tensor c = Tensor::zeros({rows, cols}, DType::f64);
  for (int64_t i = 0; i < rows * cols * inner; ++i) {
    const int64_t r = i / (cols * inner), j = i / inner % cols, k = i % inner;
    c.data<double>()[r * cols + j] +=
        a.data<double>()[r * inner + k] * b.data<double>()[k * cols + j];
  }
  return c;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (const double v : product(a, b).to_vector()) sum += v;
  return sum;
}

void check_matmul(const Tensor& a, const Tensor& b, const Tensor& dc, const Expected& of_a,
                  const Expected& of_b) {
  const Var pa = Var::parameter(a), pb = Var::parameter(b);
  sum(mul(matmul(pa, pb), Var(dc))).backward();
  const Tensor da = central_differences([&](const Tensor&at) { return dot(dc, multiply(at, b)); },
                                        a),
               db = central_differences([&](const Tensor&at) { return dot(dc, multiply(a, at)); },
                                        b);
  expect_close("dA", pa.grad(), da, of_a);
  expect_close("dB", pb.grad(), db, of_b);
  if (testing::Test::HasFailure()) return;
  if_stopped(
      "Only one of the two gradients is wanted here: dx.to() of the other is false, and what "
      "only that would need was not kept.");
  const Var alone_a = Var::parameter(a), alone_b = Var::parameter(b);
  sum(mul(matmul(alone_a, Var(b)), Var(dc))).backward();
  expect_close("dA, dB not wanted", alone_a.grad(), da, of_a);
  sum(mul(matmul(Var(a), alone_b), Var(dc))).backward();
  expect_close("dB, dA not wanted", alone_b.grad(), db, of_b);
}

LAB_CHECK(GradientOfASquareProduct) {
  Draw draw;
  const int64_t n = draw.between(2, 4);
  const Tensor a = draw.normal({n, n}), b = draw.normal({n, n}), dc = draw.normal({n, n});
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-8};
  const auto t = [n](const Tensor& x) {
    const Tensor y = empty_like(x);
    for (int64_t i = 0; i < n * n; ++i) {
      y.data<double>()[i] = x.data<double>()[i % n * n + i / n];
    }
    return y;
  };
  check_matmul(a, b, dc,
               {.tolerance = rough,
                .suspects = {{"dC B: B has to be transposed", multiply(dc, b)},
                             {"B dC: the order of the factors", multiply(b, dc)},
                             {"B^T dC: the order of the factors", multiply(t(b), dc)},
                             {"dC^T B: B is to be transposed, and dC is not", multiply(t(dc), b)}},
                .law = "write C_ij as a sum, and differentiate by A_ik"},
               {.tolerance = rough,
                .suspects = {{"A dC: A has to be transposed", multiply(a, dc)},
                             {"dC A: the order of the factors", multiply(dc, a)},
                             {"dC A^T: the order of the factors", multiply(dc, t(a))},
                             {"A dC^T: A is to be transposed, and dC is not", multiply(a, t(dc))}},
                .law = "write C_ij as a sum, and differentiate by B_kj"});
}

LAB_CHECK(GradientOfAProduct) {
  Draw draw;
  const int64_t m = draw.between(2, 3), k = draw.between(4, 5), n = draw.between(6, 7);
  const Expected rough = {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
                          .law = "the gradient has the shape of what it is of"};
  check_matmul(draw.normal({m, k}), draw.normal({k, n}), draw.normal({m, n}), rough, rough);
}

LAB_CHECK(ProductOfAMatrixWithItself) {
  Draw draw;
  const int64_t n = draw.between(2, 4);
  const Tensor a = draw.normal({n, n}), dc = draw.normal({n, n});
  const Var x = Var::parameter(a);
  sum(mul(matmul(x, x), Var(dc))).backward();
  expect_close("d(X X)/dX", x.grad(),
               central_differences([&](const Tensor& at) { return dot(dc, multiply(at, at)); }, a),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
                .law = "both factors give X a part: the destination that dx.to() returns says "
                       "whether to assign or to add"});
}

}  // namespace
}  // namespace heed::lab
