// The first values of parameters.
#include <gtest/gtest.h>

#include "nn/init.h"
#include "nn/lstm.h"
#include "nn/safetensors.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

struct Three : Module {
  Three() : q(64, 64), k(64, 64), first(8, 8), second(8, 8) {}
  void visit(Visitor& v) override {
    v("q", q);
    v("k", k);
    v("first", first);
    v("second", second);
  }
  Linear q, k;
  Lstm first, second;
};

TEST(Init, EqualShapesNeverStartEqual) {
  Three model;
  init(model, /*seed=*/1);
  EXPECT_FALSE(same(model.q.weight, model.k.weight));
  EXPECT_FALSE(same(model.q.bias, model.k.bias));
  EXPECT_FALSE(same(model.first.weight_ih(0), model.second.weight_ih(0)));
  EXPECT_FALSE(same(named(model, "first.weight_ih_l0"), named(model, "first.weight_hh_l0")));
}

TEST(Init, IsDrawnByFullNames) {
  Three model, other;
  init(model, 1);
  init(other, 1);
  EXPECT_TRUE(same(model.k.weight, other.k.weight));
  EXPECT_TRUE(same(model.k.weight, uniform({64, 64}, -0.125, 0.125, init_key(1, "k.weight"))));
  init_again(other, 2);
  EXPECT_FALSE(same(model.k.weight, other.k.weight));
}

// Fine-tuning: a loaded encoder and a new head.
TEST(Init, KeepsWhatWasLoadedOrSet) {
  Three model, other;
  init(model, 1);
  other.q.weight.set_value(model.q.weight.value().clone());
  init(other, 2);
  EXPECT_TRUE(same(model.q.weight, other.q.weight));
  EXPECT_FALSE(same(model.k.weight, other.k.weight));
  const Vec k = other.k.weight.value().to_vector();
  init(other, 3);  // all have values
  EXPECT_EQ(other.k.weight.value().to_vector(), k);
}

TEST(Init, KeepsWhatWasMadeWithValuesAndDrawsWhereTheModuleIs) {
  LayerNorm norm(3);
  init(norm, 1);
  EXPECT_EQ(norm.gain.value().to_vector(), (Vec{1, 1, 1}));
  Linear layer(2, 2);
  layer.bias = Var::parameter({2}, constant_law(-1));
  convert(layer, DType::f64);
  init(layer, 1);
  EXPECT_EQ(layer.weight.dtype(), DType::f64);
  EXPECT_EQ(layer.bias.value().to_vector(), (Vec{-1, -1}));
}

TEST(Init, IsAskedForWhereItIsMissing) {
  Linear layer(2, 2);
  const std::string expected =
      "a parameter has no values yet; call init(module, seed) or load_parameters() first (they "
      "reach "
      "what visit() names)";
  EXPECT_EQ(error_of<UsageError>([&] { (void)layer(Tensor::zeros({1, 2})); }), expected);
  const TempDir dir;
  EXPECT_EQ(error_of<UsageError>([&] { save_parameters(dir.path("x"), layer); }),
            "parameter \"weight\" has no values yet; call init(module, seed) or load_parameters() "
            "first");
  EXPECT_EQ(dir.count_files(), 0u);
  EXPECT_EQ(parameter_count(layer), 6);
  Linear made(2, 2);
  init(made, 1);
  save_parameters(dir.path("x"), made);
  load_parameters(dir.path("x"), layer);
  EXPECT_TRUE(same(layer.weight, made.weight));
}

}  // namespace
}  // namespace heed
