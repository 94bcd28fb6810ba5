// Buffers: state of a module that is saved, moved and cloned with it, and never trained.
#include <gtest/gtest.h>

#include <cmath>

#include "examples/batch_norm.h"
#include "nn/safetensors.h"
#include "optim/ema.h"
#include "optim/optim.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

using examples::BatchNorm;

struct Scaled : Module {
  void visit(Visitor& v) override {
    v("weight", weight);
    v("count", count);
  }
  Scaled like() const { return {}; }
  Var weight = Var::parameter(Tensor::of({2, 3})), count = Var::buffer(Tensor::of({5, 7}));
};

TEST(Buffer, IsListedAndNotTrained) {
  Scaled model;
  EXPECT_EQ(names(model), "weight(2) count(2) ");
  EXPECT_EQ(parameter_count(model), 2);
  EXPECT_TRUE(model.count.is_buffer() && model.count.frozen() && !model.count.needs_grad());
  EXPECT_FALSE(model.weight.is_buffer());
  EXPECT_THROW(Sgd(model, {.groups = {{"count", 0.5}}}), UsageError);  // which trains nothing
  Sgd sgd(model, {.rate = 1});
  (void)sum(model.weight * model.count).backward();
  sgd.step();
  EXPECT_EQ(model.weight.value().to_vector(), (Vec{2 - 5, 3 - 7}));
  EXPECT_EQ(model.count.value().to_vector(), (Vec{5, 7}));
  convert(model, DType::f64);
  EXPECT_EQ(summary(model),
            "name    shape  numbers  share   type\n"
            "weight  (2)    2        100.0%  f64\n"
            "count   (2)    2                f64   buffer\n"
            "2 numbers and 2 in buffers, 32 bytes; 0 numbers frozen\n");
}

TEST(Buffer, StaysFrozen) {
  const Scaled model;
  EXPECT_EQ(error_of<UsageError>([&] { model.count.freeze(false); }),
            "unfreeze: a buffer is never trained");
  Scaled all;
  freeze(all);
  unfreeze(all);
  EXPECT_TRUE(all.count.frozen() && !all.weight.frozen());
  EXPECT_EQ(error_of<UsageError>([&] { unfreeze(all, "count"); }),
            "unfreeze: no parameter fits 'count'; buffers do, which are never trained");
}

TEST(Buffer, IsSavedLoadedClonedAndConvertedWithItsModule) {
  Scaled model;
  model.count.set_value(Tensor::of({11, 13}));
  const TempDir directory;
  save_parameters(directory.path("m.safetensors"), model);
  Scaled loaded;
  load_parameters(directory.path("m.safetensors"), loaded);
  EXPECT_EQ(loaded.count.value().to_vector(), (Vec{11, 13}));
  EXPECT_TRUE(loaded.count.is_buffer());

  Scaled copy = clone(model);
  model.count.set_value(Tensor::of({0, 0}));
  EXPECT_EQ(copy.count.value().to_vector(), (Vec{11, 13}));
  EXPECT_TRUE(copy.count.is_buffer() && copy.count.frozen());
  convert(copy, DType::f64);
  EXPECT_EQ(copy.count.dtype(), DType::f64);
  EXPECT_TRUE(copy.count.is_buffer());
}

TEST(Buffer, IsNotDrawn) {
  Scaled model;
  init_uniform(model, 8, 9, /*seed=*/1);
  init_again(model, 1);
  init_again_uniform(model, 8, 9, 1);
  EXPECT_EQ(model.count.value().to_vector(), (Vec{5, 7}));
  EXPECT_GE(model.weight.value().to_vector()[0], 8);
  model.weight = Var::parameter(Tensor::of({{2, 3}}));
  model.count = Var::buffer(Tensor::of({{5, 7}}));
  init_again_xavier(model, 1);
  EXPECT_EQ(model.count.value().to_vector(), (Vec{5, 7}));
  EXPECT_LE(model.weight.value().to_vector()[0], 1.5);  // sqrt(6 / 3) at most
}

TEST(Visitor, NumbersAVectorOfModulesAndLooksAtAConstOne) {
  struct Stack : Module {
    void visit(Visitor& v) override { v("layers", layers); }
    std::vector<Linear> layers;
  };
  Stack stack;
  stack.layers.emplace_back(2, 3);
  stack.layers.emplace_back(3, 1);
  const Stack& constant = stack;
  std::string text;
  for (const NamedParameter& p : parameters(constant)) text += p.name + " ";
  EXPECT_EQ(text, "layers.0.weight layers.0.bias layers.1.weight layers.1.bias ");
  EXPECT_EQ(parameter_count(constant), 6 + 3 + 3 + 1);
}

// ---- the example

const Tensor kBatch = Tensor::of({{1, 10}, {2, 10}, {6, 40}}, DType::f64);

TEST(BatchNorm, NormalisesByTheBatchAndKeepsRunningMeans) {
  BatchNorm norm(2, /*momentum=*/0.25);
  convert(norm, DType::f64);
  const Var y = norm.train(kBatch);
  // mean 3 and 20; divided by n the variances are 14/3 and 200, by n - 1 they are 7 and 300
  EXPECT_NEAR(y.value()(0, 0), -2 / std::sqrt(14. / 3 + 1e-5), 1e-12);
  EXPECT_NEAR(y.value()(2, 1), 20 / std::sqrt(200 + 1e-5), 1e-12);
  EXPECT_EQ(norm.running_mean.value().to_vector(), (Vec{0.75, 5}));
  EXPECT_EQ(norm.running_variance.value().to_vector(), (Vec{0.75 + 1.75, 0.75 + 75}));
  (void)norm.train(kBatch);  // the second batch
  EXPECT_EQ(norm.running_mean.value().to_vector(), (Vec{0.75 * 0.75 + 0.75, 0.75 * 5 + 5}));
}

TEST(BatchNorm, IsNotChangedByABatchOfOneRow) {
  BatchNorm norm(2);
  EXPECT_THROW((void)norm.train(Tensor::of({{5, 5}})), ShapeError);
  EXPECT_EQ(norm.running_mean.value().to_vector(), (Vec{0, 0}));
}

TEST(BatchNorm, EvaluatesByTheRunningMeans) {
  BatchNorm norm(2);
  convert(norm, DType::f64);
  norm.running_mean.set_value(Tensor::of({1, 2}, DType::f64));
  norm.running_variance.set_value(Tensor::of({4, 9}, DType::f64));
  const Var y = norm(Tensor::of({{5, 5}}, DType::f64));
  EXPECT_NEAR(y.value()(0, 0), 2, 1e-5);
  EXPECT_NEAR(y.value()(0, 1), 1, 1e-5);
  EXPECT_EQ(norm.running_mean.value().to_vector(), (Vec{1, 2}));
}

TEST(BatchNorm, HasTheRightGradient) {
  BatchNorm norm(3);
  check_module(std::move(norm), random({5, 3}, 1),
               [](BatchNorm& layer, const Var& x) { return layer.train(x); });
}

}  // namespace
}  // namespace heed
