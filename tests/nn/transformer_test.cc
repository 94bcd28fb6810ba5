// The Transformer layers against PyTorch's, and against themselves where they must agree.
#include "nn/transformer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "tests/file_helpers.h"
#include "tests/nn/layer_case_helpers.h"

namespace heed {
namespace {

constexpr int64_t kWidth = 6;
constexpr TransformerOptions kSmall = {.heads = 2, .hidden = 10};
const Segments kRows({4, 2, 3}), kMemory({3, 5, 1});

TEST(Transformer, AnEncoderLayerHasNoMemory) {
  EXPECT_EQ(
      error_of<ShapeError>([] { TransformerEncoderLayer(8, {.heads = 2, .memory_width = 5}); }),
      "TransformerEncoderLayer: looks at its own rows only; memory_width 5 is for decoder layers");
}

TEST(TransformerEncoderLayer, IsPyTorchs) {
  for (const bool causal : {false, true}) {
    SCOPED_TRACE(causal);
    const LayerCase expected(causal ? "causal_encoder" : "encoder");
    TransformerOptions options = kSmall;
    options.relu = causal;
    auto layer = expected.with_parameters(TransformerEncoderLayer(kWidth, options));
    const Var x = expected.input("x");
    const auto out = layer(x, AttentionPairs(kRows, kRows, causal));
    expected.expect_output(out.y);
    expect_same(out.weights, expected["weights"]);
    expected.expect_gradients(layer, out.y, {"x"}, {x});
  }
}

TEST(TransformerDecoderLayer, IsPyTorchs) {
  const LayerCase expected("decoder");
  TransformerOptions options = kSmall;
  options.relu = true;
  auto layer = expected.with_parameters(TransformerDecoderLayer(kWidth, options));
  const Var x = expected.input("x"), memory = expected.input("memory");
  const AttentionPairs self(kRows, kRows, /*causal=*/true), cross(kRows, kMemory);
  const auto out = layer(x, memory, self, cross);
  expected.expect_output(out.y);
  EXPECT_EQ(out.self_weights.shape(), (Shape{2, self.total()}));
  EXPECT_EQ(out.weights.shape(), (Shape{2, cross.total()}));
  expected.expect_gradients(layer, out.y, {"x", "memory"}, {x, memory});
  EXPECT_TRUE(same(layer(x, layer.attention.read(memory), self, cross).y, out.y));
}

TEST(Transformer, HasTheNamesOneExpects) {
  MultiHeadAttention attention(4, 2, /*memory_width=*/3);
  EXPECT_EQ(names(attention),
            "query.weight(4, 4) query.bias(4) key.weight(4, 3) key.bias(4) value.weight(4, 3) "
            "value.bias(4) output.weight(4, 4) output.bias(4) ");
  FeedForward feed_forward(4, 8, /*relu=*/false);
  EXPECT_EQ(names(feed_forward),
            "linear1.weight(8, 4) linear1.bias(8) linear2.weight(4, 8) linear2.bias(4) ");
  TransformerEncoderLayer encoder(4, {.heads = 2});
  EXPECT_EQ(parameter_count(encoder), 4 * 20 + (80 + 68) + 2 * 8);
  TransformerDecoderLayer decoder(4, {.heads = 2, .hidden = 5, .memory_width = 3});
  EXPECT_EQ(parameter_count(decoder), 4 * 20 + (2 * 20 + 2 * 16) + (25 + 24) + 3 * 8);
  EXPECT_EQ(error_of<ShapeError>([] { MultiHeadAttention(6, 4); }),
            "MultiHeadAttention: width 6, 4 heads");
}

TEST(Transformer, CanBeCloned) {
  auto encoder = f64(TransformerEncoderLayer(kWidth, kSmall));
  auto decoder =
      f64(TransformerDecoderLayer(kWidth, {.heads = 3, .relu = true, .memory_width = 4}));
  const Var x = random({9, kWidth}, 1), memory = random({9, 4}, 2);
  const AttentionPairs self(kRows, kRows), cross(kRows, kMemory);
  EXPECT_TRUE(same(clone(encoder)(x, self).y, encoder(x, self).y));
  auto attention = f64(MultiHeadAttention(kWidth, 3));
  EXPECT_TRUE(same(clone(attention)(x, x, self).context, attention(x, x, self).context));
  EXPECT_TRUE(same(clone(decoder)(x, memory, self, cross).y, decoder(x, memory, self, cross).y));
}

TEST(Transformer, Gradients) {
  const DropoutMode drop(0.3, 1, 1);
  const AttentionPairs self(kRows, kRows, /*causal=*/true), cross(kRows, kMemory);
  const Var x = random({9, kWidth}, 1), memory = random({9, 4}, 2);
  check_module(TransformerEncoderLayer(kWidth, kSmall), x,
               [&](const auto& layer, const Var& in) { return layer(in, self, drop).y; });
  check_module(TransformerDecoderLayer(kWidth, {.heads = 3, .memory_width = 4}), x,
               [&](const auto& layer, const Var& in) {
                 const auto out = layer(in, memory, self, cross, drop);
                 return sum(out.y, 1) + sum(square(mean(out.weights, 0)));
               });
}

// Each of its places drops, and no two alike.
TEST(Transformer, DropsInEveryPart) {
  auto layer = f64(TransformerEncoderLayer(kWidth, kSmall));
  const AttentionPairs self(kRows, kRows);
  const Var x = random({9, kWidth}, 1);
  const DropoutMode drop(0.5, 1, 1);
  const auto plain = layer(x, self), dropped = layer(x, self, drop);
  EXPECT_FALSE(same(dropped.y, plain.y));
  EXPECT_TRUE(same(dropped.weights, plain.weights));  // as they are before dropout
  EXPECT_TRUE(same(dropped.y, layer(x, self, drop).y));
  EXPECT_FALSE(same(dropped.y, layer(x, self, drop, "elsewhere").y));
  EXPECT_FALSE(same(dropped.y, layer(x, self, DropoutMode(0.5, 1, 2)).y));
}

// All three parts add ones; what is left of the sum, after dropout of a half of each, tells whether
// they draw alike: then it would be 0 or 6 everywhere.
TEST(Transformer, TheOutputsOfPartsDrawForThemselves) {
  auto layer = f64(TransformerDecoderLayer(64, {.heads = 2}));
  for (const NamedParameter& p : parameters(layer)) {
    const bool added = p.name.ends_with("output.bias") || p.name == "feed_forward.linear2.bias";
    p.var.set_value(Tensor::full(p.var.shape(), added ? 1 : 0, DType::f64));
  }
  const Var x(Tensor::zeros({9, 64}, DType::f64));
  const AttentionPairs self(kRows, kRows);
  for (const char* place : {"", "decoder"}) {
    std::map<double, int> counts;
    for (const double sum :
         layer(x, x, self, self, DropoutMode(0.5, 1, 1), place).y.value().to_vector()) {
      ++counts[sum];
    }
    ASSERT_EQ(counts.size(), 4u) << place;
    for (const double binomial : {1, 3}) {  // of 9 x 64 / 8
      EXPECT_NEAR(counts[binomial == 1 ? 0 : 2], 72 * binomial, 25 * binomial) << place;
      EXPECT_NEAR(counts[binomial == 1 ? 6 : 4], 72 * binomial, 25 * binomial) << place;
    }
  }
}

TEST(Positions, CountWithinEachSequence) {
  EXPECT_EQ(positions(Segments({3, 0, 2})), (std::vector<int32_t>{0, 1, 2, 0, 1}));
  EXPECT_EQ(positions(Packing({3, 1})), (std::vector<int32_t>{0, 0, 1, 2}));
}

TEST(Positions, AreSinesAndCosines) {
  const Vec got = sinusoidal_positions({0, 7, 3}, 5, DType::f64).to_vector();
  Vec expected;
  for (const double p : {0, 7, 3}) {
    for (const double f : {1.0, std::pow(10000, -2.0 / 5), std::pow(10000, -4.0 / 5)}) {
      expected.push_back(std::sin(p * f));
      if (expected.size() % 5) expected.push_back(std::cos(p * f));
    }
  }
  expect_near(got, expected);
  EXPECT_EQ(sinusoidal_positions({}, 4).shape(), (Shape{0, 4}));
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)sinusoidal_positions({1, -1}, 4);
            }),
            "sinusoidal_positions: negative position -1");
  EXPECT_EQ(error_of<ShapeError>([] { (void)sinusoidal_positions({1}, 4, DType::i32); }),
            "sinusoidal_positions: element type i32: expected f32 or f64");
}

}  // namespace
}  // namespace heed
