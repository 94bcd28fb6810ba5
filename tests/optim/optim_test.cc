// Optimisers by hand: what is particular to one of them. What holds for all is in
// optimizer_table_test.cc.
#include "optim/optim.h"

#include <cmath>

#include "nn/init.h"
#include "nn/lstm.h"
#include "optim/ema.h"
#include "tests/file_helpers.h"
#include "tests/optim/optim_helpers.h"

namespace heed {
namespace {

TEST(Sgd, Plain) {
  Two model({1, 2}, {3});
  Sgd sgd(model, {.rate = 0.5});
  set_grad(model.a, {2, -4});
  sgd.step();
  expect_near(model.a, {0, 4});
  expect_near(model.b, {3});  // without a gradient nothing happens
  sgd.rate = 1;               // as a schedule does
  sgd.step({.scale = 0.25});
  expect_near(model.a, {-0.5, 5});
}

// d = g + 0.1 p;  v = 0.5 v + d;  p -= 0.2 v
TEST(Sgd, MomentumAndWeightDecay) {
  Two model({1}, {});
  Sgd sgd(model, {.rate = 0.2, .momentum = 0.5, .weight_decay = 0.1});
  set_grad(model.a, {2});
  sgd.step();  // d = v = 2.1, p = 1 - 0.42
  expect_near(model.a, {0.58});
  sgd.step({.scale = 0.5});  // d = 1.058, v = 2.108, p = 0.58 - 0.4216
  expect_near(model.a, {0.1584});

  Two decay({2}, {});
  Sgd decaying(decay, {.rate = 0.1, .weight_decay = 0.5});
  set_grad(decay.a, {1});
  decaying.step();
  expect_near(decay.a, {1.8});
}

// Of each parameter: none is the value any more that a graph from before the step was made with.
TEST(Optimizer, AStepChangesAllParameters) {
  for (const bool first : {true, false}) {
    Two model({1}, {2});
    Sgd sgd(model, {.rate = 1});
    const Var late = sum(square(first ? model.a : model.b));
    sum(model.a + model.b).backward();
    sgd.step();
    EXPECT_NE(error_of<UsageError>([&] { late.backward(); }), "no error") << first;
  }
}

// Gradients 0.5 and -1. The corrected moments are 0.5 and 0.25, then -0.055 / 0.19 and
// 0.00124975 / 0.001999.
TEST(Adam, TwoStepsByHand) {
  Two model({1}, {2});
  Adam adam(model, {.rate = 0.1});
  set_grad(model.a, {0.5});
  adam.step();
  expect_near(model.a, {1 - 0.1 * 0.5 / (0.5 + 1e-8)});
  set_grad(model.a, {-1});
  adam.step();
  const double second = 0.1 * (0.055 / 0.19) / (std::sqrt(0.00124975 / 0.001999) + 1e-8);
  expect_near(model.a, {1 - 0.1 * 0.5 / (0.5 + 1e-8) + second});
  expect_near(model.a, {0.936610354624258}, 1e-9);
  expect_near(model.b, {2});
}

// The first step is the rate, whatever the decays of the averages are.
TEST(Adam, LosesNoDigitsInF32) {
  for (const double beta : {0.999, 0.99999, 0.999999}) {
    Two model({2}, {2});
    convert(model, DType::f32);
    Adam slow(model, {.rate = 1, .beta2 = beta}), steady(model, {.rate = 1, .beta1 = beta});
    sum(model.a * 0.5).backward();
    slow.step();
    expect_near(model.a, {1}, 2e-6);
    zero_grad(model);
    sum(model.b * 0.5).backward();
    steady.step();
    expect_near(model.b, {1}, 2e-6);
  }
}

// An eps that is 0 in f32 divides nothing by nothing.
TEST(Adam, TheSmallestEps) {
  Two model({2}, {3});
  convert(model, DType::f32);
  Adam adam(model, {.rate = 1, .eps = 1e-50});
  Adagrad adagrad(model, {.rate = 1, .eps = 1e-50});
  sum(model.a * 0 + model.b * 0).backward();
  adam.step();
  adagrad.step();
  expect_near(model.a, {2});
  expect_near(model.b, {3});
}

// Decoupled weight decay takes rate * weight_decay * p away, whatever the gradient is.
TEST(Adam, WeightDecayByHand) {
  Two model({2}, {});
  Adam adam(model, {.rate = 0.1, .weight_decay = 0.5});
  set_grad(model.a, {-3});
  adam.step();
  expect_near(model.a, {2 + 0.1 * 3 / (3 + 1e-8) - 0.1 * 0.5 * 2});
}

TEST(Adam, ScalesTheGradient) {
  Two one({1, 1}, {}), other({1, 1}, {});
  Adam a(one, {}), b(other, {});
  set_grad(one.a, {1, -2});
  set_grad(other.a, {2, -4});
  a.step();
  b.step({.scale = 0.5});
  expect_near(one.a, other.a.value().to_vector());
}

// Factors of rate and weight decay for some parameters.
TEST(Optimizer, TreatGroupsInTheirOwnWay) {
  Two model({1}, {1});
  Sgd sgd(model, {.rate = 1, .weight_decay = 0.5, .groups = {{"b", 0.1, 2}, {"a", 1, 1}}});
  set_grad(model.a, {1});
  set_grad(model.b, {1});
  sgd.step();
  expect_near(model.a, {1 - (1 + 0.5)});
  expect_near(model.b, {1 - 0.1 * (1 + 0.5 * 2)});

  Two other({1}, {1});
  Adam adam(other, {.rate = 1, .weight_decay = 0.5, .groups = {{"b", 0.1, 2}}});
  set_grad(other.a, {3});
  set_grad(other.b, {3});
  adam.step();
  expect_near(other.a, {1 - (1 + 0.5)}, 1e-8);
  expect_near(other.b, {1 - 0.1 * (1 + 0.5 * 2)}, 1e-8);

  EXPECT_EQ(error_of<UsageError>([&] {
              Sgd(model, {.groups = {{"c", 1, 1}}});
            }),
            "optimizer: no parameter for group 'c'");
  EXPECT_EQ(error_of<UsageError>([&] {
              Sgd(model, {.groups = {{"a", 1, 1}, {"*", 2, 1}, {"b", 3, 1}}});
            }),
            "optimizer: no parameter for group 'b': groups before it have them all");
  EXPECT_EQ(error_of<UsageError>([&] {
              Adam(model, {.groups = {{"a", -1, 1}}});
            }),
            "optimizer: the factors of group 'a' must not be negative");
  EXPECT_EQ(error_of<UsageError>([&] {
              Adam(model, {.groups = {{"b", 1, -1}}});
            }),
            "optimizer: the factors of group 'b' must not be negative");
  Sgd(model, {.groups = {{"a", 0, 0}}});  // which keeps a as it is
}

struct Stack : Module {
  explicit Stack(int64_t count) {
    for (int64_t i = 0; i < count; ++i) layers.emplace_back(2, 2);
  }
  void visit(Visitor& v) override { v("layers", layers); }
  std::vector<Linear> layers;
};

void backward(const Stack& stack) {
  Var x = Tensor::of({{1, 2}});
  for (const Linear& layer : stack.layers) x = layer(x);
  sum(x).backward();
}

TEST(Optimizer, ReportALayerThatWasAdded) {
  Stack stack(1);
  init(stack, 1);
  Adam adam(stack);
  stack.layers.emplace_back(2, 2);
  init(stack, 1);
  backward(stack);
  EXPECT_EQ(error_of<UsageError>([&] { adam.step(); }).substr(0, 49),
            "optimizer: 'layers.1.weight' has a gradient, but ");
  freeze(stack, "layers.1");  // a layer that is not to be trained
  zero_grad(stack);
  backward(stack);
  adam.step();
  unfreeze(stack);
  const Vec before = stack.layers[1].weight.value().to_vector();
  Adam own(stack.layers[1]);  // or an optimiser of its own
  zero_grad(stack);
  backward(stack);
  adam.step();
  own.step();
  EXPECT_NE(stack.layers[1].weight.value().to_vector(), before);
}

// The optimiser of a part does not ask for those of others, and one that is gone counts no more.
TEST(Optimizer, LookAtTheirModuleAlone) {
  Stack stack(2);
  init(stack, 1);
  Sgd last(stack.layers[1]);
  backward(stack);
  last.step();
  EXPECT_THROW(Sgd(stack, {.rate = -1}), UsageError);
  { const Sgd gone(stack); }
  for (const NamedParameter& p : parameters(stack)) {
    EXPECT_EQ(p.var.cell()->optimizers, p.name.starts_with("layers.1")) << p.name;
  }
}

// A module may move, as in a vector that grows, and may be gone.
TEST(Optimizer, FollowTheModule) {
  std::vector<Stack> models;
  std::vector<std::unique_ptr<Sgd>> optimizers;
  for (int i = 0; i < 5; ++i) {
    models.emplace_back(1);
    init(models.back(), 1);
    optimizers.push_back(std::make_unique<Sgd>(models.back()));
  }
  for (int i = 0; i < 5; ++i) {
    backward(models[i]);
    optimizers[i]->step();
  }
  std::swap(models[0], models[1]);  // optimizers[1] is that of models[0]
  models[0].layers.emplace_back(2, 2);
  init(models[0], 1);
  for (int i : {0, 1}) zero_grad(models[i]), backward(models[i]);
  EXPECT_THROW(optimizers[1]->step(), UsageError);
  optimizers[0]->step();
  models[1] = Stack(1);
  init(models[1], 2);
  const Ema ema(models[2], 0.5);
  models[2] = Stack(1);
  init(models[2], 2);
  for (int i : {1, 2}) backward(models[i]);
  EXPECT_THROW(optimizers[0]->step(), UsageError);
  EXPECT_THROW(optimizers[2]->step(), UsageError);
  const Var weight = models[3].layers[0].weight, bias = models[3].layers[0].bias;
  models.clear();
  optimizers[3]->step();  // what others hold is trained as before
}

TEST(Optimizer, TheStateHasTheTypeOfTheParameters) {
  Two model({0.1, 0.2}, {}), resumed({0.1, 0.2}, {});
  Adam first(model), second(resumed);
  for (Two* m : {&model, &resumed}) convert(*m, DType::f64);
  set_grad(model.a, {0.1, 0.3});
  first.step();
  const TempDir dir;
  save_tensors(dir.path("t"), first.state());
  load_into(dir.path("t"), second.state());
  for (size_t i = 0; i < first.state().size(); ++i) {
    EXPECT_EQ(second.state()[i].tensor.to_vector(), first.state()[i].tensor.to_vector());
  }
}

TEST(Lbfgs, ItsFirstStepIsShortHoweverSteepItIs) {
  Two model({0}, {0});
  set_grad(model.a, {1e200});
  Lbfgs(model).step();
  expect_near(model.a, {-1});
}

TEST(Optimizer, RefuseWhatMakesNoSense) {
  Two model({1}, {});
  EXPECT_EQ(error_of<UsageError>([&] { Sgd(model, {.rate = -1}); }),
            "Sgd: needs rate, momentum, weight_decay >= 0");
  EXPECT_EQ(error_of<UsageError>([&] { Sgd(model, {.rate = NAN}); }),
            "Sgd: needs rate, momentum, weight_decay >= 0");
  EXPECT_EQ(error_of<UsageError>([&] { Adam(model, {.beta2 = 1}); }),
            "Adam: needs rate, weight_decay >= 0, eps > 0 and beta1, beta2 in [0, 1)");
  EXPECT_THROW(Adam(model, {.weight_decay = -1}), UsageError);
  EXPECT_THROW(Adagrad(model, {.eps = 0}), UsageError);
  EXPECT_THROW(Lbfgs(model, {.history = 0}), UsageError);
  EXPECT_EQ(error_of<UsageError>([&] { Lbfgs(model).step({.max_norm = 1}); }),
            "Lbfgs: max_norm scales each gradient by another factor; step() without it");
  set_grad(model.a, {1});
  EXPECT_THROW(Lbfgs(model).step(clipping(parameters(model), {.max_norm = 1})), UsageError);
  EXPECT_EQ(error_of<UsageError>([&] { (void)clip_scale(1, 0); }),
            "clip_scale: max_norm must be positive, got 0");
  set_grad(model.a, {1});
  EXPECT_THROW(Sgd(model).step({.max_norm = -1}), UsageError);
  EXPECT_THROW(Sgd(model).step({.max_norm = -INFINITY}), UsageError);
  Sgd sgd(model);
  for (const double rate : {-1.0, double{NAN}, double{INFINITY}}) {
    sgd.rate = rate;
    EXPECT_EQ(error_of<UsageError>([&] { sgd.step(); }),
              "optimizer: the rate must be finite and >= 0, got " + text(rate));
  }
  sgd.rate = 1;
  for (const double scale : {-1.0, double{INFINITY}, -double{INFINITY}}) {
    const std::string rule = ": the scale must not be negative or infinite, got ";
    EXPECT_EQ(error_of<UsageError>([&] { sgd.step({.scale = scale}); }),
              "optimizer" + rule + text(scale));
    EXPECT_EQ(error_of<UsageError>([&] { sgd.step({.scale = scale, .max_norm = 1}); }),
              "clipping" + rule + text(scale));
  }
  struct Nothing : Module {
    void visit(Visitor&) override {}
  } nothing;
  EXPECT_EQ(error_of<UsageError>([&] { Sgd{nothing}; }), "optimizer: the module has no parameters");
  expect_near(model.a, {1});
}

template <class Optimizer> void expect_sparse_is_dense(typename Optimizer::Options options) {
  Tables tables;
  Optimizer optimizer(tables, options);
  for (const std::vector<int32_t>& ids : {std::vector<int32_t>{2, 0, 2}, {1}, {0, 1, 1, 1}}) {
    for (const Var& table : {tables.sparse, tables.dense}) {
      sum(square(gather_rows(table, Tensor::from(ids)))).backward();
    }
    EXPECT_TRUE(tables.sparse.gradient().sparse());
    EXPECT_FALSE(tables.dense.gradient().sparse());
    optimizer.step({.scale = 0.5});
    zero_grad(tables);
    expect_near(tables.sparse, tables.dense.value().to_vector());
  }
}

// Rows of one number, and of more than one axis.
TEST(Optimizer, RowsOfAnyShapeAreSparse) {
  for (const Shape& shape : {Shape{4}, Shape{3, 2, 2}}) {
    Tables tables;
    const Tensor start = Tensor::zeros(shape);
    tables.sparse = Var::parameter(start.clone(), /*sparse_rows=*/true);
    tables.dense = Var::parameter(start.clone());
    Sgd sgd(tables, {.rate = 1});
    for (const Var& table : {tables.sparse, tables.dense}) {
      sum(gather_rows(table, Tensor::from(std::vector<int32_t>{0, 2}))).backward();
    }
    sgd.step();
    zero_grad(tables);
    sum(gather_rows(tables.sparse, Tensor::empty({0}, DType::i32))).backward();
    sgd.step();  // of no row at all
    expect_near(tables.sparse, tables.dense.value().to_vector());
    EXPECT_EQ(tables.sparse.value().to_vector().back(), shape.rank() == 1 ? 0 : -1);
  }
}

TEST(Optimizer, TreatSparseAndDenseGradientsAlike) {
  expect_sparse_is_dense<Sgd>({.rate = 0.1});
  expect_sparse_is_dense<Sgd>({.rate = 0.1, .momentum = 0.9});
  expect_sparse_is_dense<Sgd>({.rate = 0.1, .weight_decay = 0.1});
  expect_sparse_is_dense<Adam>({.rate = 0.1});
  expect_sparse_is_dense<Adagrad>({.rate = 0.1});
  expect_sparse_is_dense<Lbfgs>({.rate = 0.1});
}

// ---- learning

// Reads four symbols and writes them again: after the input s_1 s_2 s_3 s_4 - - - - the last four
// outputs are s_1 s_2 s_3 s_4. By chance the loss is ln 6 = 1.79.
struct Copier : Module {
  Copier() : embedding(7, 8), lstm(8, 32), output(32, 6, /*with_bias=*/false) {}
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("lstm", lstm);
    v("output", output);
  }
  Embedding embedding;
  Lstm lstm;
  Linear output;
};

double copy_loss(Copier& model, Adam* adam, Rng& rng) {
  constexpr int64_t kBatch = 32, kSymbols = 4;
  std::vector<int32_t> inputs, targets;
  for (int64_t i = 0; i < kSymbols * kBatch; ++i) {
    targets.push_back(static_cast<int32_t>(rng.below(6)));
  }
  inputs = targets;
  inputs.resize(2 * kSymbols * kBatch, 6);
  const Packing packing(std::vector<int32_t>(kBatch, 2 * kSymbols));
  const Var states = model.lstm(packing, model.embedding(Tensor::from(inputs))).y;
  const Var written = rows(states, kSymbols * kBatch, 2 * kSymbols * kBatch);
  const Var loss = linear_cross_entropy(written, model.output.weight, Tensor::from(targets)).total /
                   double(kSymbols * kBatch);
  if (adam) {
    loss.backward();
    adam->step({.max_norm = 1});
    zero_grad(model);
  }
  return loss.value().item();
}

TEST(Learning, AnLstmLearnsToCopy) {
  Copier model;
  init(model, /*seed=*/1);
  Adam adam(model, {.rate = 0.01});
  Rng rng(1, "copy");
  const double before = copy_loss(model, nullptr, rng);
  for (int step = 0; step < 600; ++step) copy_loss(model, &adam, rng);
  EXPECT_NEAR(before, std::log(6.0), 0.3);
  EXPECT_LT(copy_loss(model, nullptr, rng), 0.05);
}

}  // namespace
}  // namespace heed
