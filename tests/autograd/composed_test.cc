// What the op table does not ask of autograd/composed.h and of prod(): limits, and functions
// without a gradient.
#include "autograd/composed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "autograd/discrete.h"
#include "base/error.h"
#include "tensor/compare.h"
#include "tensor/random_tensor.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Ints = std::vector<int32_t>;

TEST(Composed, AssignmentsMakeNewValuesAndRefuseParameters) {
  const Var p = Var::parameter(Tensor::of({1, 2}));
  Var y = p * 3;
  const Var before = y;
  y += p;
  y -= 1;
  y *= p;
  y /= 2;
  EXPECT_EQ(mismatch(y.value(), Tensor::of({1.5, 7})), "");  // (4 p - 1) p / 2
  EXPECT_EQ(mismatch(before.value(), Tensor::of({3, 6})), "");
  sum(y).backward();
  EXPECT_EQ(mismatch(p.grad(), Tensor::of({3.5, 7.5})), "");  // 4 p - 1 / 2
  Var weight = p;
  EXPECT_THROW(weight += 1, UsageError);
}

TEST(Composed, RootsHaveTheGradientZeroAtZero) {
  const Var p = Var::parameter(Tensor::of({{0, 0}, {3, 4}}));
  sum(norm(p, 1)).backward();
  EXPECT_EQ(mismatch(p.grad(), Tensor::of({{0, 0}, {0.6, 0.8}})), "");
  const Var q = Var::parameter(Tensor::of({2, 2, 2}));
  stddev(q, 0).backward();
  EXPECT_EQ(mismatch(q.grad(), Tensor::of({0, 0, 0})), "");
}

TEST(Prod, TheGradientIsThatOfTheOthersProductWhereElementsAreZero) {
  const Var x = Var::parameter(Tensor::of({{2, 3, 4}, {2, 0, 4}, {0, 3, 0}}));
  const Var y = prod(x, 1);
  EXPECT_EQ(mismatch(y.value(), Tensor::of({24, 0, 0})), "");
  sum(y * Var(Tensor::of({1, 10, 100}))).backward();
  EXPECT_EQ(mismatch(x.grad(), Tensor::of({{12, 8, 6}, {0, 80, 0}, {0, 0, 0}})), "");
  const Var z = Var::parameter(Tensor::of({{-1, 2}, {0, 5}}));
  prod(z).backward();
  EXPECT_EQ(mismatch(z.grad(), Tensor::of({{0, 0}, {-10, 0}})), "");
}

TEST(Composed, LogsumexpOfLargeAndOfInfiniteNumbers) {
  const Tensor x =
      Tensor::of({{1000, 1000}, {-1000, -INFINITY}, {-INFINITY, -INFINITY}, {INFINITY, 0}});
  const Tensor want = Tensor::of({1000 + std::log(2.0), -1000, -INFINITY, INFINITY});
  EXPECT_EQ(mismatch(logsumexp(x, 1).value(), want), "");
  EXPECT_EQ(logsumexp(x, 0, true).shape(), Shape({1, 2}));
  EXPECT_TRUE(std::isnan(logsumexp(Tensor::of({0, NAN}), 0).value().item()));
  const Var masked = Var::parameter(Tensor::of({{-INFINITY, -INFINITY}, {3, -INFINITY}}));
  sum(exp(logsumexp(masked, 1))).backward();  // a row of nothing has no gradient, and not NaN
  EXPECT_EQ(mismatch(masked.grad(), Tensor::of({{0, 0}, {std::exp(3), 0}})), "");
}

TEST(Composed, MinimumOfTiesAndNaN) {
  const Var p = Var::parameter(Tensor::of({2, 1, 1}));
  min(p, 0).backward();
  EXPECT_EQ(mismatch(p.grad(), Tensor::of({0, 1, 0})), "");
  EXPECT_TRUE(std::isnan(min(Tensor::of({1, NAN, 0}), -1).value().item()));
  EXPECT_EQ(argmin(Tensor::of({{2, 1, 1}, {0, NAN, -1}}), -1).to_ints(), Ints({1, 1}));
  EXPECT_EQ(argmin(Tensor::of({{2, 1}, {0, 3}}), 0).to_ints(), Ints({1, 0}));
}

// keepdim in the place of the axis would be axis 0 or 1, and {} would be axis 0.
template <class Axis, class Op> constexpr bool takes(Op) {
  return std::is_invocable_v<Op, Var, Axis>;
}
template <class X>
concept TakesLists = requires(const X& x) {
  sum(x, {0});
  max(x, {0, -1}, true);
};
template <class X>
concept SumsOverNoAxis = requires(const X& x) {
  sum(x, {});
};
template <class X>
concept MaxOverNoAxis = requires(const X& x) {
  max(x, {}, true);
};
TEST(Axis, IsAnIntegerAndNoBool) {
#define OP(op) [](const auto& x, auto axis) -> decltype(op(x, axis)) { return op(x, axis); }
#define EXPECT_AN_AXIS(op)                                          \
  EXPECT_TRUE(takes<int>(OP(op)) && takes<int64_t>(OP(op))) << #op; \
  EXPECT_FALSE(takes<bool>(OP(op))) << #op
  EXPECT_AN_AXIS(sum);
  EXPECT_AN_AXIS(mean);
  EXPECT_AN_AXIS(prod);
  EXPECT_AN_AXIS(max);
  EXPECT_AN_AXIS(min);
  EXPECT_AN_AXIS(cumsum);
  EXPECT_AN_AXIS(variance);
  EXPECT_AN_AXIS(stddev);
  EXPECT_AN_AXIS(norm);
  EXPECT_AN_AXIS(logsumexp);
  EXPECT_AN_AXIS(squeeze);
  EXPECT_AN_AXIS(argmax);
  EXPECT_AN_AXIS(argmin);
#undef EXPECT_AN_AXIS
#define KEEP(op) [](const auto& x, auto keep) -> decltype(op(x, 0, keep)) { return op(x, 0, keep); }
#define EXPECT_A_BOOL(op)             \
  EXPECT_TRUE(takes<bool>(KEEP(op))); \
  EXPECT_FALSE(takes<int>(KEEP(op))); \
  EXPECT_FALSE(takes<int64_t>(KEEP(op)))
  EXPECT_A_BOOL(sum);
  EXPECT_A_BOOL(mean);
  EXPECT_A_BOOL(prod);
  EXPECT_A_BOOL(max);
  EXPECT_A_BOOL(min);
  EXPECT_A_BOOL(variance);
  EXPECT_A_BOOL(stddev);
  EXPECT_A_BOOL(norm);
  EXPECT_A_BOOL(logsumexp);
#undef EXPECT_A_BOOL
#undef KEEP
#undef OP
  EXPECT_TRUE(TakesLists<Var>);
  EXPECT_FALSE(SumsOverNoAxis<Var>);
  EXPECT_FALSE(MaxOverNoAxis<Var>);
  EXPECT_EQ(mismatch(sum(Tensor::of({{1, 2}, {3, 4}}), int64_t{1}).value(), Tensor::of({3, 7})),
            "");
}

TEST(Composed, OpsNameThemselves) {
  const Tensor x = Tensor::of({{1, 2}, {3, 4}}, DType::i32);
  const auto error = [](const auto& call) { return error_of<ShapeError>([&] { (void)call(); }); };
  EXPECT_EQ(error([&] { return norm(x); }), "norm: element type i32: expected f32 or f64");
  EXPECT_EQ(error([&] { return squared_error(x, x); }),
            "squared_error: element type i32: expected f32 or f64");
  const Var y = Tensor::of({{1}, {2}}), steps = y.in_order(RowOrder::by_step);
  EXPECT_TRUE(error([&] {
                return squared_error(steps, y.in_order(RowOrder::by_sequence));
              }).starts_with("squared_error: one input has its rows step by step"));
}

// What only moves numbers moves whole ones, too, on every device.
TEST(Integers, AreMoved) {
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const auto of = [&](const Nested& values) { return Tensor::of(values, DType::i32, device); };
    const auto ints = [](const Var& y) {
      EXPECT_EQ(y.dtype(), DType::i32);
      return y.value().to_ints();
    };
    const Tensor x = of({{1, -2147483647, 3}, {4, 5, 2147483647}});  // more digits than f32 has
    EXPECT_EQ(ints(slice(x, 1, 1, kEnd)), Ints({-2147483647, 3, 5, 2147483647}));
    EXPECT_EQ(ints(select(x, 1, 2)), Ints({3, 2147483647}));
    EXPECT_EQ(ints(split(x, {2, 1}, 1)[1]), Ints({3, 2147483647}));
    EXPECT_EQ(ints(concat({x, x}, 1)).size(), 12u);
    EXPECT_EQ(ints(stack({x, x})).back(), 2147483647);
    EXPECT_EQ(ints(gather_rows(x, of({1, 1}))), Ints({4, 5, 2147483647, 4, 5, 2147483647}));
    EXPECT_EQ(ints(transpose(x, 0, 1)), Ints({1, 4, -2147483647, 5, 3, 2147483647}));
    EXPECT_EQ(ints(expand(of({7}), {2})), Ints({7, 7}));
    EXPECT_EQ(ints(where(of({{1, 0, 1}}), x, 0)), Ints({1, 0, 3, 4, 0, 2147483647}));
    EXPECT_EQ(ints(pick(x, of({2, 0}))), Ints({3, 4}));
    EXPECT_EQ(ints(max(x, 1)), Ints({3, 2147483647}));
    EXPECT_EQ(ints(max(of({-3, -2}))), Ints({-2}));
    const Tensor below = slice(expand(of({{-5}}), {1, 40}), 1, 0, 40).value();  // of many threads
    EXPECT_EQ(ints(max(below, 1)), Ints({-5}));
    EXPECT_EQ(argmax(x, 0).to_ints(), Ints({1, 1, 1}));
    EXPECT_EQ(ints(sum(equal(of({1, 2, 3}), of({1, 0, 3})))), Ints({2}));
    EXPECT_EQ(ints(sum(of({{1, 2}, {3, 4}}), 0, true)), Ints({4, 6}));
    EXPECT_EQ(ints(pack({of({1}), of({2, 3})}).rows), Ints({2, 1, 3}));
  }
  EXPECT_EQ(error_of<ShapeError>([] { (void)sum(Tensor::full({2}, 2e9, DType::i32)); }),
            "sum: 4000000000 is not a 32-bit integer");
  EXPECT_EQ(error_of<ShapeError>([] {
              (void)sum(Tensor::full({1, 2}, -2e9, DType::i32), 1);
            }),
            "sum: -4000000000 is not a 32-bit integer");
  EXPECT_EQ(sum(Tensor::from({-2147483647, -1}, {2})).item(), INT32_MIN);
  EXPECT_EQ(sum(Tensor::from({2147483646, 1}, {2})).item(), INT32_MAX);
  EXPECT_EQ(error_of<ShapeError>([] { (void)where(Tensor::from({1}), Tensor::from({1}), 0.5); }),
            "fill: 0.5 is not a 32-bit integer");
}

TEST(Composed, APackNamesItself) {
  const auto error = [](const std::vector<Tensor>& sequences) {
    return error_of<ShapeError>([&] { (void)pack(sequences); });
  };
  EXPECT_EQ(error({Tensor::zeros({1, 2}), Tensor::zeros({2, 3})}),
            "pack: rows of different shapes, (1, 2) and (2, 3)");
  EXPECT_EQ(error({Tensor::zeros({1, 2}), Tensor::zeros({1, 2}, DType::f64)}),
            "pack: element types differ, f32 and f64");
}

// Numbers beside tensors, and one bound alone.
TEST(Composed, TakesNumbers) {
  const Var x = Var::parameter(Tensor::of({-2, 0, 3}));
  sum(maximum(x, 0.0) * Var(Tensor::of({5, 6, 7}))).backward();
  EXPECT_EQ(mismatch(x.grad(), Tensor::of({0, 3, 7})), "");  // half at the tie
  EXPECT_EQ(mismatch(minimum(x, 1).value(), Tensor::of({-2, 0, 1})), "");
  EXPECT_EQ(mismatch(where(less(x, 0), 9.0, x).value(), Tensor::of({9, 0, 3})), "");
  EXPECT_EQ(mismatch(clamp(x, -1, INFINITY).value(), Tensor::of({-1, 0, 3})), "");
  EXPECT_EQ(max(x).item(), 3);
  EXPECT_EQ(min(x).item(), -2);
}

TEST(Composed, ADiagonalMayBeFarOutside) {
  const Tensor x = Tensor::of({{1, 2, 3}, {4, 5, 6}});
  for (const int64_t far : {int64_t{3}, int64_t{3'000'000'000}, INT64_MAX}) {
    EXPECT_EQ(mismatch(tril(x, far).value(), x), "") << far;
    EXPECT_EQ(mismatch(tril(x, -far).value(), Tensor::zeros({2, 3})), "") << far;
  }
  EXPECT_EQ(mismatch(tril(x, INT64_MIN).value(), Tensor::zeros({2, 3})), "");
}

TEST(Composed, VarianceWithAndWithoutCorrection) {
  const Tensor x = Tensor::of({{1, 2, 3, 4}, {2, 2, 2, 6}});
  EXPECT_EQ(mismatch(variance(x, 1).value(), Tensor::of({5.0 / 3, 4})), "");
  EXPECT_EQ(mismatch(variance(x, 1, true, 0).value(), Tensor::of({{1.25}, {3}})), "");
  EXPECT_EQ(mismatch(stddev(x, -1).value(), Tensor::of({std::sqrt(5.0 / 3), 2})), "");
}

TEST(Composed, TopKTellsWhereTheValuesStood) {
  const TopK best = top_k(Tensor::of({{1, 5, 5, 2}, {4, NAN, 3, -1}}), 3);
  EXPECT_EQ(best.ids.to_ints(), Ints({1, 2, 3, 0, 2, 3}));
  EXPECT_EQ(mismatch(best.values.value(), Tensor::of({{5, 5, 2}, {4, 3, -1}})), "");
}

TEST(Composed, ACosineOfNothingIsZero) {
  EXPECT_EQ(cosine_similarity(Tensor::of({0, 0}), Tensor::of({1, 2})).value().item(), 0);
  EXPECT_NEAR(cosine_similarity(Tensor::of({1e-5, 0}), Tensor::of({1e-5, 0})).value().item(), 1,
              1e-6);
}

// Along any axis of the common shape; here the second input is written out.
TEST(Composed, CosinesBroadcast) {
  const Tensor a = uniform({2, 3, 3}, -1, 1, {.seed = 1}, DType::f64);
  for (const Shape& shape : {Shape{3, 3}, Shape{2, 3, 1}, Shape{2, 1, 3}, Shape{}}) {
    const Var b = uniform(shape, -1, 1, {.seed = 2}, DType::f64), wide = expand(b, a.shape());
    for (const int axis : {0, 1, 2, -1, -3}) {
      const Var want = cosine_similarity(a, wide, axis);
      EXPECT_EQ(mismatch(cosine_similarity(a, b, axis).value(), want.value()), "") << shape << axis;
      EXPECT_EQ(mismatch(cosine_similarity(b, a, axis).value(), want.value()), "") << shape << axis;
    }
  }
  const Tensor rows = Tensor::of({{1, 2, 3}, {4, 5, 6}}, DType::f64);
  const Var y = cosine_similarity(rows, Tensor::of({{1}, {1}}, DType::f64), -1);
  EXPECT_NEAR(y.value().at({0}), 6 / std::sqrt(3 * 14.0), 1e-15);
  EXPECT_NEAR(y.value().at({1}), 15 / std::sqrt(3 * 77.0), 1e-15);
}

TEST(Composed, TensorsThatOneBeginsWith) {
  EXPECT_EQ(mismatch(linspace(-1, 2, 4), Tensor::of({-1, 0, 1, 2})), "");
  EXPECT_EQ(linspace(0, 0.1, 11, DType::f64).at({10}), 0.1);  // the end, exactly
  EXPECT_EQ(mismatch(linspace(3, 9, 1), Tensor::of({3})), "");
  EXPECT_THROW((void)linspace(0, 1, 0), ShapeError);
  EXPECT_EQ(error_of<ShapeError>([] { (void)linspace(0, 1, 3, DType::i32); }),
            "linspace: element type i32: expected f32 or f64");
  EXPECT_EQ(mismatch(eye(2, DType::f64), Tensor::of({{1, 0}, {0, 1}}, DType::f64)), "");
  EXPECT_EQ(eye(0).shape(), Shape({0, 0}));
}

TEST(Composed, RandpermIsAnOrderByItsKey) {
  Ints order = randperm(100, {.seed = 3}).to_ints();
  EXPECT_EQ(order, randperm(100, {.seed = 3}).to_ints());
  EXPECT_NE(order, randperm(100, {.seed = 4}).to_ints());
  EXPECT_NE(order, randperm(100, {.seed = 3, .step = 1}).to_ints());
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order, arange(0, 100).to_ints());
  EXPECT_THROW((void)randperm(-1, {}), ShapeError);
}

// Lengths below, at and above a vector, and more queries than a tile has.
TEST(Composed, AttentionIsTheSameWithoutStoredWeights) {
  constexpr int64_t kHeads = 2, kWidth = 6;
  const Segments rows({1, 15, 16, 17, 70});
  for (const bool causal : {false, true}) {
    for (const DType dtype : {DType::f32, DType::f64}) {
      const AttentionPairs pairs(rows, rows, causal);
      const auto drawn = [&](uint64_t seed) {
        return Var(normal({rows.total(), kWidth}, 0, 3, {.seed = seed}, dtype));
      };
      const Var q = drawn(1), k = drawn(2), v = drawn(3);
      const Var want = attention_context(attention_weights(q, k, pairs, kHeads), v, pairs);
      const Var y = attention(q, k, v, pairs, kHeads);
      EXPECT_EQ(y.row_order(), want.row_order());
      EXPECT_EQ(mismatch(y.value(), want.value()), "") << causal << name_of(dtype);
    }
  }
}

TEST(Composed, AttentionRefusesValuesThatAreNotAsLargeAsTheKeys) {
  const AttentionPairs pairs(Segments({2}), Segments({3}));
  const Var q = Tensor::zeros({2, 4}), k = Tensor::zeros({3, 4}), v = Tensor::zeros({2, 4});
  EXPECT_THROW((void)attention(q, k, v, pairs, 2), ShapeError);
  EXPECT_THROW((void)attention(q, k, k, pairs, 3), ShapeError);
  const Tensor wide = Tensor::zeros({3, 8});  // in training as in evaluation
  EXPECT_THROW((void)attention(q, k, wide, pairs, 2), ShapeError);
  EXPECT_THROW((void)attention(q, k, Var::parameter(wide), pairs, 2), ShapeError);
  EXPECT_THROW((void)attention(Var::parameter(q.value()), k, wide, pairs, 2), ShapeError);
}

}  // namespace
}  // namespace heed
