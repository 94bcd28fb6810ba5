// Attention with many queries a segment: what its pairs are, and calls that must agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "autograd/composed.h"
#include "nn/attention.h"
#include "tests/devices.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

constexpr int64_t kHeads = 2, kHeadsWidth = 6;

struct Rows {
  Var q, k, v;

  Rows first(int64_t n) const { return part(0, n); }
  Rows part(int64_t begin, int64_t end) const {
    return {rows(q, begin, end), rows(k, begin, end), rows(v, begin, end)};
  }
};

Rows random_rows(int64_t n) {
  return {random({n, kHeadsWidth}, 1), random({n, kHeadsWidth}, 2), random({n, kHeadsWidth}, 3)};
}

Var context(const Rows& x, const AttentionPairs& pairs) {
  return attention_context(attention_weights(x.q, x.k, pairs, kHeads), x.v, pairs);
}

AttentionPairs self(const std::vector<int32_t>& lengths, bool causal = true) {
  return {Segments(lengths), Segments(lengths), causal};
}

TEST(AttentionPairs, AreThoseThatSeeEachOther) {
  const Segments queries({2, 1}), memory({3, 2});
  const AttentionPairs all(queries, memory), causal(queries, memory, /*causal=*/true);
  EXPECT_EQ(all.total(), 8);
  EXPECT_EQ(all.begin(0, 1), 3);
  EXPECT_EQ(all.begin(1, 0), 6);
  EXPECT_EQ(all.seen(0, 0), 3);
  EXPECT_EQ(all.seen(1, 0), 2);
  EXPECT_EQ(causal.total(), 7);
  EXPECT_EQ(causal.begin(0, 1), 2);
  EXPECT_EQ(causal.begin(1, 0), 5);
  EXPECT_EQ(causal.seen(0, 0), 2);
  EXPECT_EQ(causal.seen(0, 1), 3);
  EXPECT_EQ(AttentionPairs().total(), 0);
  EXPECT_EQ(error_of<ShapeError>([] { (void)AttentionPairs().begin(0, 0); }),
            "segments: number 0 of 0");
  for (const int64_t i : {2, -1}) {
    const std::string text = "attention pairs: query " + std::to_string(i) + " of 2 of segment 0";
    EXPECT_EQ(error_of<ShapeError>([&] { (void)all.begin(0, i); }), text);
    EXPECT_EQ(error_of<ShapeError>([&] { (void)causal.seen(0, i); }), text);
  }
}

TEST(Attention, NamesItself) {
  const AttentionPairs pairs(Segments({2}), Segments({3}));
  const Var two = Tensor::zeros({2, 4}), three = Tensor::zeros({3, 4});
  const auto error = [&](const Var& q, const Var& k, const Var& v) {
    return error_of<ShapeError>([&] { (void)attention(q, k, v, pairs, 2); });
  };
  EXPECT_EQ(error(three, three, three), "attention: queries (3, 4), expected 2 rows");
  EXPECT_EQ(error(two, three, Var()), "attention: an input is undefined; it never got a value");
  EXPECT_EQ(error(two, three, two), "attention: values (2, 4), keys (3, 4)");
}

// To the bit, whatever else is in the batch.
TEST(Attention, ALaterTokenChangesNoEarlierOutput) {
  constexpr int64_t kLength = 150, kChanged = 97;  // more than one tile of queries
  const Rows x = random_rows(kLength);
  const Vec before = context(x, self({kLength})).value().to_vector();
  Rows y = {x.q.value().clone(), x.k.value().clone(), x.v.value().clone()};
  for (const Var& v : {y.q, y.k, y.v}) v.value().rows(kChanged, kChanged + 1).fill(5);
  const Vec after = context(y, self({kLength})).value().to_vector();
  const auto changed = std::mismatch(before.begin(), before.end(), after.begin()).first;
  EXPECT_EQ((changed - before.begin()) / kHeadsWidth, kChanged);
  // Without `causal` all outputs change.
  EXPECT_NE(context(x, self({kLength}, false)).value().to_vector()[0],
            context(y, self({kLength}, false)).value().to_vector()[0]);
}

TEST(Attention, ASequenceAloneEqualsItsRowsOfTheBatch) {
  const std::vector<int32_t> lengths = {5, 70, 0, 9};
  const Rows x = random_rows(84);
  for (const bool causal : {false, true}) {
    const Var batch = context(x, self(lengths, causal));
    int64_t begin = 0;
    for (const int32_t length : lengths) {
      const Var alone = context(x.part(begin, begin + length), self({length}, causal));
      EXPECT_TRUE(same(alone, rows(batch, begin, begin + length)));
      begin += length;
    }
  }
}

TEST(Attention, StepByStepIsTheWholeSequence) {
  const Rows x = random_rows(7);
  const Var whole = context(x, self({7}));
  for (int32_t t = 0; t < 7; ++t) {
    const AttentionPairs step(Segments({1}), Segments({t + 1}), /*causal=*/true);
    const Rows seen = x.first(t + 1);
    expect_same(context({rows(x.q, t, t + 1), seen.k, seen.v}, step), rows(whole, t, t + 1), 1e-15);
  }
}

TEST(Attention, OneQueryAndOneHeadIsDotAttention) {
  const Segments memory({4, 2, 1});
  const AttentionPairs pairs(Segments({1, 1, 1}), memory);
  const Var q = random({3, kHeadsWidth}, 1), k = random({7, kHeadsWidth}, 2);
  const Var w = attention_weights(q, k, pairs, /*heads=*/1);
  const Attended expected = attend(q / std::sqrt(6.0), k, memory);
  expect_same(reshape(w, {7}), expected.weights, 1e-15);
  expect_same(attention_context(w, k, pairs), expected.context, 1e-15);
}

TEST(Attention, ManyMayLookAtTheSameMemory) {
  const std::vector<int32_t> ids = {1, 0, 1};
  const Rows x = random_rows(5);
  const Rows copied{x.q, gather_rows(x.k, Tensor::from(std::vector<int32_t>{3, 4, 0, 1, 2, 3, 4})),
                    gather_rows(x.v, Tensor::from(std::vector<int32_t>{3, 4, 0, 1, 2, 3, 4}))};
  const Segments queries({2, 1, 2});
  const AttentionPairs shared(queries, Segments({3, 2}).select(ids));
  expect_same(context(x, shared), context(copied, AttentionPairs(queries, Segments({2, 3, 2}))), 0);
  const Rows trained{x.q, Var::parameter(x.k.value()), Var::parameter(x.v.value())};
  EXPECT_EQ(error_of<ShapeError>([&] { (void)attention_weights(x.q, trained.k, shared, kHeads); }),
            "attention_weights: a memory whose segments were selected gets no gradient");
}

TEST(Attention, AnEmptyMemoryGivesZeros) {
  for (Device device : test_devices()) {
    SCOPED_TRACE(device.str());
    const AttentionPairs there(Segments({2, 1}, device), Segments({0, 3}, device));
    const Rows x = random_rows(3);
    const Var w = attention_weights(x.q.value().to(device), x.k.value().to(device), there, kHeads);
    EXPECT_EQ(w.shape(), (Shape{kHeads, 3}));
    const Vec y = attention_context(w, x.v.value().to(device), there).value().to_vector();
    EXPECT_EQ(Vec(y.begin(), y.begin() + 2 * kHeadsWidth), Vec(2 * kHeadsWidth));
    for (size_t i = 2 * kHeadsWidth; i < y.size(); ++i) EXPECT_NE(y[i], 0);
  }
}

// A loss of the weights themselves (where a model looks), beside one of what it sees there.
TEST(Attention, GradientsFlowThroughTheWeights) {
  const AttentionPairs pairs(Segments({3, 2}), Segments({4, 2}), /*causal=*/true);
  const GradCheck check = check_gradient(
      [&](const std::vector<Var>& in) {
        const Var w = attention_weights(in[0], in[1], pairs, kHeads);
        const Var seen = mean(w, 0);  // over heads
        return sum(attention_context(w, in[2], pairs)) + sum(square(seen));
      },
      {random({5, kHeadsWidth}, 1).value(), random({6, kHeadsWidth}, 2).value(),
       random({6, kHeadsWidth}, 3).value()});
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

}  // namespace
}  // namespace heed
