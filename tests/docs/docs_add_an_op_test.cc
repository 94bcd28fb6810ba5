// docs/add-an-op.md: every C++ block of it stands in here or in tests/docs/, whose files lie where
// they would in the tree (docs_test.cc checks that); compiles, and does what the text says.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/safetensors.h"
#include "optim/optim.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/elementwise.cc"  // the templates, for an op that is not in its list
#include "tensor/kernels/scale_rows.h"
#include "tensor/parallel.h"
#include "tests/autograd/op_table.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {

// ---- the declarations

Var cosine(const Var& a, const Var& b);  // (..., C) (..., C) -> (...): a . b / (|a| |b|)
Var log_sigmoid(const Var& x);           // ln(1 / (1 + e^-x))
Var rms_norm(const Var& x, double eps);  // x / sqrt(mean x^2 + eps) over the last axis

// ---- an elementwise op

struct LogSigmoid {  // y = -ln(1 + e^-x) = min(x, 0) - ln(1 + e^-|x|)   dy/dx = 1 / (1 + e^x)
  static constexpr Saves kSaves = Saves::kInput;
  template <class T> HEED_HD static T f(T x) {
    return (x < T(0) ? x : T(0)) - std::log1p(math::exp(-std::fabs(x)));
  }
  template <class T> HEED_HD static T df(T x) { return math::sigmoid(-x); }
};

namespace {

// What unary() of autograd/ops/elementwise.cc does; it is out of reach here.
template <class Op, class T> Var run_unary(const char* name, const Var& x) {
  const Tensor y = empty_like(x.value());
  const int64_t n = y.numel();
  cpu::unary_forward(y.data<T>(), x.value().data<T>(), Op{}, n);
  const Saved saved = Op::kSaves == Saves::kInput ? x.value() : y;
  return record(name, y, {x}, [saved, n](Tensor dy, const Grads& dx) {
    cpu::unary_backward(dx.to<T>(0), saved.data<T>(), dy.data<T>(), Op{}, n);
  });
}

template <class Op> Var unary(const char* name, const Var& x) {
  return x.dtype() == DType::f32 ? run_unary<Op, float>(name, x) : run_unary<Op, double>(name, x);
}

}  // namespace

Var log_sigmoid(const Var& x) {
  return unary<LogSigmoid>("log_sigmoid", x);
}

namespace {

// ---- the rows of the op table

std::vector<double> cosine_of(Arrays x) {
  const int64_t cols = x[0].shape.back(), rows = x[0].shape.numel() / cols;
  std::vector<double> y(rows);
  for (int64_t r = 0; r < rows; ++r) {
    double ab = 0, aa = 0, bb = 0;
    for (int64_t i = r * cols; i < (r + 1) * cols; ++i) {
      ab += x[0][i] * x[1][i];
      aa += x[0][i] * x[0][i];
      bb += x[1][i] * x[1][i];
    }
    y[r] = ab / std::sqrt(aa) / std::sqrt(bb);
  }
  return y;
}

const OpCase kCosineRow = {.op = "cosine(Var, Var)",
                           .call = [](In x) { return cosine(x[0], x[1]); },
                           .naive = cosine_of,
                           .shapes = {{2, 3, 4}, {2, 3, 4}},
                           .one = {{1}, {1}},
                           .empty = {{0, 3}, {0, 3}},
                           .large = {{300, 200}, {300, 200}},
                           .domain = {-1.5, 1.5, 0.5},  // away from 0: |a| is in the denominator
                           .wrong = {{{{2, 3}, {3}}, "cosine: shapes differ, (2, 3) and (3)"}}};

OpCase unary_row(std::string op, const std::function<Var(const Var&)>& call, double (*f)(double)) {
  return {.op = std::move(op),
          .call = [call](In x) { return call(x[0]); },
          .naive =
              [f](Arrays x) {
                std::vector<double> y;
                for (double v : x[0].v) y.push_back(f(v));
                return y;
              },
          .shapes = {{3, 4}},
          .one = {{}},
          .empty = {{2, 0}},
          .large = {{3, 20'000}},
          .any_shape = true};
}

std::vector<OpCase> unary_rows() {
  const auto unary = unary_row;
  return {
      unary("log_sigmoid(Var)", log_sigmoid, [](double x) { return -std::log(1 + std::exp(-x)); }),
      unary(
          "leaky_relu(Var, double)", [](const Var& x) { return leaky_relu(x, 0.1); },
          [](double x) { return std::max(x, 0.1 * x); }),
  };
}

std::vector<double> rms_norm_of(Arrays x) {
  const int64_t cols = x[0].shape.back();
  std::vector<double> y = x[0].v;
  for (size_t row = 0; row < y.size(); row += cols) {
    double mean = 0;
    for (int64_t i = 0; i < cols; ++i) mean += x[0][row + i] * x[0][row + i] / cols;
    for (int64_t i = 0; i < cols; ++i) y[row + i] /= std::sqrt(mean + 0.1);
  }
  return y;
}

const OpCase kRmsNormRow = {
    .op = "rms_norm(Var, double)",
    .call = [](In x) { return rms_norm(x[0], 0.1); },
    .naive = rms_norm_of,
    .shapes = {{2, 3, 4}},
    .one = {{1}},
    .empty = {{0, 3}},
    .large = {{300, 200}},
    .wrong = {{{{}}, "rms_norm: needs a last axis that is not empty, got ()"},
              {{{2, 0}}, "rms_norm: needs a last axis that is not empty, got (2, 0)"}}};

// ---- what op_table_test.cc asks, as far as a new op is concerned

std::vector<Array> draw(const std::vector<Shape>& shapes, const Domain& domain) {
  Rng rng(1, "docs snippets");
  std::vector<Array> inputs;
  for (const Shape& shape : shapes) {
    Array x{shape, std::vector<double>(shape.numel())};
    for (double& v : x.v) {
      do v = domain.low + (domain.high - domain.low) * rng.uniform();
      while (std::abs(v) < domain.apart);
    }
    inputs.push_back(std::move(x));
  }
  return inputs;
}

void ask(const OpCase& row) {
  const std::vector<std::vector<Shape>> calls = {row.shapes, row.one, row.empty, row.large};
  for (const std::vector<Shape>& shapes : calls) {
    const std::vector<Array> arrays = draw(shapes, row.domain);
    std::vector<Tensor> inputs;
    std::vector<Var> wide, narrow;
    for (const Array& x : arrays) {
      inputs.push_back(Tensor::from(x.v, x.shape));
      wide.push_back(inputs.back());
      narrow.push_back(inputs.back().to(DType::f32));
    }
    const std::vector<double> want = row.naive(arrays);
    const std::vector<double> f64 = row.call(wide).value().to_vector();
    const std::vector<double> f32 = row.call(narrow).value().to_vector();
    ASSERT_EQ(f64.size(), want.size()) << row.name();
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_NEAR(f64[i], want[i], 1e-12) << row.name();
      ASSERT_NEAR(f32[i], want[i], 1e-5) << row.name();
    }
    if (&shapes == &calls.back()) continue;  // differences take two calls an element
    const GradCheck check = check_gradient(row.call, inputs);
    EXPECT_LT(check.max_error, 1e-6) << row.name() << ": " << check.worst;
  }
  for (const WrongShapes& wrong : row.wrong) {
    std::vector<Var> inputs;
    for (const Shape& shape : wrong.shapes) inputs.push_back(zeros_of(shape));
    EXPECT_EQ(error_of<ShapeError>([&] { (void)row.call(inputs); }), wrong.message);
  }
}

TEST(AddAnOp, Composed) {
  ask(kCosineRow);
}

TEST(AddAnOp, Elementwise) {
  for (const OpCase& row : unary_rows()) ask(row);
  const Var far = Tensor::from(std::vector<float>{-200, 200}, {2});
  EXPECT_EQ(log_sigmoid(far).value().to_vector(), (std::vector<double>{-200, 0}));
}

TEST(AddAnOp, OwnKernels) {
  ask(kRmsNormRow);
  const Var x = uniform({500, 33}, -1, 1, {1, purpose_id("x")});
  set_num_threads(1);
  const std::vector<double> one = rms_norm(x, 1e-5).value().to_vector();
  set_num_threads(3);
  EXPECT_EQ(rms_norm(x, 1e-5).value().to_vector(), one);
  set_num_threads(0);
}

TEST(AddAnOp, OwnKernelsOnTheDevice) {
  if (!has_cuda()) GTEST_SKIP() << kNoCuda;
  const auto value_and_gradient = [](Device device) {
    const Var v = Var::parameter(uniform({5, 70}, -1, 1, {1, 2}, DType::f64).to(device));
    const Var y = rms_norm(v, 0.1);
    sum(exp(y)).backward();
    return stack({y, Var(v.grad())}).value().to_vector();
  };
  const auto cpu = value_and_gradient({}), gpu = value_and_gradient(kCuda);
  for (size_t i = 0; i < cpu.size(); ++i) EXPECT_NEAR(gpu[i], cpu[i], 1e-12);
}

TEST(AddAnOp, AKernelWithoutSums) {
  for (Device device : test_devices()) {
    const Tensor x = Tensor::from(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3}, device);
    const Tensor s = Tensor::from(std::vector<float>{10, -1}, {2}, device), y = empty_like(x);
    KERNEL(y, scale_rows(y.data<T>(), x.data<T>(), s.data<T>(), 2, 3));
    EXPECT_EQ(y.to_vector(), (std::vector<double>{10, 20, 30, -4, -5, -6})) << device.str();
  }
}

TEST(AddAnOp, GradientCheckOnTheSpot) {
  const GradCheck check =
      check_gradient([](const std::vector<Var>& in) { return cosine(in[0], in[1]); },
                     {uniform({4, 3}, 0.5, 1, {/*seed=*/1, purpose_id("a")}, DType::f64),
                      uniform({4, 3}, 0.5, 1, {/*seed=*/1, purpose_id("b")}, DType::f64)});
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

}  // namespace
}  // namespace heed
