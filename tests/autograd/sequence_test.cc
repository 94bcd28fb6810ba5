// Properties of packed batches: a sequence does not notice the batch that it is in.
#include <gtest/gtest.h>

#include <cmath>

#include "autograd/ops.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

constexpr int64_t kWidth = 3, kHidden = 2;

Tensor random_tensor(Shape shape, std::string_view name) {
  Rng rng(1, name);
  std::vector<double> values(shape.numel());
  for (double& v : values) v = 2 * rng.uniform() - 1;
  return Tensor::from(values, shape);
}

struct Weights {
  Var w_ih = Var::parameter(random_tensor({4 * kHidden, kWidth}, "w_ih"));
  Var w_hh = Var::parameter(random_tensor({4 * kHidden, kHidden}, "w_hh"));
  Var bias = Var::parameter(random_tensor({4 * kHidden}, "bias"));
};

void expect_near(const Tensor& got, const Tensor& want) {
  ASSERT_EQ(got.shape(), want.shape());
  const std::vector<double> a = got.to_vector(), b = want.to_vector();
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-13) << "element " << i;
}

// All states, and below them the last cells.
Var run(const Packing& packing, const Weights& w, const Var& x, const Var& h0, const Var& c0) {
  const LstmOutput out = lstm(packing, affine(x, w.w_ih, w.bias), w.w_hh, h0, c0);
  return concat({out.y, out.c}, 0);
}

TEST(Packing, PutsStepsOfRunningSequencesTogether) {
  const Packing p({3, 2, 1});
  EXPECT_EQ(p.steps(), 3);
  EXPECT_EQ(p.batch(), 3);
  EXPECT_EQ(p.rows(), 6);
  EXPECT_EQ(p.batch_size(1), 2);
  EXPECT_EQ(p.offset(2), 5);
  EXPECT_EQ(p.row(1, 1), 4);
  EXPECT_EQ(p.length(1), 2);
  const auto error = [&](int64_t t, int64_t sequence) {
    return error_of<ShapeError>([&] { (void)p.row(t, sequence); });
  };
  EXPECT_EQ(error(1, 2), "packing: sequence 2 of the 2 that have a step 1");
  EXPECT_EQ(error(0, -1), "packing: sequence -1 of the 3 that have a step 0");
  EXPECT_EQ(error(3, 0), "packing: step 3 of 3");
  EXPECT_EQ(p.last_rows(), (std::vector<int32_t>{5, 4, 2}));
  EXPECT_EQ(p.sequence_ids(), (std::vector<int32_t>{0, 1, 2, 0, 1, 0}));
  EXPECT_EQ(p.reversed(), (std::vector<int32_t>{5, 4, 2, 3, 1, 0}));
}

TEST(Packing, EqualLengthsSingleStepsAndNothing) {
  const Packing equal({2, 2});
  EXPECT_EQ(equal.sequence_ids(), (std::vector<int32_t>{0, 1, 0, 1}));
  const Packing one = Packing::single_step(3), same({1, 1, 1});
  EXPECT_EQ(one.steps(), same.steps());
  EXPECT_EQ(one.rows(), same.rows());
  EXPECT_EQ(one.last_rows(), same.last_rows());
  for (const Packing& none : {Packing(), Packing(std::vector<int32_t>{})}) {
    EXPECT_EQ(none.steps(), 0);
    EXPECT_EQ(none.batch(), 0);
    EXPECT_EQ(none.rows(), 0);
    EXPECT_TRUE(none.last_rows().empty());
  }
  for (const int64_t step : {-1, 2}) {
    EXPECT_EQ(error_of<ShapeError>([&] { (void)equal.batch_size(step); }),
              "packing: step " + std::to_string(step) + " of 2");
  }
  EXPECT_EQ(equal.offset(2), 4);
  EXPECT_THROW((void)equal.offset(3), ShapeError);
  EXPECT_EQ(Packing::single_step(0).rows(), 0);
  EXPECT_EQ(Packing::single_step(0).batch(), 0);
}

TEST(Packing, KnowsWhereTheStepBeforeStands) {
  const Packing p({3, 2, 1});  // a0 b0 c0 a1 b1 a2
  EXPECT_EQ(p.rows_before(), (std::vector<int32_t>{0, 1, 3}));
  EXPECT_TRUE(Packing::single_step(4).rows_before().empty());
  for (const Device device : test_devices()) {
    EXPECT_EQ(p.rows_before(device).to_ints(), p.rows_before());
    EXPECT_EQ(p.last_rows(device).to_ints(), (std::vector<int32_t>{5, 4, 2}));
    EXPECT_EQ(p.last_rows(device).raw(), p.last_rows(device).raw());  // made once
    EXPECT_EQ(p.last_rows(device).device(), device);
  }
}

TEST(Segments, AreConsecutiveRanges) {
  const Segments s({2, 0, 3});
  EXPECT_EQ(s.count(), 3);
  EXPECT_EQ(s.total(), 5);
  EXPECT_EQ(s.begin(2), 2);
  EXPECT_EQ(s.end(2), 5);
  EXPECT_EQ(s.length(1), 0);
  EXPECT_EQ(s.offsets().to_ints(), (std::vector<int32_t>{0, 2, 2, 5}));
  EXPECT_EQ(Segments().count(), 0);
  EXPECT_EQ(Segments().total(), 0);
}

TEST(Segments, CanBeSelected) {
  const Segments s = Segments({2, 0, 3}).select({2, 2, 0, 1});
  EXPECT_EQ(s.count(), 4);
  EXPECT_EQ(s.total(), 8);
  EXPECT_EQ(s.memory_rows(), 5);
  EXPECT_EQ(s.begin(1), 3);
  EXPECT_EQ(s.memory_begin(1), 2);
  EXPECT_EQ(s.memory_begin(2), 0);
  EXPECT_EQ(s.select({2, 1}).memory_begin(1), 2);  // of those selected before
  EXPECT_EQ(s.first(2).total(), 6);
  for (const int32_t id : {-1, 3}) {
    EXPECT_EQ(error_of<ShapeError>([&] {
                (void)Segments({2, 0, 3}).select({id});
              }),
              "segments: number " + std::to_string(id) + " of 3");
  }
  EXPECT_EQ(error_of<ShapeError>([&] {
              (void)Segments({1 << 30}).select({0, 0});
            }),
            "segments: 2147483648 scores, more than an i32 can number");
}

// Queries that share a memory see what they would see in a copy of their own.
TEST(Segments, SelectedOnesEqualCopiesOfTheMemory) {
  const std::vector<int32_t> lengths{2, 4, 1}, ids{1, 1, 0, 2, 1};
  const std::vector<int32_t> copied_rows{2, 3, 4, 5, 2, 3, 4, 5, 0, 1, 6, 2, 3, 4, 5};
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Var memory = random_tensor({7, kWidth}, "memory").to(device);
    const Var copies = gather_rows(memory, Tensor::from(copied_rows, device));
    const AdditiveAttention additive = [&] {
      AdditiveAttention layer(kWidth, kWidth, kHidden);
      init(layer, /*seed=*/1);
      convert(layer, DType::f64);
      move(layer, device);
      return layer;
    }();
    const auto check = [&](auto attention) {
      const Var a = Var::parameter(random_tensor({5, kWidth}, "query").to(device));
      const Var b = Var::parameter(a.value().clone());
      const Attended shared = attention(a, memory, Segments(lengths, device).select(ids));
      const Attended copied = attention(b, copies, Segments({4, 4, 2, 1, 4}, device));
      expect_near(shared.context.value(), copied.context.value());
      expect_near(shared.weights.value(), copied.weights.value());
      sum(shared.context * shared.context).backward();
      sum(copied.context * copied.context).backward();
      expect_near(a.grad(), b.grad());
    };
    check([](const auto&... in) { return attend(in...); });
    check([&](const auto&... in) { return additive(in...); });
  }
}

// In another order than they stand in, and one of them twice.
TEST(Segments, SelectedOnesArePooled) {
  const std::vector<int32_t> lengths{2, 1, 4}, ids{2, 0, 0, 1};
  const std::vector<int32_t> begin{0, 2, 3};
  for (const Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const Var x = random_tensor({7, kWidth}, "x").to(device);
    const Segments s = Segments(lengths, device).select(ids);
    const Tensor mean = segment_mean(x, s).value(), max = segment_max(x, s).value();
    for (size_t b = 0; b < ids.size(); ++b) {
      const int32_t first = begin[static_cast<size_t>(ids[b])],
                    length = lengths[static_cast<size_t>(ids[b])];
      for (int64_t i = 0; i < kWidth; ++i) {
        double sum = 0, most = -INFINITY;
        for (int32_t row = first; row < first + length; ++row) {
          sum += x.value()(row, i);
          most = std::max(most, x.value()(row, i));
        }
        const auto at = static_cast<int64_t>(b);
        EXPECT_NEAR(mean(at, i), sum / length, 1e-14) << b;
        EXPECT_EQ(max(at, i), most) << b;
      }
    }
  }
}

// Scores in the thousands, whose exponentials no f32 holds: the softmax of what they are less than
// the largest.
TEST(AttentionWeights, OfLargeScores) {
  const AttentionPairs pairs(Segments({2}), Segments({3}));
  const std::vector<double> q = {60, 20, -50, 10}, k = {40, 40, 40, 40.25, -60, 30};
  const Tensor w = attention_weights(Var(Tensor::from(q, {2, 2}).to(DType::f32)),
                                     Var(Tensor::from(k, {3, 2}).to(DType::f32)), pairs, 1)
                       .value();
  const std::vector<double> got = w.to_vector();
  ASSERT_EQ(got.size(), 6u);
  for (size_t i = 0; i < 2; ++i) {
    double scores[3], most = -INFINITY, sum = 0;
    for (size_t j = 0; j < 3; ++j) {
      scores[j] = (q[2 * i] * k[2 * j] + q[2 * i + 1] * k[2 * j + 1]) / std::sqrt(2);
      most = std::max(most, scores[j]);
    }
    EXPECT_GT(most, 1000);
    for (const double s : scores) sum += std::exp(s - most);
    for (size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(got[3 * i + j], std::exp(scores[j] - most) / sum, 1e-3) << i << " " << j;
    }
  }
}

TEST(Segments, SelectedOnesRefuseTheMemorysGradient) {
  const Var query = random_tensor({2, kWidth}, "query"), weights = random_tensor({4}, "weights");
  const Var memory = Var::parameter(random_tensor({2, kWidth}, "memory"));
  const Segments s = Segments({2}).select({0, 0});
  EXPECT_EQ(error_of<ShapeError>([&] { (void)segment_scores(query, memory, s); }),
            "segment_scores: a memory whose segments were selected gets no gradient");
  EXPECT_EQ(error_of<ShapeError>([&] { (void)segment_context(weights, memory, s); }),
            "segment_context: a memory whose segments were selected gets no gradient");
  const NoGrad guard;
  EXPECT_EQ(segment_scores(query, memory, s).shape(), Shape({4}));
}

// Values and all gradients: one packed call, and one call for each step with the state carried on.
TEST(Lstm, EqualsCallsOfSingleSteps) {
  const Packing p({4, 2, 2, 1});
  const auto leaves = [&] {
    return std::vector<Var>{Var::parameter(random_tensor({p.rows(), kWidth}, "x")),
                            Var::parameter(random_tensor({p.batch(), kHidden}, "h0")),
                            Var::parameter(random_tensor({p.batch(), kHidden}, "c0"))};
  };
  const Var factors = random_tensor({p.rows() + p.batch(), kHidden}, "factors");

  const Weights packed_w, stepped_w;
  const std::vector<Var> a = leaves(), b = leaves();
  const Var packed = run(p, packed_w, a[0], a[1], a[2]);
  sum(packed * factors).backward();

  Var h = b[1], c = b[2];
  std::vector<Var> all_h, last_c;  // those that end first, last
  for (int64_t t = 0; t < p.steps(); ++t) {
    const int64_t n = p.batch_size(t), at = p.offset(t);
    const Var out = run(Packing::single_step(n), stepped_w, rows(b[0], at, at + n), rows(h, 0, n),
                        rows(c, 0, n));
    h = rows(out, 0, n);
    c = rows(out, n, 2 * n);
    all_h.push_back(h);
    last_c.insert(last_c.begin(), rows(c, t + 1 < p.steps() ? p.batch_size(t + 1) : 0, n));
  }
  const Var stepped = concat({concat(all_h, 0), concat(last_c, 0)}, 0);
  expect_near(stepped.value(), packed.value());
  sum(stepped * factors).backward();
  for (size_t i = 0; i < a.size(); ++i) expect_near(b[i].grad(), a[i].grad());
  expect_near(stepped_w.w_ih.grad(), packed_w.w_ih.grad());
  expect_near(stepped_w.w_hh.grad(), packed_w.w_hh.grad());
  expect_near(stepped_w.bias.grad(), packed_w.bias.grad());
}

TEST(Lstm, ASequenceAloneEqualsItsRowsOfTheBatch) {
  const std::vector<int32_t> lengths{5, 3, 3, 1};
  const Packing p(lengths);
  const Weights w;
  const Var x = random_tensor({p.rows(), kWidth}, "x");
  const Var h0 = random_tensor({p.batch(), kHidden}, "h0");
  const Var c0 = random_tensor({p.batch(), kHidden}, "c0");
  const Var all = run(p, w, x, h0, c0);
  for (int32_t b = 0; b < p.batch(); ++b) {
    std::vector<int32_t> mine, in_both;
    for (int64_t t = 0; t < lengths[b]; ++t) mine.push_back(static_cast<int32_t>(p.row(t, b)));
    in_both = mine;
    in_both.push_back(static_cast<int32_t>(p.rows()) + b);
    const Var alone = run(Packing({lengths[b]}), w, gather_rows(x, Tensor::from(mine)),
                          rows(h0, b, b + 1), rows(c0, b, b + 1));
    expect_near(alone.value(), gather_rows(all, Tensor::from(in_both)).value());
  }
}

TEST(Lstm, LastRowsAreTheFinalStates) {
  const Packing p({3, 1});
  const Weights w;
  const Var x = random_tensor({p.rows(), kWidth}, "x");
  const Var h = rows(run(p, w, x, {}, {}), 0, p.rows());
  const Var last = gather_rows(h, Tensor::from(p.last_rows()));
  EXPECT_EQ(last.shape(), (Shape{2, kHidden}));
  expect_near(lstm(p, affine(x, w.w_ih, w.bias), w.w_hh).h.value(), last.value());
  expect_near(last.value()[0], h.value()[3]);
  expect_near(last.value()[1], h.value()[1]);
}

TEST(Lstm, LeavingTheStateOutMeansZeros) {
  const Packing p({3, 2});
  const Weights w;
  const Var x = random_tensor({p.rows(), kWidth}, "x");
  const Var zeros = Tensor::zeros({2, kHidden}, DType::f64);
  expect_near(run(p, w, x, {}, {}).value(), run(p, w, x, zeros, zeros).value());
  const Var c0 = random_tensor({2, kHidden}, "c0");
  expect_near(run(p, w, x, {}, c0).value(), run(p, w, x, zeros, c0).value());
}

// Attention that looks at one memory row returns it, whatever the scores.
TEST(SegmentAttention, OneRowPerSegmentIsCopied) {
  const Segments s({1, 1, 1});
  const Var memory = random_tensor({3, kHidden}, "memory"),
            query = random_tensor({3, kHidden}, "q");
  const Var weights = segment_softmax(segment_scores(query, memory, s), s);
  EXPECT_EQ(weights.value().to_vector(), (std::vector<double>{1, 1, 1}));
  expect_near(segment_context(weights, memory, s).value(), memory.value());
}

TEST(SegmentAttention, FewerQueriesEqualTheFirstRowsOfAll) {
  const Segments s({2, 3, 1});
  const Var memory = random_tensor({6, kHidden}, "memory"),
            query = random_tensor({3, kHidden}, "q");
  const auto attend = [&](const Var& q) {
    return heed::attend(q, memory, s.first(q.shape()[0])).context.value();
  };
  expect_near(attend(rows(query, 0, 2)), attend(query).rows(0, 2));
}

// Empty segments are queries' too: their contexts are zero, and what begins where they do is not
// theirs.
TEST(SegmentAttention, EmptySegmentsCount) {
  const Segments s({2, 0, 0, 1, 0});
  const Var memory = random_tensor({3, kHidden}, "memory"),
            query = random_tensor({5, kHidden}, "q");
  const Tensor context = attend(query, memory, s).context.value();
  EXPECT_EQ(context.shape(), (Shape{5, kHidden}));
  for (const int64_t empty : {1, 2, 4}) {
    EXPECT_EQ(context[empty].to_vector(), std::vector<double>(kHidden, 0.0));
  }
  EXPECT_EQ(context[3].to_vector(), memory.value()[2].to_vector());
  EXPECT_EQ(attend(rows(query, 0, 1), memory, s.first(1)).context.shape(), (Shape{1, kHidden}));
}

// Weights that were computed from an LSTM's rows are in its order, which is another one.
TEST(SegmentAttention, WeightsStepByStepAreAnError) {
  const Packing packing({3, 2, 1});
  const Segments s = packing.segments();
  const Var memory = random_tensor({6, kHidden}, "memory");
  const Var weights = Var(random_tensor({6}, "weights")).in_order(RowOrder::by_step);
  EXPECT_THROW((void)segment_context(weights, memory, s), ShapeError);
  EXPECT_EQ(segment_context(by_sequence(weights, packing), memory, s).shape(), (Shape{3, kHidden}));
}

TEST(LinearCrossEntropy, EqualsItsParts) {
  const Tensor targets = Tensor::from({1, 0, 3, 1, 2});
  const Var x = Var::parameter(random_tensor({5, 3}, "x")),
            w = Var::parameter(random_tensor({4, 3}, "w"));
  const CrossEntropy fused = linear_cross_entropy(x, w, targets);
  mul(fused.total, 0.5).backward();
  const Tensor dx = x.grad(), dw = w.grad();
  x.zero_grad();
  w.zero_grad();
  const Var nll = cross_entropy(affine(x, w), targets);
  mul(sum(nll), 0.5).backward();
  expect_near(fused.nll, nll.value());
  expect_near(fused.total.value(), sum(nll).value());
  expect_near(dx, x.grad());
  expect_near(dw, w.grad());
  NoGrad guard;
  EXPECT_FALSE(linear_cross_entropy(x, w, targets).total.needs_grad());
}

// Large logits neither overflow nor lose the loss.
// For a token that the model is sure of the loss is small, and as exact as a small number can be:
// it must not be rounded as the logits are.
TEST(CrossEntropyOp, KeepsSmallLosses) {
  for (const float top : {0.f, 20.f, 1000.f}) {
    const Var logits = Tensor::from(std::vector<float>{top, top - 12, top - 14}, {1, 3});
    const double want = std::log1p(std::exp(-12.0) + std::exp(-14.0));  // 7e-6
    const Tensor first = Tensor::from(std::vector<int32_t>{0});
    EXPECT_NEAR(cross_entropy(logits, first).value().item(), want, 1e-7) << top;
    EXPECT_NEAR(-log_softmax(logits).value().to_vector()[0], want, 1e-7) << top;
    const Var x = Tensor::full({1, 1}, 1);
    const Var w = Var::parameter(logits.value().reshape({3, 1}));
    EXPECT_NEAR(linear_cross_entropy(x, w, first).nll.item(), want, 1e-7) << top;
  }
}

TEST(CrossEntropyOp, IsStable) {
  const Var logits = Tensor::from(std::vector<float>{1000, 0, -1000, 0, 0, 0}, {2, 3});
  const std::vector<double> nll = cross_entropy(logits, Tensor::from({1, 2})).value().to_vector();
  EXPECT_EQ(nll[0], 1000);
  EXPECT_NEAR(nll[1], 1.0986123, 1e-6);
  EXPECT_EQ(softmax(logits).value().to_vector()[0], 1);
  EXPECT_EQ(log_softmax(logits).value().to_vector()[2], -2000);
}

}  // namespace
}  // namespace heed
