// The reader of passages against PyTorch's numbers, and what must hold for any questions.
#include "dialog/comprehend/model.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "dialog/comprehend/task.h"
#include "nn/gradcheck.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed::comprehend {
namespace {

const Ids kLong = {5, 6, 7, 8, 9, 10, 11}, kShort = {12, 13, 5};

// As tests/reference/generate/make_comprehend.py has them.
const std::vector<Asked> kAsked = {{&kLong, {{14}, {}, {}, {}, {}}},
                                   {&kShort, {{15, 16}, {14, 5}, {}, {17, 18}, {}}},
                                   {&kLong, {{6, 19}, {15}, {14}, {12}, {13, 3, 4}}}};
const std::vector<Target> kTargets = {{2, 4, 0}, {3, 3, 3}, {0, 5, 1}};

Config tiny() {
  return {.turns = 2, .kinds = true, .width = 5, .window = 8, .longest_query = 4, .dropout = 0};
}

SpanReader reader(Config config = tiny()) {
  SpanReader model(config, pretrained::Bert({20, 8, 2, 2, 12, 24, 2, 1e-12}), {1, 2});
  init(model, 1);
  convert(model, DType::f64);
  return model;
}

std::vector<double> of(const Var& x, const Segments& s, size_t i, int64_t width = 1) {
  const std::vector<double> all = x.value().to_vector();
  const auto n = static_cast<int64_t>(i);
  return {all.begin() + width * s.begin(n), all.begin() + width * s.end(n)};
}

void expect_near(const std::vector<double>& got, const std::vector<double>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-11) << i;
}

TEST(SpanReader, AgreesWithPyTorch) {
  const TensorMap expected =
      load_tensors(source_dir() + "/tests/reference/comprehend/reader.safetensors");
  Config config = tiny();
  config.window = 4;
  SpanReader model = reader(config);
  for (const NamedParameter& p : parameters(model)) {
    p.var.set_value(expected.at("parameters." + p.name).clone());
  }
  const SpanReader::Logits l = model(kAsked);
  for (size_t i = 0; i < kAsked.size(); ++i) {
    const std::string name = std::to_string(l.of[i]);
    expect_near(of(l.start, l.segments, i), expected.at("start." + name).to_vector());
    expect_near(of(l.end, l.segments, i), expected.at("end." + name).to_vector());
    expect_near(of(l.kinds, l.segments, i, 4), expected.at("kinds." + name).to_vector());
  }
  const std::vector<double> losses = expected.at("losses").to_vector();
  for (size_t step = 0; step < losses.size(); ++step) {
    zero_grad(model);
    const Var loss = span_loss(model(kAsked), kTargets);
    EXPECT_NEAR(loss.value().item(), losses[step], 1e-10) << step;
    loss.backward();
    for (const NamedParameter& p : parameters(model)) {
      const std::vector<double> grad = p.var.grad().to_vector();
      if (step == 0) {
        SCOPED_TRACE(p.name);
        expect_near(grad, expected.at("gradients." + p.name).to_vector());
      }
      std::vector<double> value = p.var.value().to_vector();
      for (size_t i = 0; i < grad.size(); ++i) value[i] -= 0.2 * grad[i];
      Var var = p.var;
      var.set_value(Tensor::from(value, var.shape()));
    }
  }
}

TEST(SpanReader, HasTheGradientsOfItsLoss) {
  SpanReader model = reader();
  const GradCheck checked =
      check_gradient(model, [&] { return span_loss(model(kAsked), kTargets); });
  EXPECT_LT(checked.max_error, 1e-6) << checked.worst;
}

TEST(SpanReader, AQuestionsNumbersDoNotDependOnTheOthers) {
  const SpanReader model = reader();
  const std::vector<Asked> other_order = {kAsked[2], kAsked[0], kAsked[1]};
  const SpanReader::Logits all = model(kAsked), moved = model(other_order);
  for (size_t i = 0; i < 3; ++i) {
    const SpanReader::Logits alone = model({kAsked[all.of[i]]});
    expect_near(of(alone.start, alone.segments, 0), of(all.start, all.segments, i));
    expect_near(of(alone.end, alone.segments, 0), of(all.end, all.segments, i));
    for (size_t k = 0; k < 3; ++k) {
      if ((moved.of[k] + 2) % 3 != all.of[i]) continue;
      expect_near(of(moved.kinds, moved.segments, k, 4), of(all.kinds, all.segments, i, 4));
    }
  }
}

// A frozen encoder computes the same, and learns nothing.
TEST(SpanReader, FrozenStatesAreTheSame) {
  Config config = tiny();
  const SpanReader free = reader(config);
  config.frozen = true;
  SpanReader frozen = reader(config);
  const SpanReader::Logits a = free(kAsked), b = frozen(kAsked);
  expect_near(b.end.value().to_vector(), a.end.value().to_vector());
  // Of questions without a piece there is nothing to read.
  const std::vector<Asked> nothing = {{&kShort, std::vector<Ids>(5)}};
  EXPECT_EQ(frozen(nothing).start.value().to_vector(), free(nothing).start.value().to_vector());
  span_loss(frozen(kAsked), kTargets).backward();
  for (const NamedParameter& p : parameters(frozen)) {
    EXPECT_EQ(p.var.needs_grad(), !p.name.starts_with("encoder.")) << p.name;
  }
}

TEST(BestSpan, IsThatOfAllSpans) {
  Rng rng(5);
  for (int round = 0; round < 300; ++round) {
    const size_t n = 1 + rng.below(9);
    std::vector<double> start(n), end(n);
    for (double& x : start) x = static_cast<double>(rng.below(7));
    for (double& x : end) x = static_cast<double>(rng.below(7));
    double best = -1;
    for (size_t b = 0; b < n; ++b) {
      for (size_t e = b; e < n; ++e) best = std::max(best, start[b] + end[e]);
    }
    const BestSpan span = best_span(start, end);
    EXPECT_LE(span.begin, span.end);
    EXPECT_EQ(span.score, best);
    EXPECT_EQ(start[span.begin] + end[span.end], best);
  }
}

// An encoder from nothing: its words are the most frequent ones of texts and questions, without
// single letters, and the seed draws its weights.
TEST(SpanReader, AnEncoderFromNothingHasTheWordsOfItsData) {
  const TempDir dir;
  Passage passage{.id = "p"};
  passage.add_turn("", "So it is: it was x, x and x");
  passage.questions.push_back({"q", "what was so ? so", {{.text = "it", .begin = 3, .end = 5}}});
  Parts parts;
  parts.train.passages = parts.valid.passages = {passage};
  Settings s = Runs::preset("smoke");
  s.hidden = 8;
  s.layers = 1;
  s.vocabulary = 4;
  s.model.width = 4;
  const auto drawn = [&](uint64_t seed) {
    const std::string name = "run" + std::to_string(seed);
    s.loop.seed = seed;
    std::filesystem::create_directory(dir.path(name));
    Runs::start(dir.path(name), s, parts, "");
    return name + "/encoder/";
  };
  const std::string words = dir.read(drawn(1) + "vocab.txt");
  EXPECT_TRUE(words.ends_with("\n~\nso\nit\nwas\nand\n")) << words;  // 3, 2, 2 and once
  EXPECT_NE(dir.read("run1/encoder/model.safetensors"), dir.read(drawn(2) + "model.safetensors"));
  s.hidden = 6;
  EXPECT_TRUE(has(error_of<UsageError>([&] { s.check(); }), "a multiple of 4, got 6"));
}

TEST(SpanReader, RefusesWhatCannotBe) {
  Config config = tiny();
  config.window = 100;
  EXPECT_TRUE(has(error_of<UsageError>([&] { reader(config); }), "exceed the 24 places"));
  config = tiny();
  config.questions = config.answers = false;
  EXPECT_TRUE(has(error_of<UsageError>([&] { config.check(); }), "--turns must be 0"));
}

}  // namespace
}  // namespace heed::comprehend
