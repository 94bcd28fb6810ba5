// The Lstm layer against plain loops, and its options against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "autograd/keep_packed.h"
#include "nn/lstm.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

// One LSTM layer over one sequence; h and c are the initial state, and the final one afterwards.
std::vector<Vec> naive_lstm(Lstm& lstm, const std::string& suffix, const std::vector<Vec>& xs,
                            Vec& h, Vec& c, bool with_bias = true) {
  const Vec bias =
      with_bias ? named(lstm, "bias" + suffix).value().to_vector() : Vec(4 * h.size(), 0.0);
  std::vector<Vec> states;
  for (const Vec& x : xs) {
    const Vec from_x = times(named(lstm, "weight_ih" + suffix), x);
    const Vec from_h = times(named(lstm, "weight_hh" + suffix), h);
    const size_t n = h.size();
    const auto gate = [&](size_t k, size_t j) {
      return from_x[k * n + j] + from_h[k * n + j] + bias[k * n + j];
    };
    for (size_t j = 0; j < n; ++j) {
      c[j] = sigma(gate(1, j)) * c[j] + sigma(gate(0, j)) * std::tanh(gate(2, j));
      h[j] = sigma(gate(3, j)) * std::tanh(c[j]);
    }
    states.push_back(h);
  }
  return states;
}

// Sequences of 4, 2 and 1 steps.
const std::vector<int32_t> kLengths = {4, 2, 1};
constexpr int64_t kRows = 7, kIn = 3, kHidden = 2;

std::vector<Vec> sequence(const Packing& packing, const Var& x, int64_t b) {
  const std::vector<Vec> rows = matrix(x);
  std::vector<Vec> result;
  for (int64_t t = 0; t < packing.length(b); ++t) result.push_back(rows[packing.row(t, b)]);
  return result;
}

TEST(Lstm, IsTheEquations) {
  for (const bool with_bias : {true, false}) {
    Lstm lstm = f64(Lstm(kIn, kHidden, {.bias = with_bias}));
    const Packing packing(kLengths);
    const Var x = random({kRows, kIn}, 1);
    const LstmState initial{{random({3, kHidden}, 2)}, {random({3, kHidden}, 3)}};
    for (const bool from_zero : {true, false}) {
      const Lstm::Output out = lstm(packing, x, from_zero ? LstmState() : initial);
      for (int64_t b = 0; b < 3; ++b) {
        Vec h = from_zero ? Vec(kHidden) : matrix(initial.h[0])[b];
        Vec c = from_zero ? Vec(kHidden) : matrix(initial.c[0])[b];
        const auto expected = naive_lstm(lstm, "_l0", sequence(packing, x, b), h, c, with_bias);
        const auto got = sequence(packing, out.y, b);
        for (size_t t = 0; t < expected.size(); ++t) expect_near(got[t], expected[t]);
        expect_near(matrix(out.state.h[0])[b], h);
        expect_near(matrix(out.state.c[0])[b], c);
      }
    }
  }
}

TEST(Lstm, HasTheNamesOfPyTorch) {
  Lstm plain(3, 2, {.layers = 2, .bias = false});
  EXPECT_EQ(names(plain),
            "weight_ih_l0(8, 3) weight_hh_l0(8, 2) weight_ih_l1(8, 2) weight_hh_l1(8, 2) ");
  Lstm both(3, 2, {.layers = 2, .bidirectional = true});
  EXPECT_EQ(names(both),
            "weight_ih_l0(8, 3) weight_hh_l0(8, 2) bias_l0(8) weight_ih_l0_reverse(8, 3) "
            "weight_hh_l0_reverse(8, 2) bias_l0_reverse(8) weight_ih_l1(8, 4) weight_hh_l1(8, 2) "
            "bias_l1(8) weight_ih_l1_reverse(8, 4) weight_hh_l1_reverse(8, 2) bias_l1_reverse(8) ");
  EXPECT_EQ(parameter_count(both), 2 * (24 + 16 + 8) + 2 * (32 + 16 + 8));
}

// The cell "_lK" (or "_lK_reverse") of a stack as a layer of its own.
Lstm cell_of(Lstm& stack, int64_t in, const std::string& suffix) {
  Lstm cell = f64(Lstm(in, kHidden));
  for (const std::string name : {"weight_ih", "weight_hh", "bias"}) {
    named(cell, name + "_l0").value().copy_from(named(stack, name + suffix).value());
  }
  return cell;
}

TEST(Lstm, TwoLayersAreOneUponTheOther) {
  Lstm stack = f64(Lstm(kIn, kHidden, {.layers = 2}));
  const Lstm lower = cell_of(stack, kIn, "_l0"), upper = cell_of(stack, kHidden, "_l1");
  const Packing packing(kLengths);
  const Var x = random({kRows, kIn}, 1);
  const LstmState initial{{random({3, kHidden}, 2), random({3, kHidden}, 3)},
                          {random({3, kHidden}, 4), random({3, kHidden}, 5)}};
  const Lstm::Output out = stack(packing, x, initial);
  const Lstm::Output below = lower(packing, x, {{initial.h[0]}, {initial.c[0]}});
  const Lstm::Output above = upper(packing, below.y, {{initial.h[1]}, {initial.c[1]}});
  expect_same(out.y, above.y);
  expect_same(out.state.h[0], below.state.h[0]);
  expect_same(out.state.c[1], above.state.c[0]);
  expect_same(out.state.top(), above.state.h[0]);
}

TEST(Lstm, BidirectionalIsTwoDirections) {
  Lstm both = f64(Lstm(kIn, kHidden, {.layers = 2, .bidirectional = true}));
  const Packing packing(kLengths);
  const Tensor mirror = Tensor::from(packing.reversed());
  Var below = random({kRows, kIn}, 1);
  const Lstm::Output out = both(packing, below);
  for (const std::string layer : {"_l0", "_l1"}) {
    const Lstm forward = cell_of(both, below.shape()[1], layer);
    const Lstm reverse = cell_of(both, below.shape()[1], layer + "_reverse");
    const Lstm::Output ahead = forward(packing, below);
    const Lstm::Output back = reverse(packing, gather_rows(below, mirror));
    const size_t i = layer == "_l0" ? 0 : 2;
    expect_same(out.state.h[i], ahead.state.h[0]);
    expect_same(out.state.c[i + 1], back.state.c[0]);
    below = concat({ahead.y, gather_rows(back.y, mirror)}, 1);
  }
  expect_same(out.y, below);
  EXPECT_TRUE(same(both.weight_ih(1), named(both, "weight_ih_l1")));
  // The backward state is the one of the first token.
  expect_same(slice(rows(out.y, 0, 3), 1, kHidden, 2 * kHidden), out.state.h[3]);
}

TEST(Lstm, StepByStepIsTheWholeSequence) {
  Lstm lstm = f64(Lstm(kIn, kHidden, {.layers = 2}));
  const Packing packing(kLengths);
  const Var x = random({kRows, kIn}, 1);
  const Lstm::Output whole = lstm(packing, x);
  LstmState state;
  std::vector<Var> outputs;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    const int64_t n = packing.batch_size(t), at = packing.offset(t);
    const Lstm::Output out = lstm(Packing::single_step(n), rows(x, at, at + n), state.first(n));
    state = out.state;
    outputs.push_back(out.y);
  }
  expect_same(concat(outputs, 0), whole.y);
}

TEST(Lstm, GatesTakeThePlaceOfTheFirstColumns) {
  Lstm lstm = f64(Lstm(kIn, kHidden));
  const Packing packing(kLengths);
  const Var x = random({kRows, kIn}, 1), whole = lstm(packing, x).y;
  const Var gates = affine_columns(slice(x, 1, 0, 1), lstm.weight_ih(0), 0);
  expect_same(lstm.from_gates(packing, gates, slice(x, 1, 1, 3)).y, whole);
  expect_same(lstm.from_gates(packing, affine(x, lstm.weight_ih(0)), Var()).y, whole);
}

// Values and gradients of some steps as a decoder makes them: an lstm whose first gates come from
// columns of the same weight, and a projection.
std::vector<Vec> decode_steps(const Lstm& lstm, const Var& w) {
  const Var x = Var::parameter(random({4, 40}, 1).value());
  Var first = x, total;
  LstmState state;
  for (int64_t t = 0; t < 3; ++t) {
    const Var gates = affine_columns(slice(first, 1, 0, 15), lstm.weight_ih(0), 0);
    const Lstm::Output out =
        lstm.from_gates(Packing::single_step(4), gates, slice(first, 1, 15, 40), state);
    state = out.state;
    first = affine(out.y, w);
    total = total.defined() ? total + sum(first) : sum(first);
  }
  total.backward();
  return {first.value().to_vector(), x.grad().to_vector(), w.grad().to_vector(),
          lstm.weight_ih(0).grad().to_vector()};
}

TEST(KeepPacked, ChangesNoBit) {
  std::vector<Vec> results[2];
  for (int keep = 0; keep < 2; ++keep) {
    const Lstm lstm = f64(Lstm(40, 33, {.layers = 2}));
    const Var w = Var::parameter(random({40, 33}, 2).value());
    std::optional<KeepPacked> keeper;
    if (keep) keeper.emplace();
    EXPECT_EQ(KeepPacked::active() != nullptr, keep == 1);
    results[keep] = decode_steps(lstm, w);
  }
  EXPECT_EQ(KeepPacked::active(), nullptr);
  EXPECT_EQ(results[1], results[0]);
}

TEST(KeepPacked, PacksOnce) {
  KeepPacked keep;
  const Tensor w = random({5, 6}, 1).value();
  const Matrix left = Matrix(w).columns(0, 3);
  const Tensor packed = keep.packed(left.t());
  EXPECT_EQ(keep.packed(left.t()).raw(), packed.raw());
  EXPECT_NE(keep.packed(left).raw(), packed.raw());
  EXPECT_NE(keep.packed(Matrix(w).columns(3, 3).t()).raw(), packed.raw());
  EXPECT_NE(keep.packed(Matrix(w.clone()).columns(0, 3).t()).raw(), packed.raw());
}

TEST(KeepPacked, PacksAgainWhatWasChanged) {
  const KeepPacked keep;
  const Var x = random({2, 3}, 1), w = random({4, 3}, 2);
  const Tensor before = affine(x, w).value();
  w.value().copy_from(mul(w, 2).value());
  EXPECT_EQ(affine(x, w).value().to_vector(), mul(Var(before), 2).value().to_vector());
}

TEST(KeepPacked, OuterOneKeepsAll) {
  KeepPacked outer;
  {
    KeepPacked inner;
    EXPECT_EQ(KeepPacked::active(), &outer);
  }
  EXPECT_EQ(KeepPacked::active(), &outer);
}

// What was packed belongs to one weight, even where another one takes its place in memory, and to
// some of its columns.
TEST(KeepPacked, TellsWeightsApart) {
  KeepPacked keep;
  const Var x = random({2, 3}, 1);
  for (uint32_t i = 0; i < 4; ++i) {
    const Var w = random({5, 6}, 10 + i);
    for (int64_t first : {0, 3}) {
      const std::vector<Vec> all = matrix(w);
      std::vector<Vec> expected;
      for (const Vec& row : matrix(x)) {
        expected.emplace_back();
        for (const Vec& weight : all) {
          double sum = 0;
          for (int64_t k = 0; k < 3; ++k) sum += row[k] * weight[first + k];
          expected.back().push_back(sum);
        }
      }
      const std::vector<Vec> found = matrix(affine_columns(x, w, first));
      for (size_t r = 0; r < 2; ++r) {
        for (size_t c = 0; c < 5; ++c) EXPECT_NEAR(found[r][c], expected[r][c], 1e-14);
      }
    }
  }
}

TEST(Lstm, DropsBetweenLayersOnly) {
  const Packing packing(kLengths);
  const Var x = random({kRows, kIn}, 1);
  const DropoutMode drop(0.5, 1, 1);
  Lstm one = f64(Lstm(kIn, 16)), two = f64(Lstm(kIn, 16, {.layers = 2}));
  EXPECT_TRUE(same(one(packing, x, {}, drop).y, one(packing, x).y));
  const Var y = two(packing, x, {}, drop).y;
  EXPECT_FALSE(same(y, two(packing, x).y));
  EXPECT_TRUE(same(y, two(packing, x, {}, drop).y));
  EXPECT_TRUE(same(two(packing, x, {}, DropoutMode(0, 1, 1)).y, two(packing, x).y));
  EXPECT_FALSE(same(y, two(packing, x, {}, DropoutMode(0.5, 1, 2)).y));
  EXPECT_FALSE(same(y, two(packing, x, {}, drop.at(1)).y));
  EXPECT_FALSE(same(y, two(packing, x, {}, drop, "elsewhere").y));
  for (double v : y.value().to_vector()) EXPECT_NE(v, 0);  // not behind the top layer
}

TEST(Lstm, EveryLayerHasItsOwnMasks) {
  const auto first = kept_below_top(Lstm(3, 16, {.layers = 2}), 2, /*gate=*/2),
             second = kept_below_top(Lstm(3, 16, {.layers = 3}), 3, 2);
  EXPECT_NEAR(static_cast<double>(std::count(first.begin(), first.end(), true)), 64, 30);
  EXPECT_NEAR(static_cast<double>(std::count(second.begin(), second.end(), true)), 64, 30);
  EXPECT_NE(first, second);
}

TEST(LstmState, GathersAndCutsAllLayers) {
  const LstmState state{{random({3, 2}, 1), random({3, 2}, 2)},
                        {random({3, 2}, 3), random({3, 2}, 4)}};
  const LstmState other = state.gather(Tensor::from(std::vector<int32_t>{2, 0, 0}));
  ASSERT_EQ(other.c.size(), 2u);
  const std::vector<Vec> rows = matrix(state.c[1]);
  EXPECT_EQ(matrix(other.c[1]), (std::vector<Vec>{rows[2], rows[0], rows[0]}));
  EXPECT_EQ(matrix(state.first(2).c[1]), (std::vector<Vec>{rows[0], rows[1]}));
  EXPECT_TRUE(LstmState().first(2).h.empty());
  for (const int64_t batch : {4, -1}) {
    EXPECT_EQ(error_of<ShapeError>([&] { (void)state.first(batch); }),
              "first: " + std::to_string(batch) + " of 3 sequences");
  }
}

TEST(Lstm, SaysWhatDoesNotFit) {
  Lstm lstm(3, 2, {.layers = 2});
  const LstmState one_layer{{Tensor::zeros({3, 2})}, {Tensor::zeros({3, 2})}};
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)lstm(Packing(kLengths), Tensor::zeros({7, 3}), one_layer);
            }),
            "Lstm: initial state of 1 layers, expected 2, one a layer and direction");
  const std::vector<Var> both = {Tensor::zeros({3, 2}), Tensor::zeros({3, 2})};
  const auto error = [&](const LstmState& initial) {
    return error_of<ShapeError>([&] {
      (void)lstm(Packing(kLengths), Tensor::zeros({7, 3}), initial);
    });
  };
  EXPECT_EQ(error({both, {}}),  // as that of a Gru
            "Lstm: the initial state has h of 2 layers and c of 0; it needs both, or none");
  EXPECT_EQ(error({{}, both}),
            "Lstm: the initial state has h of 0 layers and c of 2; it needs both, or none");
  for (const Shape& wrong : {Shape{7, 2}, Shape{7, 4}, Shape{6, 3}, Shape{7}}) {
    EXPECT_EQ(error_of<ShapeError>([&] { (void)lstm(Packing(kLengths), Tensor::zeros(wrong)); }),
              "Lstm: x must be (7, 3), got " + wrong.str());
  }
  EXPECT_EQ(error_of<ShapeError>([&] { (void)lstm(Packing(kLengths), Var()); }),
            "Lstm: x must be (7, 3), got (0)");
  const Var gates = Tensor::zeros({7, 8});
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)lstm.from_gates(Packing(kLengths), gates, Tensor::zeros({7, 4}));
            }),
            "Lstm: x must be (7, at most 3), got (7, 4)");
  for (const Shape& wrong : {Shape{1, 8}, Shape{7, 1}, Shape{}, Shape{7, 4}, Shape{6, 8}}) {
    for (const Var& x : {Var(), Var(Tensor::zeros({7, 3}))}) {
      EXPECT_EQ(error_of<ShapeError>(
                    [&] { (void)lstm.from_gates(Packing(kLengths), Tensor::zeros(wrong), x); }),
                "Lstm: gates must be (7, 8), got " + wrong.str());
    }
  }
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)Lstm(3, 2, {.bidirectional = true}).from_gates(Packing(kLengths), gates, Var());
            }),
            "Lstm: from_gates() is for one direction only");
  EXPECT_EQ(error_of<ShapeError>([] { Lstm(3, 2, {.layers = 0}); }),
            "Lstm: sizes must be positive, got in 3, hidden 2, layers 0");
}

TEST(Lstm, Gradient) {
  for (const bool bidirectional : {false, true}) {
    check_module(Lstm(kIn, kHidden, {.layers = 2, .bidirectional = bidirectional}),
                 random({kRows, kIn}, 1), [](const Lstm& lstm, const Var& x) {
                   const Lstm::Output out = lstm(Packing(kLengths), x, {}, DropoutMode(0.3, 1, 1));
                   return concat({reshape(out.y, {out.y.shape().numel()}),
                                  reshape(out.state.c[0], {6}), reshape(out.state.h[1], {6})},
                                 0);
                 });
  }
}

}  // namespace
}  // namespace heed
