// A small language model with products of bf16 (`--matmul bf16`): its gradients against f64,
// whether it learns, and what KeepPacked keeps then.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "autograd/keep_packed.h"
#include "nn/lstm.h"
#include "optim/optim.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

constexpr int64_t kVocab = 60, kWidth = 48;

// Words -> embedding -> LSTM -> the next words.
struct LanguageModel : Module {
  Var embedding = Var::parameter(random({kVocab, kWidth}, 1).value());
  Var output = Var::parameter(random({kVocab, kWidth}, 2).value());
  Lstm lstm{kWidth, kWidth, {.layers = 2}};

  explicit LanguageModel(DType dtype) {
    init(*this, /*seed=*/1);
    convert(*this, dtype);
  }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }
  Var loss(const Packing& packing, const Tensor& words, const Tensor& next) const {
    const Var y = lstm(packing, gather_rows(embedding, words)).y;
    return mul(linear_cross_entropy(y, output, next).total, 1.0 / double(packing.rows()));
  }
};

// Six sentences of ten words, each word the one before times 7.
struct Text {
  Packing packing{std::vector<int32_t>(6, 10)};
  Tensor words, next;

  Text() {
    std::vector<int32_t> ids(60), after(60);
    for (int32_t i = 0; i < 60; ++i) {
      ids[i] = i < 6 ? 3 * i + 1 : after[i - 6];
      after[i] = ids[i] * 7 % 60;
    }
    words = Tensor::from(ids, {60});
    next = Tensor::from(after, {60});
  }
};

class Bf16Training : public testing::Test {
 protected:
  void TearDown() override { set_matmul(Matmul::f32); }
};

double norm(const Vec& x) {
  return std::sqrt(dot(x, x));
}

// |g - g64| / |g64| of the gradient of every parameter.
Vec gradient_errors(LanguageModel& exact, Matmul precision) {
  const Text text;
  LanguageModel model(DType::f32);
  set_matmul(precision);
  model.loss(text.packing, text.words, text.next).backward();
  set_matmul(Matmul::f32);
  Vec errors;
  const auto want = parameters(exact), got = parameters(model);
  for (size_t i = 0; i < want.size(); ++i) {
    const Vec expected = want[i].var.grad().to_vector();
    Vec difference = got[i].var.grad().to_vector();
    for (size_t j = 0; j < difference.size(); ++j) difference[j] -= expected[j];
    errors.push_back(norm(difference) / norm(expected));
  }
  return errors;
}

// A factor is off by up to 2^-8; the errors of many products mostly cancel.
TEST_F(Bf16Training, GradientsAreThoseOfF64ToThePrecisionOfBf16) {
  const Text text;
  LanguageModel exact(DType::f64);
  exact.loss(text.packing, text.words, text.next).backward();
  for (double error : gradient_errors(exact, Matmul::f32)) EXPECT_LT(error, 1e-5);
  for (double error : gradient_errors(exact, Matmul::bf16)) {
    EXPECT_LT(error, 0.02);
    EXPECT_GT(error, 1e-5) << "no product was of bf16";
  }
}

TEST_F(Bf16Training, LearnsAsWellAsF32) {
  const Text text;
  double last[2] = {};
  for (Matmul precision : {Matmul::f32, Matmul::bf16}) {
    LanguageModel model(DType::f32);
    Adam optimizer(model, {.rate = 0.01});
    set_matmul(precision);
    for (int step = 0; step < 60; ++step) {
      zero_grad(model);
      const Var loss = model.loss(text.packing, text.words, text.next);
      loss.backward();
      optimizer.step();
      last[precision == Matmul::bf16] = loss.value().item();
    }
  }
  EXPECT_LT(last[0], 0.2);
  EXPECT_NEAR(last[1], last[0], 0.05);
}

TEST_F(Bf16Training, KeepPackedGivesTheSameBitsAndKeepsPrecisionsApart) {
  const Tensor x = uniform({5, 40}, -1, 1, {1, 0}), w = uniform({70, 40}, -1, 1, {2, 0});
  const auto product = [&] { return affine(Var(x), Var(w)).value().to_vector(); };
  const Vec f32 = product();
  set_matmul(Matmul::bf16);
  const Vec bf16 = product();
  EXPECT_NE(bf16, f32);
  const KeepPacked keep;
  for (int turn = 0; turn < 2; ++turn) {
    set_matmul(Matmul::bf16);
    EXPECT_EQ(product(), bf16);
    set_matmul(Matmul::f32);
    EXPECT_EQ(product(), f32);
  }
}

}  // namespace
}  // namespace heed
