// Dot, general and additive attention over segments against plain loops.
#include "nn/attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

// Three memories of 2, 4 and 1 rows.
const Segments kSegments({2, 4, 1});

// Softmax of the scores within each segment and the weighted sums of the memory rows.
void expect_attention(const Attended& got, const std::vector<Vec>& memory, const Vec& scores) {
  Vec weights, contexts;
  for (int64_t b = 0; b < kSegments.count(); ++b) {
    double total = 0;
    for (int64_t j = kSegments.begin(b); j < kSegments.end(b); ++j) total += std::exp(scores[j]);
    Vec context(memory[0].size());
    for (int64_t j = kSegments.begin(b); j < kSegments.end(b); ++j) {
      weights.push_back(std::exp(scores[j]) / total);
      for (size_t i = 0; i < context.size(); ++i) context[i] += weights.back() * memory[j][i];
    }
    contexts.insert(contexts.end(), context.begin(), context.end());
  }
  expect_near(got.weights.value().to_vector(), weights);
  expect_near(got.context.value().to_vector(), contexts);
}

// score(query b, memory row j) for the rows of all segments
template <class Score> Vec all_scores(Score score) {
  Vec scores;
  for (int64_t b = 0; b < kSegments.count(); ++b) {
    for (int64_t j = kSegments.begin(b); j < kSegments.end(b); ++j) scores.push_back(score(b, j));
  }
  return scores;
}

TEST(Attention, Dot) {
  const Var query = random({3, 2}, 1), memory = random({7, 2}, 2);
  const auto q = matrix(query), k = matrix(memory);
  expect_attention(attend(query, memory, kSegments), k,
                   all_scores([&](int64_t b, int64_t j) { return dot(k[j], q[b]); }));
}

TEST(Attention, General) {
  Attention layer = f64(Attention(AttentionScore::kGeneral, 3, 2, 0));
  EXPECT_EQ(names(layer), "project.weight(2, 3) ");
  const Var query = random({3, 3}, 1), memory = random({7, 2}, 2);
  const auto q = matrix(query), k = matrix(memory);
  const auto score = [&](int64_t b, int64_t j) {
    return dot(k[j], times(parameters(layer)[0].var, q[b]));
  };
  expect_attention(layer(query, layer.read(memory), kSegments), k, all_scores(score));
}

TEST(Attention, Additive) {
  AdditiveAttention layer = f64(AdditiveAttention(3, 2, 5));
  EXPECT_EQ(names(layer), "query.weight(5, 3) memory.weight(5, 2) score.weight(1, 5) ");
  const Var query = random({3, 3}, 1), memory = random({7, 2}, 2);
  const auto q = matrix(query), k = matrix(memory);
  const auto score = [&](int64_t b, int64_t j) {
    Vec z = times(layer.query_part.weight, q[b]);
    const Vec from_memory = times(layer.memory_part.weight, k[j]);
    for (size_t i = 0; i < z.size(); ++i) z[i] = std::tanh(z[i] + from_memory[i]);
    return times(layer.score.weight, z)[0];
  };
  expect_attention(layer(query, memory, kSegments), k, all_scores(score));
}

// The steps of a decoder, of which the later ones have fewer dialogues.
TEST(Attention, AdditiveReadsItsMemoryOnce) {
  const AdditiveAttention layer = f64(AdditiveAttention(3, 2, 5));
  const Var query = random({3, 3}, 1);
  const auto run = [&](auto attend_to, const Var& memory) {
    Var total;
    for (const int64_t running : {3, 2, 2}) {
      const Var y = attend_to(rows(query, 0, running), kSegments.first(running)).context;
      total = total.defined() ? total + sum(square(y)) : sum(square(y));
    }
    const std::string graph = graph_text(total);
    int64_t products = 0;
    for (size_t at = 0; (at = graph.find("affine", at)) != std::string::npos; ++at) ++products;
    total.backward();
    return std::tuple(products, total.value().item(), memory.grad());
  };
  const Var a = Var::parameter(random({7, 2}, 2).value()), b = a.clone();
  const AdditiveAttention::Memory read = layer.read(a);
  const auto [once, value, grad] =
      run([&](const Var& q, const Segments& s) { return layer(q, read, s); }, a);
  const auto [each, expected, expected_grad] =
      run([&](const Var& q, const Segments& s) { return layer(q, b, s); }, b);
  EXPECT_EQ(once, 3 * 2 + 1);  // query and score in each step, and the memory
  EXPECT_EQ(each, 3 * 3);
  EXPECT_EQ(value, expected);
  expect_near(grad.to_vector(), expected_grad.to_vector());
}

// Dialogues that have ended need no query: the others look at the first segments.
TEST(Attention, OneQueryForEachSegment) {
  const Var query = random({3, 2}, 1), memory = random({7, 2}, 2);
  AdditiveAttention additive = f64(AdditiveAttention(2, 2, 5));
  Attention general = f64(Attention(AttentionScore::kGeneral, 2, 2, 0));
  const auto check = [&](auto attention) {
    const Attended all = attention(query, kSegments);
    const Attended some = attention(rows(query, 0, 2), kSegments.first(2));
    expect_same(some.context, rows(all.context, 0, 2));
    expect_same(some.weights, rows(all.weights, 0, 6));
    const std::string text =
        error_of<ShapeError>([&] { (void)attention(rows(query, 0, 2), kSegments); });
    EXPECT_TRUE(text.ends_with(": query (2, 2), expected a row for each of 3 segments")) << text;
    EXPECT_THROW((void)attention(query, kSegments.first(2)), ShapeError);
  };
  check([&](const Var& q, const Segments& s) { return attend(q, memory, s); });
  check([&](const Var& q, const Segments& s) { return general(q, general.read(memory), s); });
  check([&](const Var& q, const Segments& s) { return additive(q, memory, s); });
}

TEST(Attention, Gradients) {
  const Var query = random({2, 3}, 1), memory = random({7, 3}, 2);
  const auto both = [](const Attended& a) {
    return concat({reshape(a.context, {6}), a.weights}, 0);
  };
  check_module(Attention(AttentionScore::kGeneral, 3, 3, 0), query,
               [&](const Attention& f, const Var& q) {
                 return both(f(q, f.read(memory), kSegments.first(2)));
               });
  check_module(AdditiveAttention(3, 3, 4), memory, [&](const AdditiveAttention& f, const Var& m) {
    return both(f(query, m, kSegments.first(2)));
  });
}

}  // namespace
}  // namespace heed
