// Output layers: their distributions against the formulas, their losses, their gradients.
#include "dialog/parts/output_layer.h"

#include <cmath>
#include <numeric>

#include "base/error.h"
#include "nn/init.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

Var states() {
  return Var(Tensor::of({{0.3, -0.2, 0.9}, {-1.1, 0.4, 0.2}}, DType::f64));
}

template <class Layer> Layer drawn(Layer layer) {
  init_again_uniform(layer, -1, 1, 3);
  convert(layer, DType::f64);
  return layer;
}

// W x for the parameter of this name, which reads the first columns of x.
std::vector<double> product(const Module& layer, const std::string& name, const Tensor& x) {
  for (const NamedParameter& p : parameters(layer)) {
    if (p.name != name) continue;
    const Tensor w = p.var.value();
    std::vector<double> y(w.shape()[0]);
    for (int64_t i = 0; i < w.shape()[0]; ++i) {
      for (int64_t j = 0; j < w.shape()[1]; ++j) y[i] += w(i, j) * x(0, j);
    }
    return y;
  }
  ADD_FAILURE() << name;
  return {};
}

std::vector<double> probabilities(const OutputLayer& layer, const Var& x) {
  return softmax(layer.logits(x)).value().to_vector();
}

// -log p of the targets with and without weights, and gradients against differences.
template <class Layer> void expect_loss(Layer& layer) {
  const Tensor targets = Tensor::from(std::vector<int32_t>{3, 0});
  const CrossEntropy plain = layer.loss(states(), targets);
  const Tensor log_p = log_softmax(layer.logits(states())).value();
  EXPECT_NEAR(plain.nll(0), -log_p(0, 3), 1e-12);
  EXPECT_NEAR(plain.nll(1), -log_p(1, 0), 1e-12);
  EXPECT_NEAR(plain.total.value().item(), -log_p(0, 3) - log_p(1, 0), 1e-12);
  const CrossEntropy weighted = layer.loss(states(), targets, Tensor::of({2, -0.5}, DType::f64));
  EXPECT_NEAR(weighted.total.value().item(), -2 * log_p(0, 3) + 0.5 * log_p(1, 0), 1e-12);
  const auto loss = [&] { return layer.loss(states(), targets).total; };
  std::vector<Var> inputs;
  for (const NamedParameter& p : parameters(layer)) inputs.push_back(p.var);
  zero_grad(layer);
  loss().backward();
  for (const Var& w : inputs) {
    const Tensor grad = w.grad().clone();
    for (int64_t i = 0; i < w.shape().numel(); ++i) {
      const double h = 1e-6, at = w.value().data<double>()[i];
      w.value().data<double>()[i] = at + h;
      const double up = loss().value().item();
      w.value().data<double>()[i] = at - h;
      const double down = loss().value().item();
      w.value().data<double>()[i] = at;
      EXPECT_NEAR(grad.data<double>()[i], (up - down) / (2 * h), 1e-7);
    }
  }
}

TEST(SoftmaxOutput, IsASoftmax) {
  SoftmaxOutput layer = drawn(SoftmaxOutput(3, 4));
  const auto a = product(layer, "weight", states().value());
  const auto p = probabilities(layer, states());
  EXPECT_NEAR(p[1] / p[2], std::exp(a[1] - a[2]), 1e-12);
  expect_loss(layer);
}

// p(y) = (exp a_y + [y in K] exp b_y) / M, word by word.
TEST(JointSoftmaxOutput, AddsTheSecondWayOfSomeWords) {
  JointSoftmaxOutput layer = drawn(JointSoftmaxOutput(3, 2, 5, {4, 1}));
  const auto a = product(layer, "weight", states().value()),
             b = product(layer, "part.weight", states().value());
  std::vector<double> mass;
  for (const double x : a) mass.push_back(std::exp(x));
  mass[4] += std::exp(b[0]);
  mass[1] += std::exp(b[1]);
  double all = 0;
  for (const double m : mass) all += m;
  const auto p = probabilities(layer, states());
  for (int y = 0; y < 5; ++y) EXPECT_NEAR(p[y], mass[y] / all, 1e-12) << y;
  expect_loss(layer);
}

TEST(JointSoftmaxOutput, WithoutSuchWordsIsASoftmax) {
  JointSoftmaxOutput layer = drawn(JointSoftmaxOutput(3, 3, 4, {}));
  EXPECT_EQ(parameters(layer).size(), 1u);
  EXPECT_EQ(probabilities(layer, states()), probabilities(drawn(SoftmaxOutput(3, 4)), states()));
  for (const std::vector<int32_t>& part : {std::vector<int32_t>{4}, {-1}, {2, 2}}) {
    EXPECT_EQ(error_of<UsageError>([&] { JointSoftmaxOutput(3, 3, 4, part); }),
              "joint softmax: expected different words of the 4 of the vocabulary");
  }
}

// p = [(1 - g) softmax(W_1 h); g softmax(W_2 h)], by hand; and the known answer of the
// specification: g = 1/4, [1/2, 1/2] and [0.1, 0.9] give [0.375, 0.375, 0.025, 0.225].
TEST(GatedOutput, SharesOutByTheGate) {
  GatedOutput layer = drawn(GatedOutput(3, 5, 2));
  const auto general = product(layer, "weight", states().value()),
             special = product(layer, "special.weight", states().value());
  const double g = 1 / (1 + std::exp(-product(layer, "gate.weight", states().value())[0]));
  const auto p = probabilities(layer, states());
  double first = 0, second = 0;
  for (const double x : general) first += std::exp(x);
  for (const double x : special) second += std::exp(x);
  for (int y = 0; y < 3; ++y) EXPECT_NEAR(p[y], (1 - g) * std::exp(general[y]) / first, 1e-12);
  for (int y = 0; y < 2; ++y) EXPECT_NEAR(p[3 + y], g * std::exp(special[y]) / second, 1e-12);
  EXPECT_NEAR(layer.log_gate(states()).value()(0), std::log(g), 1e-12);
  expect_loss(layer);

  GatedOutput known = drawn(GatedOutput(1, 4, 2));
  for (const NamedParameter& w : parameters(known)) {
    const std::vector<double> values = w.name == "weight"           ? std::vector<double>{0, 0}
                                       : w.name == "special.weight" ? std::vector{0, std::log(9.0)}
                                                                    : std::vector{-std::log(3.0)};
    w.var.set_value(Tensor::from(values, w.var.shape()));
  }
  const auto answer = probabilities(known, Var(Tensor::of({{1}}, DType::f64)));
  const std::vector<double> expected = {0.375, 0.375, 0.025, 0.225};
  for (int y = 0; y < 4; ++y) EXPECT_NEAR(answer[y], expected[y], 1e-12) << y;
}

// p = softmax([(1 - g) W_1 h; g W_2 h]), word by word.
TEST(GatedOutput, WeighsLogitsIfAsked) {
  GatedOutput layer = drawn(GatedOutput(3, 5, 2, /*on_logits=*/true));
  const Tensor x = states().value();
  const auto general = product(layer, "weight", x), special = product(layer, "special.weight", x);
  const double g = 1 / (1 + std::exp(-product(layer, "gate.weight", x)[0]));
  std::vector<double> mass;
  for (const double w : general) mass.push_back(std::exp((1 - g) * w));
  for (const double w : special) mass.push_back(std::exp(g * w));
  const double all = std::accumulate(mass.begin(), mass.end(), 0.0);
  const auto p = probabilities(layer, states());
  for (int y = 0; y < 5; ++y) EXPECT_NEAR(p[y], mass[y] / all, 1e-12) << y;
  EXPECT_NEAR(layer.log_gate(states()).value()(0), std::log(g), 1e-12);
  expect_loss(layer);
}

TEST(GatedOutput, WithoutSpecialWordsIsASoftmax) {
  const auto p = probabilities(drawn(GatedOutput(3, 4, 0)), states()),
             plain = probabilities(drawn(SoftmaxOutput(3, 4)), states());
  for (int y = 0; y < 8; ++y) EXPECT_NEAR(p[y], plain[y], 1e-15);
}

// p = (1 - g) softmax(a) + g v, row by row; nothing is v in the second one, which has g = 0.
TEST(MixedOutput, SharesOutByTheGate) {
  struct WithWords : MixedOutput {  // reads what the other layers read
    WithWords() : MixedOutput(3, 4) {}
    using MixedOutput::logits;
    Var logits(const Var& h) const override {
      const double none = kLogOfNone, half = std::log(0.5);
      const Tensor log_v =
          Tensor::of({{none, half, none, half}, {none, none, none, none}}, DType::f64);
      const Var all = MixedOutput::logits(concat({h, Var(log_v)}, 1));
      EXPECT_EQ(all.value().to_vector(), logits(h, log_v).value().to_vector());
      return all;
    }
  };
  WithWords layer = drawn(WithWords());
  double bias = 0;
  for (const NamedParameter& p : parameters(layer)) {
    if (p.name == "gate.bias") bias = p.var.value()(0);
  }
  const auto a = product(layer, "weight", states().value());
  const double z = product(layer, "gate.weight", states().value())[0] + bias;
  double all = 0;
  for (const double x : a) all += std::exp(x);
  const auto p = probabilities(layer, states());
  for (int y = 0; y < 4; ++y) {
    const double g = 1 / (1 + std::exp(-z));
    EXPECT_NEAR(p[y], (1 - g) * std::exp(a[y]) / all + g * (y % 2 ? 0.5 : 0), 1e-12) << y;
  }
  const SoftmaxOutput plain = drawn(SoftmaxOutput(3, 4));
  EXPECT_EQ(rows(Var(layer.logits(states())), 1, 2).value().to_vector(),
            rows(plain.logits(states()), 1, 2).value().to_vector());
  expect_loss(layer);
}

}  // namespace
}  // namespace heed
