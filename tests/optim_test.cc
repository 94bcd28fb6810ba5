#include "optim/optim.h"

#include <cmath>

#include "nn/lstm.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Vec = std::vector<double>;

// Two parameters; their gradients are what backward() of sum(p x) makes of x.
struct Two : Module {
  Two(const Vec& a_values, const Vec& b_values)
      : a(Var::parameter(Tensor::from(a_values, {static_cast<int64_t>(a_values.size())}))),
        b(Var::parameter(Tensor::from(b_values, {static_cast<int64_t>(b_values.size())}))) {}
  void visit(Visitor& v) override {
    v("a", a);
    v("b", b);
  }
  Var a, b;
};

void set_grad(const Var& p, const Vec& values) {
  p.zero_grad();
  sum(p * Var(Tensor::from(values, p.shape()))).backward();
}

void expect_near(const Var& got, const Vec& expected, double tolerance = 1e-14) {
  const Vec values = got.value().to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance);
}

TEST(Sgd, Plain) {
  Two model({1, 2}, {3});
  Sgd sgd(model, {.rate = 0.5});
  set_grad(model.a, {2, -4});
  sgd.step();
  expect_near(model.a, {0, 4});
  expect_near(model.b, {3});  // without a gradient nothing happens
  sgd.rate = 1;               // as a schedule does
  sgd.step(/*scale=*/0.25);
  expect_near(model.a, {-0.5, 5});
}

// d = g + 0.1 p;  v = 0.5 v + d;  p -= 0.2 v
TEST(Sgd, MomentumAndWeightDecay) {
  Two model({1}, {});
  Sgd sgd(model, {.rate = 0.2, .momentum = 0.5, .weight_decay = 0.1});
  set_grad(model.a, {2});
  sgd.step();  // d = v = 2.1, p = 1 - 0.42
  expect_near(model.a, {0.58});
  sgd.step(/*scale=*/0.5);  // d = 1.058, v = 2.108, p = 0.58 - 0.4216
  expect_near(model.a, {0.1584});

  Two decay({2}, {});
  Sgd decaying(decay, {.rate = 0.1, .weight_decay = 0.5});
  set_grad(decay.a, {1});
  decaying.step();
  expect_near(decay.a, {1.8});
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
  b.step(0.5);
  expect_near(one.a, other.a.value().to_vector());
}

// Factors of rate and weight decay for some parameters.
TEST(Optimizers, TreatGroupsInTheirOwnWay) {
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
              Adam(model, {.groups = {{"a", -1, 1}}});
            }),
            "optimizer: the factors of group 'a' must not be negative");
}

// Three steps, and one step whose state goes into a new optimiser that makes the other two.
template <class Kind> void expect_state_resumes(typename Kind::Options options, size_t tensors) {
  const Vec gradients = {0.5, -1, 0.25};
  Two whole({1, 2}, {3}), parted({1, 2}, {3});
  Kind one(whole, options), before(parted, options);
  const auto step = [&](Two& model, Optimizer& optimizer, int t) {
    set_grad(model.a, {gradients[t], 2 * gradients[t]});
    set_grad(model.b, {-gradients[t]});
    optimizer.step();
  };
  for (int t = 0; t < 3; ++t) step(whole, one, t);
  step(parted, before, 0);

  Kind after(parted, options);
  const std::vector<NamedTensor> from = before.state(), to = after.state();
  ASSERT_EQ(from.size(), tensors);
  for (size_t i = 0; i < tensors; ++i) {
    EXPECT_EQ(from[i].name, to[i].name);
    to[i].tensor.copy_from(from[i].tensor);
  }
  for (int t = 1; t < 3; ++t) step(parted, after, t);
  EXPECT_EQ(whole.a.value().to_vector(), parted.a.value().to_vector());
  EXPECT_EQ(whole.b.value().to_vector(), parted.b.value().to_vector());
}

TEST(Optimizers, GoOnFromTheirState) {
  expect_state_resumes<Sgd>({.rate = 0.1}, 0);
  expect_state_resumes<Sgd>({.rate = 0.1, .momentum = 0.9}, 2);
  expect_state_resumes<Adam>({.rate = 0.1, .weight_decay = 0.1}, 5);
  Two model({1, 2}, {3});
  EXPECT_EQ(Adam(model).state()[2].name, "v.a");
}

TEST(Optimizers, RefuseWhatMakesNoSense) {
  Two model({1}, {});
  EXPECT_EQ(error_of<UsageError>([&] { Sgd(model, {.rate = -1}); }),
            "Sgd: rate, momentum and weight_decay must not be negative");
  EXPECT_EQ(error_of<UsageError>([&] { Sgd(model, {.rate = NAN}); }),
            "Sgd: rate, momentum and weight_decay must not be negative");
  EXPECT_EQ(error_of<UsageError>([&] { Adam(model, {.beta2 = 1}); }),
            "Adam: needs rate, weight_decay >= 0, eps > 0 and beta1, beta2 in [0, 1)");
  EXPECT_THROW(Adam(model, {.weight_decay = -1}), UsageError);
  EXPECT_EQ(error_of<UsageError>([&] { clip_grad_norm(parameters(model), 0); }),
            "clip_grad_norm: max_norm must be positive, got 0.000000");
}

// A table whose gradients keep to the rows, and one with dense gradients.
struct Tables : Module {
  Tables() {
    const Tensor start = Tensor::from(Vec{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
    sparse = Var::parameter(start.clone(), /*sparse_rows=*/true);
    dense = Var::parameter(start.clone());
  }
  void visit(Visitor& v) override {
    v("sparse", sparse);
    v("dense", dense);
  }
  Var sparse, dense;
};

template <class Optimizer> void expect_sparse_is_dense(typename Optimizer::Options options) {
  Tables tables;
  Optimizer optimizer(tables, options);
  for (const std::vector<int32_t>& ids : {std::vector<int32_t>{2, 0, 2}, {1}, {0, 1, 1, 1}}) {
    for (const Var& table : {tables.sparse, tables.dense}) {
      sum(square(gather_rows(table, Tensor::from(ids)))).backward();
    }
    EXPECT_TRUE(tables.sparse.gradient().sparse());
    EXPECT_FALSE(tables.dense.gradient().sparse());
    optimizer.step(/*scale=*/0.5);
    zero_grad(tables);
    expect_near(tables.sparse, tables.dense.value().to_vector());
  }
}

TEST(Optimizers, TreatSparseAndDenseGradientsAlike) {
  expect_sparse_is_dense<Sgd>({.rate = 0.1});
  expect_sparse_is_dense<Sgd>({.rate = 0.1, .momentum = 0.9});
  expect_sparse_is_dense<Sgd>({.rate = 0.1, .weight_decay = 0.1});
  expect_sparse_is_dense<Adam>({.rate = 0.1});
}

TEST(ClipGradNorm, GivesTheNormBeforeAndTheScale) {
  Two model({0, 0}, {0});
  EXPECT_EQ(grad_norm(parameters(model)), 0);
  set_grad(model.a, {2, -3});
  set_grad(model.b, {6});
  const Clipped clipped = clip_grad_norm(parameters(model), 3.5);
  EXPECT_DOUBLE_EQ(clipped.norm, 7);
  EXPECT_DOUBLE_EQ(clipped.scale, 0.5);
  EXPECT_EQ(clip_grad_norm(parameters(model), 7).scale, 1);
  EXPECT_EQ(clip_grad_norm(parameters(model), 100).scale, 1);
  EXPECT_EQ(model.b.grad().item(), 6);  // the gradients stay as they are
  Sgd(model, {.rate = 1}).step(clipped.scale);
  expect_near(model.a, {-1, 1.5});

  Tables tables;  // repeated rows are summed before they are squared: 2 (1 + 1), 2 (2 + 2)
  sum(square(gather_rows(tables.sparse, Tensor::from(std::vector<int32_t>{0, 0})))).backward();
  EXPECT_DOUBLE_EQ(grad_norm(parameters(tables)), std::sqrt(16.0 + 64.0));
}

// ---- HalvingSchedule

// The rates with which the epochs after each of these perplexities are trained.
Vec rates(HalvingSchedule& schedule, const Vec& perplexities) {
  Vec result;
  for (double p : perplexities) {
    schedule.update(p);
    result.push_back(schedule.rate());
  }
  return result;
}

TEST(HalvingSchedule, HalvesAfterEpochsWithoutImprovement) {
  HalvingSchedule one({.rate = 1});
  EXPECT_EQ(rates(one, {100, 90, 95, 80, 80, 70}), (Vec{1, 1, 0.5, 0.5, 0.25, 0.25}));
  HalvingSchedule two({.rate = 1, .patience = 2});
  EXPECT_EQ(rates(two, {100, 101, 99, 100, 100, 100, 100}), (Vec{1, 1, 1, 1, 0.5, 0.5, 0.25}));
}

TEST(HalvingSchedule, KnowsTheBestEpoch) {
  HalvingSchedule schedule({.rate = 1, .min_improvement = 0.1});
  EXPECT_TRUE(schedule.update(100));
  EXPECT_TRUE(schedule.update(95));  // the best, but not by a tenth: no improvement
  EXPECT_EQ(schedule.rate(), 0.5);
  EXPECT_FALSE(schedule.update(95));
  EXPECT_TRUE(schedule.update(80));
  EXPECT_EQ(schedule.rate(), 0.25);
  EXPECT_EQ(schedule.state.best, 80);
}

TEST(HalvingSchedule, TakesNanForNoImprovement) {
  HalvingSchedule schedule({.rate = 1});
  schedule.update(100);
  EXPECT_FALSE(schedule.update(NAN));
  EXPECT_EQ(schedule.rate(), 0.5);
  EXPECT_EQ(schedule.state.best, 100);

  HalvingSchedule from_nan({.rate = 1});
  EXPECT_FALSE(from_nan.update(NAN));
  EXPECT_TRUE(from_nan.update(100));
  EXPECT_EQ(from_nan.rate(), 0.5);
}

TEST(HalvingSchedule, StopsBelowTheSmallestRate) {
  HalvingSchedule schedule({.rate = 1, .min_rate = 0.3});
  EXPECT_EQ(rates(schedule, {100, 100}), (Vec{1, 0.5}));
  EXPECT_FALSE(schedule.finished());
  schedule.update(100);
  EXPECT_TRUE(schedule.finished());
  EXPECT_EQ(schedule.rate(), 0.5);
}

TEST(HalvingSchedule, StopsAfterAllHalvings) {
  HalvingSchedule schedule({.rate = 1, .max_halvings = 2});
  EXPECT_EQ(rates(schedule, {100, 100, 100}), (Vec{1, 0.5, 0.25}));
  EXPECT_FALSE(schedule.finished());
  schedule.update(100);
  EXPECT_TRUE(schedule.finished());
}

TEST(HalvingSchedule, HalvesByEpoch) {
  HalvingSchedule schedule({.rate = 1, .halve_after = 3});
  EXPECT_EQ(rates(schedule, {100, 90, 80, 70, 60}), (Vec{1, 1, 0.5, 0.25, 0.125}));
}

TEST(HalvingSchedule, GoesOnFromASavedState) {
  const HalvingSchedule::Options options{.rate = 1, .min_rate = 0.1, .patience = 2};
  const Vec perplexities = {100, 101, 102, 99, 103, 98, 99, 99, 99, 99, 99, 99, 99};
  HalvingSchedule whole(options), first(options);
  const Vec expected = rates(whole, perplexities);
  for (size_t cut = 0; cut < perplexities.size(); ++cut) {
    HalvingSchedule resumed(options);
    resumed.state = first.state;
    const Vec rest(perplexities.begin() + cut, perplexities.end());
    EXPECT_EQ(rates(resumed, rest), Vec(expected.begin() + cut, expected.end()));
    EXPECT_EQ(resumed.finished(), whole.finished());
    first.update(perplexities[cut]);
  }
}

TEST(HalvingSchedule, RefusesWhatMakesNoSense) {
  for (const HalvingSchedule::Options& bad : std::vector<HalvingSchedule::Options>{
           {.rate = 0}, {.rate = NAN}, {.min_rate = -1}, {.patience = 0}, {.max_halvings = -1}}) {
    EXPECT_TRUE(error_of<UsageError>([&] { HalvingSchedule{bad}; }).starts_with("HalvingSchedule"));
  }
}

// ---- learning

// Reads four symbols and writes them again: after the input s_1 s_2 s_3 s_4 - - - - the last four
// outputs are s_1 s_2 s_3 s_4. By chance the loss is ln 6 = 1.79.
struct Copier : Module {
  Copier() : embedding(7, 8, 1), lstm(8, 32, {}, 2), output(32, 6, 3, /*with_bias=*/false) {}
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
    adam->step(clip_grad_norm(parameters(model), 1).scale);
    zero_grad(model);
  }
  return loss.value().item();
}

TEST(Learning, AnLstmLearnsToCopy) {
  Copier model;
  Adam adam(model, {.rate = 0.01});
  Rng rng(1, "copy");
  const double before = copy_loss(model, nullptr, rng);
  for (int step = 0; step < 600; ++step) copy_loss(model, &adam, rng);
  EXPECT_NEAR(before, std::log(6.0), 0.3);
  EXPECT_LT(copy_loss(model, nullptr, rng), 0.05);
}

}  // namespace
}  // namespace heed
