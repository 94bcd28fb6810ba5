// Layers against plain loops; what they are called, and what they start from.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "nn/attention.h"
#include "nn/conv1d.h"
#include "nn/lstm.h"
#include "nn/safetensors.h"
#include "nn/transformer.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

// ---- Linear, Embedding, LayerNorm

TEST(Linear, IsAMatrixProduct) {
  Linear layer = f64(Linear(3, 2));
  const Var x = random({2, 2, 3}, 1), y = layer(x);
  EXPECT_EQ(y.shape().str(), "(2, 2, 2)");
  const Vec bias = layer.bias.value().to_vector();
  Vec expected;
  for (const Vec& row : matrix(x)) {
    const Vec wx = times(layer.weight, row);
    for (size_t i = 0; i < 2; ++i) expected.push_back(wx[i] + bias[i]);
  }
  expect_near(y.value().to_vector(), expected);
}

TEST(Linear, HasNamesAndAnOptionalBias) {
  Linear with(3, 2), without(3, 2, /*with_bias=*/false);
  EXPECT_EQ(names(with), "weight(2, 3) bias(2) ");
  EXPECT_EQ(names(without), "weight(2, 3) ");
  EXPECT_EQ(parameter_count(with), 8);
  EXPECT_EQ(parameter_count(without), 6);
  EXPECT_EQ(error_of<ShapeError>([] { Linear(0, 2); }),
            "Linear: sizes must be positive, got in 0, out 2");
}

TEST(Linear, Gradient) {
  check_module(Linear(3, 2), random({4, 3}, 1),
               [](const Linear& layer, const Var& x) { return layer(x); });
}

TEST(Embedding, LooksRowsUpAndKeepsItsGradientToThem) {
  Embedding layer(5, 2);
  init(layer, /*seed=*/1);
  const Var y = layer(Tensor::from(std::vector<int32_t>{3, 0, 3}));
  const std::vector<Vec> w = matrix(layer.weight), rows = matrix(y);
  EXPECT_EQ(rows, (std::vector<Vec>{w[3], w[0], w[3]}));
  sum(y).backward();
  const Gradient& g = layer.weight.gradient();
  ASSERT_TRUE(g.sparse());
  EXPECT_EQ(g.ids.to_ints(), (std::vector<int32_t>{0, 3}));
  EXPECT_EQ(g.rows.to_vector(), (Vec{1, 1, 2, 2}));
  EXPECT_EQ(layer.weight.grad().to_vector(), (Vec{1, 1, 0, 0, 0, 0, 2, 2, 0, 0}));
  EXPECT_EQ(names(layer), "weight(5, 2) ");
}

TEST(LayerNorm, HasMeanZeroAndVarianceOneBeforeGainAndBias) {
  LayerNorm layer = f64(LayerNorm(4, /*eps=*/0.1));
  EXPECT_EQ(names(layer), "weight(4) bias(4) ");
  layer.gain.value().copy_from(Tensor::from(Vec{1, 2, 3, 4}, {4}));
  layer.bias.value().fill(0.5);
  const Var x = random({3, 4}, 1);
  Vec expected;
  for (const Vec& row : matrix(x)) {
    const double mean = (row[0] + row[1] + row[2] + row[3]) / 4;
    double variance = 0;
    for (double v : row) variance += (v - mean) * (v - mean) / 4;
    for (size_t i = 0; i < 4; ++i) {
      expected.push_back((row[i] - mean) / std::sqrt(variance + 0.1) * double(i + 1) + 0.5);
    }
  }
  expect_near(layer(x).value().to_vector(), expected);
}

TEST(LayerNorm, RefusesWhatMakesNoSense) {
  EXPECT_EQ(error_of<ShapeError>([] { LayerNorm(0); }),
            "LayerNorm: the width must be positive, got 0");
  EXPECT_EQ(error_of<UsageError>([] { LayerNorm(3, -1); }), "LayerNorm: needs eps >= 0, got -1");
}

TEST(DropoutMode, KeepsTheMeanAndHasItsOwnMaskForEveryPlaceStepAndIndex) {
  const Var x = Tensor::full({10'000}, 1);
  const DropoutMode drop(0.25, 3, 5);
  const Var y = drop(x, "here");
  EXPECT_NEAR(mean(y).value().item(), 1, 0.03);
  for (double v : y.value().to_vector()) EXPECT_TRUE(v == 0 || std::abs(v - 4.0 / 3) < 1e-6);
  EXPECT_TRUE(same(y, drop(x, "here")));
  EXPECT_FALSE(same(y, drop(x, "there")));
  EXPECT_FALSE(same(y, drop(x, "here", 1)));
  EXPECT_FALSE(same(y, drop.at(1)(x, "here")));
  EXPECT_FALSE(same(y, DropoutMode(0.25, 4, 5)(x, "here")));
  EXPECT_TRUE(same(x, DropoutMode()(x, "here")));
}

// One more would draw the mask of the next training step.
TEST(DropoutMode, HasAMillionTimeSteps) {
  const DropoutMode drop(0.25, 3, 5);
  const Var x = Tensor::full({1000}, 1);
  EXPECT_FALSE(same(drop.at((1 << 20) - 1)(x, "here"), DropoutMode(0.25, 3, 6)(x, "here")));
  for (const int64_t t : {int64_t{-1}, int64_t{1} << 20}) {
    EXPECT_EQ(error_of<UsageError>([&] { (void)drop.at(t); }),
              "dropout: time step " + std::to_string(t) + " is outside of [0, 1048576)");
  }
}

// Layers of one kind, made alike: each draws masks of its own, in each step others.
struct TwoOfAKind : Module {
  void visit(Visitor& v) override {
    v("encoder", encoder);
    v("decoder", decoder);
    v("layers.0", first);
    v("layers.1", second);
  }
  Lstm encoder{4, 16, {.layers = 2}}, decoder{4, 16, {.layers = 2}};
  TransformerEncoderLayer first{16, {.heads = 2}}, second{16, {.heads = 2}};
};

TEST(DropoutMode, EachLayerOfAModelHasAStreamOfItsOwn) {
  TwoOfAKind model;
  EXPECT_THROW((void)model.encoder(Packing({2}), random({2, 4}, 1), {}, DropoutMode(0.5, 1, 1)),
               UsageError);
  init(model, 1);
  convert(model, DType::f64);
  copy_parameters(model.decoder, model.encoder);
  copy_parameters(model.second, model.first);
  const Packing packing({3, 2});
  const Var x = random({5, 4}, 1), wide = random({5, 16}, 2);
  const Segments segments({3, 2});
  const AttentionPairs pairs(segments, segments);
  EXPECT_TRUE(same(model.encoder(packing, x).y, model.decoder(packing, x).y));
  EXPECT_TRUE(same(model.first(wide, pairs).y, model.second(wide, pairs).y));
  const DropoutMode drop(0.5, 1, 1), next(0.5, 1, 2);
  EXPECT_FALSE(same(model.encoder(packing, x, {}, drop).y, model.decoder(packing, x, {}, drop).y));
  EXPECT_FALSE(same(model.first(wide, pairs, drop).y, model.second(wide, pairs, drop).y));
  EXPECT_FALSE(same(model.first(wide, pairs, drop).y, model.first(wide, pairs, next).y));
  // By a name that is given, as by an own one.
  EXPECT_TRUE(
      same(model.encoder(packing, x, {}, drop, "a").y, model.decoder(packing, x, {}, drop, "a").y));
  EXPECT_FALSE(
      same(model.encoder(packing, x, {}, drop, "a").y, model.encoder(packing, x, {}, drop).y));
}

TEST(DropoutMode, ALoadedOrClonedModelDrawsAsTheOneThatWasDrawn) {
  TwoOfAKind model, loaded;
  init(model, 1);
  const TempDir dir;
  save_parameters(dir.path("m"), model);
  load_parameters(dir.path("m"), loaded);
  EXPECT_EQ(loaded.stream(), 0u);  // it may be a part
  EXPECT_EQ(clone(loaded).stream(), 0u);
  name_parts(loaded);
  TwoOfAKind cloned = clone(model);
  const Packing packing({3, 2});
  const Var x = Tensor(random({5, 4}, 1).value()).to(DType::f32);
  const DropoutMode drop(0.5, 1, 1);
  const Var y = model.encoder(packing, x, {}, drop).y;
  EXPECT_TRUE(same(y, loaded.encoder(packing, x, {}, drop).y));
  EXPECT_TRUE(same(y, cloned.encoder(packing, x, {}, drop).y));
}

// A part that is loaded alone keeps its name in the model; a clone of it has none yet.
TEST(DropoutMode, APartKeepsItsStream) {
  TwoOfAKind model;
  init(model, 1);
  const uint32_t first = model.first.stream(), second = model.second.stream();
  const TempDir dir;
  save_parameters(dir.path("m"), model.first);
  load_parameters(dir.path("m"), model.first);
  load_parameters(dir.path("m"), model.second);
  EXPECT_EQ(model.first.stream(), first);
  EXPECT_EQ(model.second.stream(), second);
  EXPECT_EQ(clone(model.first).stream(), 0u);
}

// Equal names would draw equal masks.
TEST(DropoutMode, PartsThatAreLoadedOneByOneHaveNoStreams) {
  TwoOfAKind model, loaded;
  init(model, 1);
  const TempDir dir;
  save_parameters(dir.path("encoder"), model.encoder);
  save_parameters(dir.path("decoder"), model.decoder);
  load_parameters(dir.path("encoder"), loaded.encoder);
  load_parameters(dir.path("decoder"), loaded.decoder);
  const Packing packing({3, 2});
  const Var x = Tensor(random({5, 4}, 1).value()).to(DType::f32);
  const DropoutMode drop(0.5, 1, 1);
  EXPECT_EQ(error_of<UsageError>([&] { (void)loaded.encoder(packing, x, {}, drop); }),
            "dropout: the layer has no name yet, which selects its random stream; call init() or "
            "name_parts() on the whole model first (they reach what visit() names)");
  (void)loaded.encoder(packing, x, {}, drop, "encoder");  // or by a name that is given
  init(loaded, 2);                                        // what was loaded stays
  EXPECT_TRUE(same(loaded.encoder(packing, x, {}, drop).y, model.encoder(packing, x, {}, drop).y));
  EXPECT_NE(loaded.encoder.stream(), loaded.decoder.stream());
}

// Self- and cross-attention, the feed-forward part, and the two kinds of dropout of each.
TEST(DropoutMode, ThePartsOfALayerDoNotShareAStream) {
  TransformerDecoderLayer layer(16, {.heads = 2});
  init(layer, 1);
  const std::set<uint32_t> streams = {layer.stream(), layer.self_attention.stream(),
                                      layer.attention.stream(), layer.feed_forward.stream()};
  EXPECT_EQ(streams.size(), 4u);
  EXPECT_FALSE(streams.contains(0));
  const Var x = Tensor::full({100}, 1);
  const DropoutMode drop(0.5, 1, 1);
  EXPECT_FALSE(same(drop(x, layer.attention, ""), drop(x, layer.attention, "", "out")));
  EXPECT_FALSE(same(drop(x, layer.attention, ""), drop(x, layer.self_attention, "")));
  for (const char* place : {"", "at"}) {
    EXPECT_FALSE(same(drop(x, layer, place, "", 0), drop(x, layer, place, "", 1))) << place;
  }
}

// ---- Module, initialisers

struct Pair : Module {
  Pair() : a(2, 3), b(3, 1, /*with_bias=*/false) {}
  void visit(Visitor& v) override {
    v("a", a);
    v("b", b);
  }
  Linear a, b;
};

TEST(Module, NamesItsPartsWithDots) {
  Pair pair;
  EXPECT_EQ(names(pair), "a.weight(3, 2) a.bias(3) b.weight(1, 3) ");
  EXPECT_EQ(parameter_count(pair), 12);
}

// As after copying a line of visit(): a file of them could not be read again.
TEST(Module, RefusesANameTwice) {
  struct Twice : Pair {
    void visit(Visitor& v) override {
      v("a", a);
      v("a", b);
    }
  } twice;
  const std::string expected =
      "module: two parameters are called \"a.weight\"; give each a name of its own";
  EXPECT_EQ(error_of<UsageError>([&] { (void)parameters(twice); }), expected);
  const TempDir dir;
  EXPECT_EQ(error_of<UsageError>([&] { save_parameters(dir.path("twice.safetensors"), twice); }),
            expected);
  EXPECT_EQ(dir.count_files(), 0u);
}

TEST(Module, ConvertsAndForgetsGradients) {
  Pair pair;
  init(pair, 1);
  sum(pair.a.weight).backward();
  EXPECT_TRUE(pair.a.weight.grad().defined());
  zero_grad(pair);
  EXPECT_FALSE(pair.a.weight.grad().defined());
  const Vec before = pair.a.weight.value().to_vector();
  convert(pair, DType::f64);
  EXPECT_EQ(pair.a.weight.dtype(), DType::f64);
  EXPECT_EQ(pair.a.weight.value().to_vector(), before);
  EXPECT_TRUE(f64(Embedding(3, 2)).weight.sparse_rows());
}

TEST(Module, CopiesParametersOfTheSameNames) {
  Pair from, to;
  init(from, 1);
  copy_parameters(to, from);
  EXPECT_TRUE(same(to.b.weight, from.b.weight));
  EXPECT_EQ(error_of<ShapeError>([&] { copy_parameters(to, from.a); }),
            "copy_parameters: 2 parameters do not fit 3");
  Linear other(3, 3);
  LayerNorm norm(3);
  EXPECT_NE(error_of<ShapeError>([&] { copy_parameters(other, from.a); }), "no error");
  EXPECT_NE(error_of<ShapeError>([&] { copy_parameters(other, norm); }), "no error");
}

void expect_uniform(const Tensor& t, double low, double high) {
  const Vec v = t.to_vector();
  double sum = 0, squares = 0;
  for (double x : v) {
    EXPECT_GE(x, low);
    EXPECT_LE(x, high);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / double(v.size()), width = high - low;
  EXPECT_NEAR(mean, (low + high) / 2, 0.02 * width);
  EXPECT_NEAR(std::sqrt(squares / double(v.size()) - mean * mean), width / std::sqrt(12),
              0.02 * width);
}

TEST(Init, DistributionsAreAsTheySay) {
  const RandomKey key{1, purpose_id("x")};
  expect_uniform(uniform({100, 100}, -0.5, 1.5, key), -0.5, 1.5);
  expect_uniform(xavier_uniform({50, 100}, key), -0.2, 0.2);   // sqrt(6 / 150)
  expect_uniform(kaiming_uniform({60, 150}, key), -0.2, 0.2);  // sqrt(6 / 150)
  Linear linear(100, 60);
  init(linear, 1);
  expect_uniform(linear.weight.value(), -0.1, 0.1);  // 1 / sqrt(100)
  Lstm lstm(20, 25);
  init(lstm, 1);  // 1 / sqrt(25)
  expect_uniform(named(lstm, "weight_ih_l0").value(), -0.2, 0.2);
  Conv1d conv(20, 30, 5);
  init(conv, 1);  // 1 / sqrt(20 x 5)
  expect_uniform(conv.weight.value(), -0.1, 0.1);
  double sum = 0, squares = 0;
  for (double x : normal({100, 101}, 3, 2, key).to_vector()) sum += x, squares += (x - 3) * (x - 3);
  EXPECT_NEAR(sum / 10100, 3, 0.1);
  EXPECT_NEAR(std::sqrt(squares / 10100), 2, 0.1);
  EXPECT_EQ(error_of<ShapeError>([&] { (void)xavier_uniform({5}, key); }),
            "xavier_uniform: needs a weight (out, in), got (5)");
}

TEST(Init, LawsAreTheirsAndDrawWhatIsBlank) {
  const RandomKey key{1, purpose_id("x")};
  const auto expect_normal = [](const Tensor& t, double mean, double deviation) {
    double sum = 0, squares = 0;
    const auto n = static_cast<double>(t.numel());
    for (double x : t.to_vector()) sum += x, squares += (x - mean) * (x - mean);
    EXPECT_NEAR(sum / n, mean, 0.05 * deviation);
    EXPECT_NEAR(std::sqrt(squares / n), deviation, 0.05 * deviation);
  };
  expect_uniform(uniform_law(-0.5, 1.5)({100, 100}, key, DType::f32), -0.5, 1.5);
  expect_normal(normal_law(3, 2)({100, 100}, key, DType::f32), 3, 2);
  Embedding embedding(100, 100);
  init(embedding, 1);
  expect_normal(embedding.weight.value(), 0, 1);
  init_uniform(embedding, -0.1, 0.1, 2);  // has values already
  expect_normal(embedding.weight.value(), 0, 1);
  init_again_uniform(embedding, 0.1, 0.3, 2);
  expect_uniform(embedding.weight.value(), 0.1, 0.3);
}

TEST(Init, XavierIsForMatrices) {
  Linear layer(40, 80);
  init(layer, 3);
  const auto bias = layer.bias.value().to_vector();
  convert(layer, DType::f64);
  init_again_xavier(layer, 3);
  expect_uniform(layer.weight.value(), -std::sqrt(0.05), std::sqrt(0.05));
  EXPECT_EQ(layer.weight.value().to_vector(),
            xavier_uniform({80, 40}, init_key(3, "weight"), DType::f64).to_vector());
  EXPECT_EQ(layer.bias.value().to_vector(), bias);
  Conv1d conv(2, 3, 5);
  init(conv, 3);
  const auto filters = conv.weight.value().to_vector();
  init_again_xavier(conv, 3);
  EXPECT_EQ(conv.weight.value().to_vector(), filters);
}

TEST(Init, IsAFunctionOfSeedAndName) {
  Pair pair, twin;
  init_uniform(pair, -0.1, 0.1, /*seed=*/3);
  init_uniform(twin, -0.1, 0.1, 3);
  EXPECT_TRUE(same(pair.a.weight, twin.a.weight));
  init_again_uniform(twin, -0.1, 0.1, 4);
  EXPECT_FALSE(same(pair.a.weight, twin.a.weight));
  EXPECT_TRUE(same(uniform({3, 2}, -0.1, 0.1, init_key(3, "a.weight")), pair.a.weight));
  // f64 numbers are those of f32
  expect_near(uniform({9}, 0, 1, init_key(3, "x"), DType::f64).to_vector(),
              uniform({9}, 0, 1, init_key(3, "x")).to_vector(), 1e-7);
}

}  // namespace
}  // namespace heed
