// A million equal numbers in f32: the long sums (docs/numerics.md) are right to 1e-6, forward and
// in their gradients, on every device.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops.h"
#include "tests/devices.h"

namespace heed {
namespace {

constexpr int64_t kMany = 1'000'000;
constexpr float kX = 0.1f;

using In = const std::vector<Var>&;

// The op of inputs that are all 0.1; what each element of the result and of the gradients of its
// sum ought to be, NaN for a gradient that is no long sum.
struct Row {
  const char* name;
  std::vector<Shape> shapes;
  Var (*call)(In);
  double value;
  std::vector<double> grads;
};

void PrintTo(const Row& row, std::ostream* out) {
  *out << row.name;
}

void expect_all(const Tensor& t, double expected, const std::string& what) {
  const Tensor host = t.to(Device{});
  double worst = 0;
  for (const double x : host.to_vector()) {
    worst = std::isnan(x) ? INFINITY : std::max(worst, std::abs(x - expected));
  }
  EXPECT_LT(worst, 1e-6 * std::abs(expected)) << what;
}

class LongSums : public testing::TestWithParam<Row> {};

TEST_P(LongSums, AreRight) {
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    std::vector<Var> in;
    for (const Shape& shape : GetParam().shapes) {
      in.push_back(Var::parameter(Tensor::full(shape, kX, DType::f32, device)));
    }
    const Var y = GetParam().call(in);
    if (GetParam().value != 0) expect_all(y.value(), GetParam().value, "value");
    sum(y).backward();
    for (size_t i = 0; i < in.size(); ++i) {
      if (std::isnan(GetParam().grads[i])) continue;
      expect_all(in[i].grad(), GetParam().grads[i], "gradient " + std::to_string(i));
    }
  }
}

// As many indices as x has rows, all 0.
Tensor same_ids(const Var& x) {
  return Tensor::zeros({x.shape()[0]}, DType::i32, x.device());
}

constexpr int64_t kRows = 20'000;  // of LayerNorm, which has a block for each on a GPU
const double x = kX, all = x * kMany, all_rows = x * kRows;

INSTANTIATE_TEST_SUITE_P(
    Ops, LongSums,
    testing::Values(
        Row{"sum", {{kMany}}, [](In in) { return sum(in[0]); }, all, {1}},
        Row{"mean", {{kMany}}, [](In in) { return mean(in[0]); }, x, {1.0 / kMany}},
        Row{"sum of rows", {{2, kMany}}, [](In in) { return sum(in[0], 1); }, all, {1}},
        Row{"sum of 2 columns", {{kMany, 2}}, [](In in) { return sum(in[0], 0); }, all, {1}},
        Row{"sum of 65 columns",
            {{20'000, 65}},
            [](In in) { return sum(in[0], 0); },
            20'000 * x,
            {1}},
        Row{"sum of a middle axis",
            {{2, 100'000, 3}},
            [](In in) { return sum(in[0], 1); },
            100'000 * x,
            {1}},
        Row{"mean of columns",
            {{kMany, 2}},
            [](In in) { return mean(in[0], 0); },
            x,
            {1.0 / kMany}},
        Row{"mean of a long segment",
            {{kMany, 2}},
            [](In in) { return segment_mean(in[0], Segments({kMany}, in[0].device())); },
            x,
            {1.0 / kMany}},
        Row{"rows added to one",
            {{kMany, 2}},
            [](In in) { return scatter_rows(in[0], same_ids(in[0]), 1); },
            all,
            {1}},
        Row{"elements added to one",
            {{2, kMany / 4, 2}},
            [](In in) {
              const Var& x = in[0];
              return scatter_along(x, Tensor::zeros(x.shape(), DType::i32, x.device()), 1, 1);
            },
            all / 4,
            {1}},
        Row{"an element picked often",
            {{2, 1}, {2, kMany / 4}},
            [](In in) {
              const Var& x = in[1];
              return 0.1 * gather_along(in[0], Tensor::zeros(x.shape(), DType::i32, x.device()), 1);
            },
            0,
            {all / 4, NAN}},
        Row{"context of a long segment",
            {{kMany / 2}, {kMany, 3}},
            [](In in) {
              const Segments s = Segments({kMany / 2, kMany / 2}, in[0].device());
              const Tensor same = Tensor::ones({kMany / 2}, DType::f32, in[0].device());
              return segment_context(concat({in[0], same}, 0), in[1], s)[0];
            },
            all / 20,
            {NAN, NAN}},
        Row{"a row looked up often",
            {{1, 130}, {20'000}},  // columns of two threads
            [](In in) { return 0.1 * gather_rows(in[0], same_ids(in[1])); },
            0,
            {all_rows, NAN}},
        Row{"bias of a linear layer",
            {{kMany, 1}, {2, 1}, {2}},
            [](In in) { return affine(in[0], in[1], in[2]); },
            0,
            {NAN, NAN, kMany}},
        Row{"broadcast scalar", {{kMany}, {1}}, [](In in) { return in[0] * in[1]; }, 0, {x, all}},
        Row{"broadcast row", {{kMany, 2}, {2}}, [](In in) { return in[0] * in[1]; }, 0, {x, all}},
        Row{"LayerNorm's bias",
            {{kRows, 2}, {2}, {2}},
            [](In in) { return 0.1 * layer_norm(in[0], in[1], in[2]); },
            0,
            {NAN, NAN, all_rows}},
        Row{"LayerNorm's gain",  // of rows (1, 3), z = (-1, 1)
            {{kRows, 2}, {2}, {2}},
            [](In in) {
              const Tensor unlike = Tensor::of({10, 30}).to(in[0].value().device());
              const Tensor dy = Tensor::of({-kX, kX}).to(in[0].value().device());
              return layer_norm(in[0] * unlike, in[1], in[2], 1e-12) * dy;
            },
            0,
            {NAN, all_rows, NAN}}),
    [](const testing::TestParamInfo<Row>& info) {
      std::string name;
      for (const char* c = info.param.name; *c; ++c) {
        if (std::isalnum(static_cast<unsigned char>(*c))) name += *c;
      }
      return name;
    });

TEST(LongSums, CumsumEndsAtTheSum) {
  for (const Device device : test_devices()) {
    for (const int64_t inner : {1, 2}) {
      const Tensor x = Tensor::full({kMany, inner}, kX, DType::f32, device);
      const Tensor y = cumsum(x, 0).value();
      expect_all(y.rows(kMany - 1, kMany), all, device.str());
    }
  }
}

// dx = dy - p sum(dy) = 1 + 0.1 - 0.1, on the CPU: a GPU's threads share the sum.
TEST(LongSums, GradientOfLogSoftmax) {
  const Var v = Var::parameter(Tensor::full({1, kMany}, kX));
  (sum(log_softmax(v) * x) + sum(v)).backward();
  expect_all(v.grad(), 1, "log_softmax");
}

// 1 / n is rounded in f64: in f32 the mean of ones is 0.99999994 for 41 of them.
TEST(Mean, OfOnesIsOne) {
  for (const Device device : test_devices()) {
    for (int64_t n = 1; n <= 1000; ++n) {
      const Tensor ones = Tensor::full({n, 2}, 1, DType::f32, device);
      EXPECT_EQ(mean(ones).item(), 1) << n;
      EXPECT_EQ(mean(ones, 0).value().to_vector(), std::vector<double>({1, 1})) << n;
    }
  }
}

}  // namespace
}  // namespace heed
