// The Gru layer against PyTorch's, and calls of it that must agree.
#include "nn/gru.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/file_helpers.h"
#include "tests/nn/layer_case_helpers.h"

namespace heed {
namespace {

// Sequences of 4, 3 and 1 steps.
const std::vector<int32_t> kGruLengths = {4, 3, 1};
constexpr int64_t kGruRows = 8, kGruIn = 3, kGruHidden = 4;

Var flat(const Var& x) {
  return reshape(x, {x.shape().numel()});
}

TEST(Gru, IsPyTorchs) {
  const LayerCase expected("gru");
  Gru gru = expected.with_parameters(Gru(kGruIn, kGruHidden, {.layers = 2, .bidirectional = true}));
  const Var x = expected.input("x"), h0 = expected.input("h0");
  GruState initial;
  for (const Var& h : split(h0, {1, 1, 1, 1}, 0)) initial.h.push_back(reshape(h, {3, kGruHidden}));
  const Gru::Output out = gru(Packing(kGruLengths), x, initial);
  std::vector<Var> all = {flat(out.y)};
  for (const Var& h : out.state.h) all.push_back(flat(h));
  const Var y = concat(all, 0);
  expected.expect_output(y);
  expected.expect_gradients(gru, y, {"x", "h0"}, {x, h0});
}

TEST(Gru, HasTheNamesOfPyTorch) {
  Gru plain(3, 2, {.layers = 2, .bias = false});
  EXPECT_EQ(names(plain),
            "weight_ih_l0(6, 3) weight_hh_l0(6, 2) weight_ih_l1(6, 2) weight_hh_l1(6, 2) ");
  Gru both(3, 2, {.bidirectional = true});
  EXPECT_EQ(names(both),
            "weight_ih_l0(6, 3) weight_hh_l0(6, 2) bias_ih_l0(6) bias_hh_l0(6) "
            "weight_ih_l0_reverse(6, 3) weight_hh_l0_reverse(6, 2) bias_ih_l0_reverse(6) "
            "bias_hh_l0_reverse(6) ");
}

// A part of the input by its columns of weight_ih_l0, or all of it.
TEST(Gru, FromGatesIsTheWhole) {
  Gru gru = f64(Gru(kGruIn, kGruHidden, {.layers = 2}));
  const Packing packing(kGruLengths);
  const Var x = random({kGruRows, kGruIn}, 1), whole = gru(packing, x).y;
  const Var gates = affine_columns(slice(x, 1, 0, 1), gru.weight_ih(0), 0);
  expect_same(gru.from_gates(packing, gates, slice(x, 1, 1, 3)).y, whole);
  expect_same(gru.from_gates(packing, affine(x, gru.weight_ih(0)), Var()).y, whole);
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)gru.from_gates(packing, gates, random({kGruRows, 4}, 1));
            }),
            "Gru: x must be (8, at most 3), got (8, 4)");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)gru.from_gates(packing, rows(gates, 0, 1), x); }),
            "Gru: gates must be " + gates.shape().str() + ", got (1, " +
                std::to_string(gates.shape()[1]) + ")");
}

TEST(Gru, StepByStepIsTheWholeSequence) {
  Gru gru = f64(Gru(kGruIn, kGruHidden, {.layers = 2}));
  const Packing packing(kGruLengths);
  const Var x = random({kGruRows, kGruIn}, 1);
  const Gru::Output whole = gru(packing, x);
  GruState state;
  std::vector<Var> outputs;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    const int64_t n = packing.batch_size(t), at = packing.offset(t);
    const Gru::Output out = gru(Packing::single_step(n), rows(x, at, at + n), state.first(n));
    state = out.state;
    outputs.push_back(out.y);
  }
  expect_same(concat(outputs, 0), whole.y);
  EXPECT_TRUE(same(clone(gru)(packing, x).y, whole.y));
}

TEST(Gru, ASequenceAloneEqualsItsRowsOfTheBatch) {
  Gru gru = f64(Gru(kGruIn, kGruHidden, {.bidirectional = true}));
  const Packing packing(kGruLengths);
  const Var x = random({kGruRows, kGruIn}, 1), batch = gru(packing, x).y;
  for (int64_t b = 0; b < packing.batch(); ++b) {
    std::vector<int32_t> ids;
    for (int64_t t = 0; t < packing.length(b); ++t) {
      ids.push_back(static_cast<int32_t>(packing.row(t, b)));
    }
    const Var alone = gru(Packing({kGruLengths[b]}), gather_rows(x, Tensor::from(ids))).y;
    EXPECT_TRUE(same(alone, gather_rows(batch, Tensor::from(ids))));
  }
}

TEST(Gru, DropsBetweenLayersOnly) {
  const Packing packing(kGruLengths);
  const Var x = random({kGruRows, kGruIn}, 1);
  const DropoutMode drop(0.5, 1, 1);
  Gru one = f64(Gru(kGruIn, 16)), two = f64(Gru(kGruIn, 16, {.layers = 2}));
  EXPECT_TRUE(same(one(packing, x, {}, drop).y, one(packing, x).y));
  EXPECT_FALSE(same(two(packing, x, {}, drop).y, two(packing, x).y));
}

TEST(Gru, EveryLayerHasItsOwnMasks) {
  const auto first = kept_below_top(Gru(3, 16, {.layers = 2}), 2, /*gate=*/2),
             second = kept_below_top(Gru(3, 16, {.layers = 3}), 3, 2);
  EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), true)), 64, 30);
  EXPECT_NE(first, second);
}

TEST(GruState, GathersAndCutsAllLayers) {
  const GruState state{{random({3, 2}, 1), random({3, 2}, 2)}};
  const GruState other = state.gather(Tensor::from(std::vector<int32_t>{2, 0}));
  const std::vector<Vec> rows = matrix(state.h[1]);
  EXPECT_EQ(matrix(other.top()), (std::vector<Vec>{rows[2], rows[0]}));
  EXPECT_EQ(matrix(state.first(1).h[1]), (std::vector<Vec>{rows[0]}));
  EXPECT_TRUE(GruState().first(2).h.empty());
}

TEST(Gru, SaysWhatDoesNotFit) {
  Gru gru(3, 2, {.layers = 2});
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)gru(Packing(kGruLengths), Tensor::zeros({8, 3}), {{Tensor::zeros({3, 2})}});
            }),
            "Gru: initial state of 1 layers, expected 2, one a layer and direction");
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)gru(Packing(kGruLengths), Tensor::zeros({8, 4}));
            }),
            "Gru: x must be (8, 3), got (8, 4)");
  const Var state = Tensor::zeros({3, 2});
  EXPECT_EQ(
      error_of<ShapeError>([&] {
        (void)gru(Packing(kGruLengths), Tensor::zeros({8, 3}), {{state, state}, {state, state}});
      }),
      "Gru: the initial state has c, as that of an Lstm");
  EXPECT_EQ(error_of<ShapeError>([] { Gru(3, 2, {.layers = 0}); }),
            "Gru: sizes must be positive, got in 3, hidden 2, layers 0");
}

TEST(Gru, Gradient) {
  for (const bool bidirectional : {false, true}) {
    check_module(Gru(kGruIn, kGruHidden, {.layers = 2, .bidirectional = bidirectional}),
                 random({kGruRows, kGruIn}, 1), [](const Gru& gru, const Var& x) {
                   const Gru::Output out = gru(Packing(kGruLengths), x, {}, DropoutMode(0.3, 1, 1));
                   return concat({flat(out.y), flat(out.state.h[0]), flat(out.state.h[1])}, 0);
                 });
  }
}

}  // namespace
}  // namespace heed
