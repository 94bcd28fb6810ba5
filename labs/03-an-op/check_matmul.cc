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

Tensor transposed(const Tensor& x) {
  const int64_t rows = x.shape()[0], cols = x.shape()[1];
  const Tensor y = Tensor::zeros({cols, rows}, DType::f64);
  for (int64_t i = 0; i < rows * cols; ++i) {
    y.data<double>()[i] = x.data<double>()[i % rows * cols + i / rows];
  }
  return y;
}

double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (const double v : product(a, b).to_vector()) sum += v;
  return sum;
}

void check_matmul(const Tensor& a, const Tensor& b, const Tensor& dc, const Expected& of_a,
                  const Expected& of_b) {
  if_stopped("");
  const Var pa = Var::parameter(a.clone()), pb = Var::parameter(b.clone());
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
  if_stopped("");
}

// The one factor that only the gradient of the other needs, which is a constant.
void check_lets_go(const Tensor& a, const Tensor& b, bool left) {
  Var factor = neg(Var::parameter(left ? a : b));
  const Tensor value = factor.value();
  const Var c = left ? matmul(factor, Var(b)) : matmul(Var(a), factor);
  factor = Var();
  expect(value.shares_memory_uniquely(),
         left ? "A is kept, although dB alone needs it, which nobody wants."
              : "B is kept, although dA alone needs it, which nobody wants.");
}

void check_square(Draw& draw, int64_t n, const std::string& law) {
  const Tensor a = draw.normal({n, n}), b = draw.normal({n, n}), dc = draw.normal({n, n});
  const Tolerance rough = {.relative = 1e-5, .absolute = 1e-8};
  check_matmul(
      a, b, dc,
      {.tolerance = rough,
       .suspects = {{"dC B: B has to be transposed", multiply(dc, b)},
                    {"B dC: the order of the factors", multiply(b, dc)},
                    {"B^T dC: the order of the factors", multiply(transposed(b), dc)},
                    {"dC^T B: B is to be transposed, and dC is not", multiply(transposed(dc), b)}},
       .law = law + "write C_ij as a sum, and differentiate by A_ik"},
      {.tolerance = rough,
       .suspects = {{"A dC: A has to be transposed", multiply(a, dc)},
                    {"dC A: the order of the factors", multiply(dc, a)},
                    {"dC A^T: the order of the factors", multiply(dc, transposed(a))},
                    {"A dC^T: A is to be transposed, and dC is not", multiply(a, transposed(dc))}},
       .law = law + "write C_ij as a sum, and differentiate by B_kj"});
}

LAB_CHECK(GradientOfASquareProduct) {
  Draw draw;
  const int64_t n = draw.between(2, 4);
  check_square(draw, n, "");
  if (testing::Test::HasFailure()) return;
  check_square(draw, n,
               "the second product of this shape, of other matrices: is something kept "
               "of the first one? ");
}

// Many rows and columns, for which differences would take long.
void check_large(Draw& draw) {
  const int64_t m = draw.between(70, 90), k = draw.between(130, 150), n = draw.between(100, 120);
  const Tensor a = draw.normal({m, k}), b = draw.normal({k, n}), dc = draw.normal({m, n});
  const Var pa = Var::parameter(a), pb = Var::parameter(b);
  sum(mul(matmul(pa, pb), Var(dc))).backward();
  const Expected all = {.tolerance = {.relative = 1e-9, .absolute = 1e-9},
                        .law =
                            "right where there are few rows and columns, and not where there "
                            "are many: all of them count"};
  expect_close("dA", pa.grad(), multiply(dc, transposed(b)), all);
  expect_close("dB", pb.grad(), multiply(transposed(a), dc), all);
}

// A product without rows, or without columns.
void check_empty(const Shape& a, const Shape& b) {
  if_stopped("A has no rows here, or B no columns: C is empty, and so is one of the gradients.");
  const Var pa = Var::parameter(ones(a)), pb = Var::parameter(ones(b));
  sum(matmul(pa, pb)).backward();
  for (const Var& x : {pa, pb}) {
    if (!x.grad().defined()) continue;  // which means 0 as well
    expect_close(
        "the gradient of a factor of an empty product", x.grad(),
        Tensor::zeros(x.shape(), DType::f64),
        {.tolerance = {.relative = 0, .absolute = 0}, .law = "a sum over no elements of dC is 0"});
  }
}

LAB_CHECK(GradientOfAProduct) {
  Draw draw;
  const int64_t m = draw.between(2, 3), k = draw.between(4, 5), n = draw.between(6, 7);
  struct Sizes {
    int64_t m, k, n;
  };
  for (const Sizes& s : {Sizes{m, k, n}, {1, k, n}, {m, 1, n}, {m, k, 1}, {1, k, 1}, {1, 1, 1}}) {
    const Expected rough = {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
                            .law = text("A has ", s.m, " rows and ", s.k, " columns, B has ", s.n,
                                        " columns; the gradient has the shape of what it is of")};
    check_matmul(draw.normal({s.m, s.k}), draw.normal({s.k, s.n}), draw.normal({s.m, s.n}), rough,
                 rough);
    if (testing::Test::HasFailure()) return;
  }
  const int64_t odd = 2 * draw.between(2, 4) + 1;  // ends in the middle of two, or four
  const Shape square = {odd, odd};
  const Tensor a = draw.normal(square), b = draw.normal(square), dc = draw.normal(square);
  for (const bool left : {true, false}) check_lets_go(a, b, left);
  const Var other = Var::parameter(draw.normal(square));  // C + X: one gradient for C and X
  sum(mul(matmul(Var::parameter(a), Var::parameter(b)) + other, Var(dc))).backward();
  expect_close("dX of C + X", other.grad(), dc,
               {.tolerance = {.relative = 1e-12, .absolute = 0},
                .law = "dC is read, and not written to: C and X have one gradient in one memory"});
  const auto gradients = [&](DType type) {
    const Var pa = Var::parameter(a.to(type)), pb = Var::parameter(b.to(type));
    sum(mul(matmul(pa, pb), Var(dc.to(type)))).backward();
    return std::pair{pa.grad().to(DType::f64), pb.grad().to(DType::f64)};
  };
  const auto fine = gradients(DType::f64), coarse = gradients(DType::f32);
  const Expected same = {.tolerance = {.relative = 1e-4, .absolute = 1e-4},
                         .law = "right in f64, and not in f32: the closure is the same for both",
                         .want = "yours, of f64",
                         .got = "yours, of f32"};
  expect_close("dA", coarse.first, fine.first, same);
  expect_close("dB", coarse.second, fine.second, same);
  if (!testing::Test::HasFailure()) check_large(draw);
  check_empty({0, k}, {k, n});
  check_empty({m, k}, {k, 0});
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
  if (testing::Test::HasFailure()) return;
  const Tensor b = draw.normal({n, n});
  const Var left = Var::parameter(a), right = Var::parameter(b);
  sum(mul(matmul(left, right) + matmul(left, right), Var(dc))).backward();
  const auto twice = [&](const Tensor& x, const Tensor& y) { return 2 * dot(dc, multiply(x, y)); };
  const Expected expected = {.tolerance = {.relative = 1e-5, .absolute = 1e-8},
                             .law =
                                 "each product gives A and B a part: the destination that "
                                 "dx.to() returns says whether to assign or to add"};
  expect_close("dA of A B + A B", left.grad(),
               central_differences([&](const Tensor& at) { return twice(at, b); }, a), expected);
  expect_close("dB of A B + A B", right.grad(),
               central_differences([&](const Tensor& at) { return twice(a, at); }, b), expected);
}

}  // namespace
}  // namespace heed::lab
