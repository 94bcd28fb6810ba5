// A discriminator of words and its generator against PyTorch's numbers, and what must hold for any.
#include "dialog/discriminate/words/hredgan.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "dialog/data/corpus.h"
#include "dialog/respond/policy.h"
#include "dialog/respond/structures.h"
#include "dialog/text/overlap.h"
#include "nn/safetensors.h"
#include "optim/optim.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "tests/paths.h"

namespace heed::words {
namespace {

using Json = nlohmann::json;

HredResponder& hred(Responder& model) {
  return dynamic_cast<HredResponder&>(model);
}

// ---- PyTorch, tests/reference/generate/make_hredgan.py

struct Case : testing::Test {
  Case() : loaded(load_model(where("hred-attention"))) {
    convert(generator, DType::f64);
    load_parameters(where("hredgan/discriminator.safetensors"), discriminator);
    convert(discriminator, DType::f64);
    for (const Dialogue& d : read_dialogues(where("hred-attention/dialogs.jsonl"))) {
      Example& e = examples.emplace_back(make_examples({d}, loaded.vocabulary, {}).at(0));
      std::fill(e.distraction.begin(), e.distraction.end(), 0);
    }
    expected = Json::parse(read_file(where("hredgan/expected.json"), 1 << 20));
  }
  static std::string where(const std::string& name) {
    return source_dir() + "/tests/reference/" + name;
  }
  Batch batch() const { return make_batch(pointers(examples), generator.parts()); }
  // 2 sin(3 t + v + 5 i) for word v in step t of dialogue i.
  static MakeNoise noise(const Batch& batch) {
    return [&batch](const Shape& shape) {
      std::vector<double> values;
      for (int64_t t = 0; std::ssize(values) < shape.numel(); ++t) {
        for (int64_t b = 0; b < batch.size && batch.response.packing.length(b) > t + 1; ++b) {
          for (int64_t v = 0; v < shape[1]; ++v) {
            values.push_back(2 * std::sin(static_cast<double>(3 * t + v + 5 * batch.order[b])));
          }
        }
      }
      return Tensor::from(values, shape);
    };
  }
  Told told(Fake fake) {
    const Batch b = batch();
    return tell(discriminator, show(generator, b, fake, {}, noise(b)));
  }
  // As PyTorch has them: in the order of the dialogues.
  void expect_scores(const Json& of, const Var& got, const char* what) const {
    const std::vector<double> values = got.value().to_vector();
    const Batch b = batch();
    for (size_t i = 0; i < values.size(); ++i) {
      EXPECT_NEAR(values[i], of.at(what).at(b.order[i]).get<double>(), 1e-12) << what << i;
    }
  }
  static void expect_gradients(const Json& of, const Module& module) {
    for (const NamedParameter& p : parameters(module)) {
      double square = 0, sum = 0;
      const Tensor grad = p.var.grad();
      for (const double g : grad.defined() ? grad.to_vector() : std::vector<double>()) {
        square += g * g, sum += g;
      }
      EXPECT_NEAR(std::sqrt(square), of.at(p.name).at(0).get<double>(), 1e-11) << p.name;
      EXPECT_NEAR(sum, of.at(p.name).at(1).get<double>(), 1e-10) << p.name;
    }
  }

  LoadedModel loaded;
  HredResponder& generator = hred(*loaded.model);
  WordDiscriminator discriminator{generator.config()};
  std::vector<Example> examples;
  Json expected;
};

TEST_F(Case, ScoresLossesAndGradientsAreThoseOfPyTorch) {
  for (const auto& [name, fake] : {std::pair("drawn", Fake::kDrawn),
                                   {"soft", Fake::kSoft},
                                   {"straight-through", Fake::kStraightThrough}}) {
    const Json& of = expected.at(name);
    const Told t = told(fake);
    expect_scores(of, t.real, "real");
    expect_scores(of, t.fake, "fake");
    expect_scores(of, t.not_fake, "not_fake");
    EXPECT_EQ(t.right(), of.at("right").get<double>()) << name;
    EXPECT_NEAR(loss_of(t).value().item(), of.at("loss").get<double>(), 1e-12) << name;
    EXPECT_NEAR(loss_of(t, true).value().item(), of.at("loss_by_word").get<double>(), 1e-12);
    zero_grad(discriminator);
    loss_of(t).backward();
    expect_gradients(of.at("discriminator"), discriminator);
    const Told again = told(fake);
    zero_grad(generator);
    (-mean(again.fake)).backward();
    expect_gradients(of.at("generator"), generator);
  }
}

// Gates that open and shut: those of the discriminator are steps of the loop, those of the
// generator a part of its loss. The noise that is drawn was recomputed in Python.
void expect_rounds(const Json& of, const Json& lines, HredResponder& generator,
                   WordDiscriminator& discriminator, const std::string& mode,
                   const TrainData& data) {
  TrainSettings training{.model = generator.config(), .attention_weight = 0};
  training.model.dropout = 0;
  const Settings settings{
      .mode = mode, .discriminator_until = of.at("until"), .generator_from = of.at("from")};
  const auto tasks = hredgan_tasks(generator, discriminator, settings, training, data);
  std::vector<int64_t> all(data.train.size());
  std::iota(all.begin(), all.end(), 0);
  Sgd writes(generator, {.rate = of.at("rate")}), tells(discriminator, {.rate = of.at("rate")});
  const auto step = [&](const Task& task, Optimizer& optimizer, int64_t n) {
    zero_grad(*task.module);
    const Loss loss = task.loss(all, {1, 0, n});
    loss.total.backward();
    const Clipping clip = clipping(parameters(*task.module), {.max_norm = 5});
    if (!task.gate || task.gate(loss.counts)) optimizer.step(clip);
    return loss;
  };
  for (int64_t n = 0; n < 5; ++n) {
    const Json& line = lines.at(n);
    const Loss g = step(tasks[0], writes, n);
    EXPECT_NEAR(g.total.value().item(), line.at("generator").get<double>(), 1e-10) << n;
    if (mode == kRanker) {
      EXPECT_FALSE(g.counts.contains("heard"));
    } else {
      EXPECT_EQ(g.counts.at("heard"), line.at("heard").get<bool>()) << n;
    }
    const Loss d = step(tasks[1], tells, n);
    EXPECT_NEAR(d.total.value().item(), line.at("discriminator").get<double>(), 1e-10) << n;
    EXPECT_EQ(d.counts.at("told"), line.at("told").get<double>()) << n;
    EXPECT_EQ(d.counts.at("made"), line.at("made").get<bool>()) << n;
  }
}

TEST_F(Case, FiveRoundsAreThoseOfPyTorch) {
  const Json& of = expected.at("rounds");
  for (const auto& [name, mode, noise] :
       {std::tuple("drawn none", kRanker, Noise::kNone),
        {"soft none", kSoft, Noise::kNone},
        {"straight-through none", kStraightThrough, Noise::kNone},
        {"soft utterance", kSoft, Noise::kUtterance},
        {"straight-through word", kStraightThrough, Noise::kWord}}) {
    SCOPED_TRACE(name);
    const std::string folder =
        where(noise == Noise::kNone ? "hred-attention" : "hred-attention-noise");
    ModelConfig config = load_config(folder);
    config.noise = noise;
    const auto model = make_responder(config, 1);
    load_parameters(folder + "/model.safetensors", *model);
    convert(*model, DType::f64);
    WordDiscriminator judge(config);
    load_parameters(where("hredgan/discriminator.safetensors"), judge);
    convert(judge, DType::f64);
    TrainData data;
    data.vocabulary = Vocabulary::load(folder + "/vocab.txt");
    for (Example& e : make_examples(read_dialogues(folder + "/dialogs.jsonl"), data.vocabulary,
                                    {.max_turns = 0})) {
      std::fill(e.distraction.begin(), e.distraction.end(), 0);
      data.train.push_back(e);
    }
    expect_rounds(of, of.at(name), hred(*model), judge, mode, data);
  }
}

TEST_F(Case, ScoresDoNotDependOnTheBatch) {
  std::vector<Answer> answers;
  const Batch b = batch();
  for (int64_t i = 0; i < b.size; ++i) {
    answers.push_back({static_cast<int32_t>(i), examples[b.order[i]].response});
    answers.push_back({static_cast<int32_t>(i), {7, 9}});
  }
  answers.push_back({0, {}});
  const auto scores = log_scores(generator, discriminator, b, answers);
  EXPECT_EQ(scores.back(), kWorst);
  for (int64_t i = 0; i < b.size; ++i) {
    EXPECT_NEAR(scores[2 * i], expected.at("drawn").at("real").at(b.order[i]).get<double>(), 1e-12);
    const std::vector<Example> one = {examples[b.order[i]]};
    const Batch alone = make_batch(pointers(one), generator.parts());
    EXPECT_NEAR(log_scores(generator, discriminator, alone, {{0, {7, 9}}})[0], scores[2 * i + 1],
                1e-12);
  }
}

// Recomputed from single answers: the share told right, and of all pairs in how many a real
// response scores above a drawn one, and above the generator's own answer. Of two batches.
TEST_F(Case, MeasuresWords) {
  const LoopSettings loop{.batch_size = 2, .seed = 3};
  const Metrics measured =
      measure_words(generator, discriminator, examples, loaded.vocabulary, loop);
  const uint64_t seed = draw_seed(loop.seed, "words.measure", 0);
  std::vector<double> real, taught, free;
  std::vector<Tokens> answers;
  double right = 0;
  for (size_t at = 0; at < examples.size(); at += 2) {
    const std::vector<Example> two(examples.begin() + at,
                                   examples.begin() + std::min(at + 2, examples.size()));
    const Batch batch = make_batch(pointers(two), generator.parts());
    const DropoutMode drop{0, seed, at};
    for (const double x : tell(discriminator, show(generator, batch, Fake::kDrawn, drop,
                                                   gumbel_noise(generator, drop.key("fake"))))
                              .fake.value()
                              .to_vector()) {
      taught.push_back(x);
      right += x < std::log(0.5);
    }
  }
  for (size_t i = 0; i < examples.size(); ++i) {
    real.push_back(expected.at("drawn").at("real").at(i).get<double>());
    right += real.back() > std::log(0.5);
    const std::vector<Example> one = {examples[i]};
    const auto own = decode(generator, pointers(one), {.max_length = 25})[0].tokens;
    const Batch batch = make_batch(pointers(one), generator.parts());
    free.push_back(log_scores(generator, discriminator, batch, {{0, own}})[0]);
    answers.push_back(loaded.vocabulary.words(own));
  }
  const auto share_above = [&](const std::vector<double>& others) {
    double pairs = 0;
    for (const double a : real) {
      for (const double b : others) pairs += a > b ? 1 : a == b ? 0.5 : 0;
    }
    return pairs / static_cast<double>(real.size() * others.size());
  };
  double adversarial = 0;
  for (size_t i = 0; i < examples.size(); ++i) {
    adversarial -= (real[i] + std::log1p(-std::exp(taught[i]))) / std::ssize(examples);
  }
  EXPECT_NEAR(value_of(measured, kAdversarialLoss), adversarial, 1e-12);
  double surprise = 0;
  for (const double score : free) surprise -= score / static_cast<double>(free.size());
  EXPECT_NE(share_above(taught), 0.5);
  EXPECT_NE(share_above(free), 0.5);
  EXPECT_DOUBLE_EQ(value_of(measured, kAucTaught), share_above(taught));
  EXPECT_DOUBLE_EQ(value_of(measured, kAucFree), share_above(free));
  EXPECT_DOUBLE_EQ(value_of(measured, kTold), right / (2.0 * examples.size()));
  EXPECT_NEAR(value_of(measured, kSurprise), surprise, 1e-12);
  EXPECT_DOUBLE_EQ(value_of(measured, kDistinct2), distinct_n(answers, 2, Per::kNgrams));
}

// ---- D

TEST(WordDiscriminator, TheScoreDoesNotGrowWithTheLength) {
  const auto logit = [](double p) { return std::log(p / (1 - p)); };
  const auto score = [](const std::vector<double>& logits) {
    const Packing packing({static_cast<int32_t>(logits.size())});
    const Var x = Tensor::from(logits, {std::ssize(logits), 1});
    return std::exp(log_score(packing, x).value().item());
  };
  EXPECT_NEAR(score({logit(0.9), logit(0.8), logit(0.5)}), 0.711379, 1e-6);
  for (const int64_t length : {1, 2, 7}) {
    EXPECT_NEAR(score(std::vector<double>(length, logit(0.3))), 0.3, 1e-12);
  }
}

// Twelve answers of six words in a row, and what stands against them.
Shown planted(const HredResponder& model, Rng& rng, bool shuffled) {
  std::vector<int32_t> lengths(12, 6), real, fake;
  std::vector<std::vector<int32_t>> said, against;
  for (auto* list : {&said, &against}) {
    for (int i = 0; i < 12; ++i) {
      std::vector<int32_t> words(6);
      std::iota(words.begin(), words.end(), kSpecialTokens + static_cast<int32_t>(rng.below(12)));
      if (list == &against && shuffled) rng.shuffle(words);
      list->push_back(words);
    }
  }
  const Var& e = model.embedding().weight;
  GruState context;
  for (int64_t l = 0; l < model.config().num_layers; ++l) {
    context.h.push_back(Tensor::zeros({12, model.config().hidden_size}));
  }
  return {Packing(lengths), gather_rows(e, pack(said).rows.value()),
          gather_rows(e, pack(against).rows.value()), context};
}

double share_right(bool shuffled) {
  ModelConfig config = small_config(Structure::parse("hred-gru"));
  config.embedding_size = config.hidden_size = 16, config.num_layers = 1;
  const auto model = make_responder(config, 3);
  WordDiscriminator d(config);
  init(d, 4);
  Adam optimizer(d, {.rate = 0.01});
  Rng rng(5, "words");
  for (int step = 0; step < 150; ++step) {
    zero_grad(d);
    Shown shown = planted(hred(*model), rng, shuffled);
    shown.real = shown.real.detach(), shown.fake = shown.fake.detach();
    loss_of(tell(d, shown)).backward();
    optimizer.step();
  }
  double right = 0, all = 0;
  for (int i = 0; i < 20; ++i) {
    const Told told = tell(d, planted(hred(*model), rng, shuffled));
    right += told.right(), all += static_cast<double>(told.shown());
  }
  return right / all;
}

TEST(WordDiscriminator, TellsShuffledWordsAndNothingFromNothing) {
  EXPECT_GT(share_right(true), 0.95);
  EXPECT_NEAR(share_right(false), 0.5, 0.08);
}

}  // namespace
}  // namespace heed::words
