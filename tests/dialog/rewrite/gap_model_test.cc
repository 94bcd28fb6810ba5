// A model of gaps against PyTorch's numbers, and what must hold for any turns.
#include "dialog/rewrite/model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dialog/data/formats/corpora.h"
#include "dialog/rewrite/loss.h"
#include "dialog/rewrite/rewriter.h"
#include "dialog/rewrite/task.h"
#include "nn/safetensors.h"
#include "optim/optim.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"
#include "tests/paths.h"

namespace heed::rewrite {
namespace {

Vocabulary letters() {
  TokenCounts counts;
  for (char c = 'a'; c <= 'h'; ++c) counts[std::string(1, c)] = 200 - c;
  return Vocabulary::build(counts);
}

Dialogue dialogue_of(const std::vector<std::string>& texts, const std::string& rewritten) {
  Dialogue dialogue{"d", {}};
  for (const std::string& text : texts) dialogue.turns.push_back({"", text});
  if (!rewritten.empty()) dialogue.turns.back().notes.edit().labels[kRewritten] = {rewritten};
  return dialogue;
}

const Bounds kTinyBounds{.max_span = 3};

// Those of tests/reference/generate/make_gaps.py.
std::vector<GapExample> tiny_examples() {
  return gap_examples(
      "",
      {dialogue_of({"a b c", "d e", "f g"}, "f b c g"),
       dialogue_of({"c c d a b", "g h f"}, "a b h f z"), dialogue_of({"e", "a b"}, "a b")},
      kTinyBounds, letters(), /*labelled=*/true);
}
GapBatch batch_of(const std::vector<GapExample>& examples) {
  GapBatch batch;
  for (const GapExample& e : examples) batch.push_back(&e);
  return batch;
}

GapModel tiny() {
  return GapModel({.vocab_size = 13,
                   .embedding_size = 5,
                   .hidden_size = 4,
                   .dropout = 0,
                   .bounds = kTinyBounds});
}
TensorMap reference() {
  return load_tensors(source_dir() + "/tests/reference/gaps.safetensors");
}
GapModel loaded(const TensorMap& expected, DType dtype) {
  GapModel model = tiny();
  convert(model, dtype);
  for (const NamedParameter& p : parameters(model)) {
    p.var.set_value(expected.at("parameters." + p.name).clone().to(dtype));
  }
  return model;
}

void expect_near(const Tensor& got, const Tensor& expected, double tolerance) {
  const Vec a = got.to_vector(), b = expected.to_vector();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

class GapModelIsPyTorchs : public testing::TestWithParam<DType> {};
INSTANTIATE_TEST_SUITE_P(Types, GapModelIsPyTorchs, testing::Values(DType::f64, DType::f32),
                         [](const auto& row) { return std::string(name_of(row.param)); });

TEST_P(GapModelIsPyTorchs, OutputsLossesAndGradients) {
  const double tolerance = GetParam() == DType::f64 ? 1e-10 : 1e-5;
  const TensorMap expected = reference();
  const GapModel model = loaded(expected, GetParam());
  const std::vector<GapExample> examples = tiny_examples();
  for (const int64_t hardest : {0, 2}) {
    const std::string n = std::to_string(hardest);
    zero_grad(const_cast<GapModel&>(model));
    const JointLoss loss = joint_loss(model, batch_of(examples), {.hardest = hardest});
    expect_near(loss.logits.value(), expected.at("logits"), tolerance);
    expect_near(loss.scores->f.value(), expected.at("scores"), tolerance);
    expect_near(loss.total.value(), expected.at("loss." + n), 10 * tolerance);
    loss.total.backward();
    for (const NamedParameter& p : parameters(model)) {
      SCOPED_TRACE(p.name + " " + n);
      expect_near(p.var.grad(), expected.at("gradients." + n + "." + p.name), 10 * tolerance);
    }
  }
}

TEST(GapModel, FiveStepsArePyTorchs) {
  const TensorMap expected = reference();
  GapModel model = loaded(expected, DType::f64);
  const std::vector<GapExample> examples = tiny_examples();
  Sgd optimizer(model, {.rate = 0.05});
  for (const double value : expected.at("steps").to_vector()) {
    zero_grad(model);
    const JointLoss loss = joint_loss(model, batch_of(examples), {.hardest = 2});
    EXPECT_NEAR(loss.total.value().item(), value, 1e-10);
    loss.total.backward();
    optimizer.step();
  }
  for (const NamedParameter& p : parameters(model)) {
    SCOPED_TRACE(p.name);
    expect_near(p.var.value(), expected.at("after." + p.name), 1e-10);
  }
}

TEST(GapModel, HasTheParametersThatAreCounted) {
  for (const bool positions : {false, true}) {
    const Config c{.vocab_size = 13, .embedding_size = 5, .hidden_size = 4, .positions = positions};
    Settings s;
    s.model = c;
    EXPECT_EQ(static_cast<double>(parameter_count(GapModel(c))), Own::size(s));
  }
}

TEST(GapModel, LearnsOnlyWhatItIsTo) {
  const GapModel model = loaded(reference(), DType::f64);
  const std::vector<GapExample> examples = tiny_examples();
  const auto gradient = [&](const std::string& learn, const std::string& name) {
    zero_grad(const_cast<GapModel&>(model));
    joint_loss(model, batch_of(examples), {.learn = learn, .size_weight = 0}).total.backward();
    for (const NamedParameter& p : parameters(model)) {
      if (p.name != name) continue;
      double sum = 0;
      for (const double x : p.var.grad().to_vector()) sum += std::abs(x);
      return sum;
    }
    return 0.0;
  };
  EXPECT_EQ(gradient("detect", "score.weight"), 0);
  EXPECT_EQ(gradient("rank", "labels.weight"), 0);
  EXPECT_GT(gradient("detect", "labels.weight"), 0);
  EXPECT_GT(gradient("rank", "score.weight"), 0);
}

// In batches of any size and order a turn is written out in the same way.
TEST(GapModel, ATurnDoesNotDependOnTheBatch) {
  const GapModel model = loaded(reference(), DType::f64);
  std::vector<GapExample> examples = tiny_examples();
  for (const bool given : {false, true}) {
    const std::vector<Rewrite> all = rewrite(model, examples, given, 3);
    std::vector<GapExample> reversed(examples.rbegin(), examples.rend());
    const std::vector<Rewrite> other = rewrite(model, reversed, given, 2);
    if (given) {
      ASSERT_GT(all[1].gaps.size(), 1u);
    }
    for (size_t i = 0; i < 3; ++i) {
      const Rewrite &a = all[i], &b = other[2 - i];
      EXPECT_EQ(a.labels, b.labels);
      EXPECT_EQ(a.text, b.text);
      ASSERT_EQ(a.gaps.size(), b.gaps.size());
      for (size_t g = 0; g < a.gaps.size(); ++g) {
        EXPECT_EQ(a.gaps[g].best, b.gaps[g].best);
        EXPECT_NEAR(a.gaps[g].above_null, b.gaps[g].above_null, 1e-12);
      }
      ASSERT_EQ(a.look.size(), b.look.size());
      EXPECT_EQ(a.look.empty(), a.gaps.empty());
      double sum = 0;  // a mean over the gaps
      for (size_t k = 0; k < a.look.size(); ++k) {
        EXPECT_NEAR(a.look[k], b.look[k], 1e-12);
        sum += a.look[k];
      }
      EXPECT_NEAR(sum, a.look.empty() ? 0 : 1, 1e-12);
    }
  }
}

// The softmax of a gap's candidates stands on the last unit of each.
TEST(GapModel, LooksAtTheEndsOfCandidates) {
  const GapModel model = loaded(reference(), DType::f64);
  const std::vector<GapExample> examples = tiny_examples();
  const GapExample& e = examples[0];
  ASSERT_EQ(e.gaps.size(), 1u);
  const Vec f = joint_loss(model, {&e}, {}).scores->f.value().to_vector();
  ASSERT_EQ(f.size(), e.candidates.size() + 1);  // nothing, last
  double sum = 0;
  for (size_t c = 0; c < e.candidates.size(); ++c) sum += std::exp(f[c]);
  Vec expected(e.read.size());
  for (size_t c = 0; c < e.candidates.size(); ++c) {
    expected[static_cast<size_t>(e.candidates[c].end) - 1] += std::exp(f[c]) / sum;
  }
  const Rewrite found = rewrite(model, {e}, /*given=*/true, 1)[0];
  ASSERT_EQ(found.look.size(), expected.size());
  for (size_t t = 0; t < expected.size(); ++t) EXPECT_NEAR(found.look[t], expected[t], 1e-12) << t;
}

std::string refusal(const auto& settings) {
  return error_of<UsageError>([&] { settings.check(); });
}

// Forward the state behind the last word, and backward the one behind the first.
TEST(GapModel, LastStatesAreThoseOfBothDirections) {
  const GapModel model = loaded(reference(), DType::f64);
  const NoGrad guard;
  const std::vector<std::vector<int32_t>> sequences = {{5}, {6, 7, 8, 4}, {9, 10}};
  const GapModel::States states = model.read(sequences);
  const std::vector<double> h = states.h.value().to_vector(),
                            last = states.last.value().to_vector();
  const size_t size = last.size() / 6;
  for (size_t b = 0; b < 3; ++b) {
    const auto first = static_cast<size_t>(states.begin[b]), end = first + sequences[b].size() - 1;
    for (size_t i = 0; i < size; ++i) {
      EXPECT_EQ(last[2 * b * size + i], h[2 * end * size + i]);
      EXPECT_EQ(last[(2 * b + 1) * size + i], h[(2 * first + 1) * size + i]);
    }
  }
}

TEST(GapModel, RefusesWhatDoesNotFit) {
  EXPECT_EQ(refusal(LossSettings{.learn = "all"}),
            "gaps: learn: expected one of both, detect, rank, got 'all'");
  EXPECT_TRUE(
      has(refusal(LossSettings{.margin = 0}), "gaps: margin: expected a number above 0, got"));
  EXPECT_TRUE(has(refusal(LossSettings{.hardest = -1}),
                  "gaps: hardest: expected a whole number from 0 to 100000"));
  EXPECT_TRUE(
      has(refusal(Config{.dropout = 1}), "gaps: dropout: expected a number from 0 to below 1"));
  EXPECT_TRUE(has(refusal(Config{.hidden_size = 0}), "gaps: hidden_size"));
  EXPECT_TRUE(has(refusal(Config{.bounds = {.max_span = 0}}),
                  "gaps: max_span: expected a whole number from 1 to 100"));
}

}  // namespace
}  // namespace heed::rewrite
