// The discriminator against PyTorch's, and what must hold for any passages.
#include "dialog/discriminate/discriminator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "autograd/node.h"
#include "dialog/discriminate/task.h"
#include "nn/losses.h"
#include "nn/safetensors.h"
#include "optim/optim.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"
#include "tests/paths.h"
#include "train/run_json.h"

namespace heed::discriminate {
namespace {

// tests/reference/generate/make_discriminator.py
class Reference {
 public:
  Reference()
      : all_(
            load_tensors(source_dir() + "/tests/reference/adversarial/discriminator.safetensors")) {
    const std::vector<int32_t> tokens = all_.at("tokens").to_ints();
    auto at = tokens.begin();
    for (const int32_t length : all_.at("lengths").to_ints()) {
      Example sequence;  // the last <eou> is added
      sequence.context = {{at, at + length - 1}};
      sequence.distraction = {0};
      sequences.push_back(sequence);
      at += length;
    }
  }
  const Tensor& operator[](const std::string& name) const { return all_.at(name); }
  Discriminator model(DType dtype) const {
    Discriminator model(
        Config{.vocab_size = 12, .embedding_size = 5, .hidden_size = 4, .passages = {}}, 1);
    convert(model, dtype);
    for (const NamedParameter& p : parameters(model)) {
      p.var.set_value((*this)["parameters." + p.name].clone().to(dtype));
    }
    return model;
  }
  Var loss(const Discriminator& model, DType dtype) const {
    const Var logits = model(pack_sequences(sequences)).logits;
    return mean(binary_cross_entropy(logits, (*this)["real"].to(dtype)));
  }
  std::vector<Example> sequences;

 private:
  TensorMap all_;
};

void expect_close(const Tensor& got, const Tensor& expected, double tolerance) {
  EXPECT_EQ(got.shape().str(), expected.shape().str());
  const Vec a = got.to_vector(), b = expected.to_vector();
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "at " << i;
}

class DiscriminatorIsPyTorchs : public testing::TestWithParam<std::pair<DType, double>> {};
INSTANTIATE_TEST_SUITE_P(Types, DiscriminatorIsPyTorchs,
                         testing::Values(std::pair(DType::f64, 1e-10), std::pair(DType::f32, 1e-5)),
                         [](const auto& row) {
                           return row.param.first == DType::f64 ? "f64" : "f32";
                         });

TEST_P(DiscriminatorIsPyTorchs, WhatItSays) {
  const auto [dtype, tolerance] = GetParam();
  const Reference reference;
  const Discriminator model = reference.model(dtype);
  const Discriminator::Output out = model(pack_sequences(reference.sequences));
  expect_close(sigmoid(out.logits).value(), reference["p_real"], tolerance);
  expect_close(out.attention.value(), reference["attention"], tolerance);
  expect_close(out.last.value(), reference["last"], tolerance);
}

TEST_P(DiscriminatorIsPyTorchs, GradientsAndFiveStepsOfAdam) {
  const auto [dtype, tolerance] = GetParam();
  const Reference reference;
  Discriminator model = reference.model(dtype);
  Adam adam(model, {.rate = 0.01});
  const Vec losses = reference["losses"].to_vector();
  for (size_t step = 0; step < 5; ++step) {
    zero_grad(model);
    const Var loss = reference.loss(model, dtype);
    EXPECT_NEAR(loss.value().item(), losses[step], tolerance) << step;
    loss.backward();
    for (const NamedParameter& p : parameters(model)) {
      if (step > 0) break;
      SCOPED_TRACE(p.name);
      expect_close(p.var.grad(), reference["gradients." + p.name], tolerance);
    }
    adam.step();
  }
  for (const NamedParameter& p : parameters(model)) {
    SCOPED_TRACE(p.name);
    expect_close(p.var.value(), reference["after." + p.name], tolerance);
  }
}

// The paper's size: PyTorch, with two biases in each LSTM where heed has one, counts 17,513,501.
TEST(Discriminator, CountsItsParameters) {
  EXPECT_EQ(parameter_count(Config{}), 17'513'501 - 2 * 4 * 500);
  Config c{.vocab_size = 12, .embedding_size = 5, .hidden_size = 4, .passages = {}};
  Discriminator model(c, 1);
  EXPECT_EQ(static_cast<double>(heed::parameter_count(model)), parameter_count(c));
}

// A sum over the inputs of a cell is as large at any width.
TEST(Discriminator, BeginsTheWiderTheNarrowerItIs) {
  EXPECT_DOUBLE_EQ(init_bound(500), 0.1);  // the paper's
  EXPECT_DOUBLE_EQ(init_bound(20), 0.5);
  Discriminator model({.vocab_size = 12, .embedding_size = 5, .hidden_size = 20, .passages = {}},
                      1);
  double largest = 0;
  for (const NamedParameter& p : parameters(model)) {
    for (const double x : p.var.value().to_vector()) largest = std::max(largest, std::fabs(x));
  }
  EXPECT_LE(largest, 0.5 + 1e-6);
  EXPECT_GT(largest, 0.49);
}

// ---- properties

const Config kSmall{.vocab_size = 20, .embedding_size = 6, .hidden_size = 5, .passages = {}};

std::vector<Passage> some_passages(int count) {
  Rng rng(3);
  std::vector<Passage> passages;
  const auto utterance = [&] {
    TokenIds ids(3 + rng.below(6));
    for (int32_t& id : ids) id = static_cast<int32_t>(kSpecialTokens + rng.below(15));
    return ids;
  };
  for (int i = 0; i < count; ++i) {
    passages.push_back({.id = std::to_string(i),
                        .dialogue_id = "",
                        .context = {utterance(), utterance()},
                        .response = utterance(),
                        .real = i % 2 == 0});
  }
  return passages;
}

// Bit by bit.
TEST(Discriminator, AScoreDoesNotDependOnTheBatch) {
  const Discriminator model(kSmall, 1);
  const std::vector<Passage> passages = some_passages(23);
  const std::vector<Verdict> together = verdicts_on(model, passages, 23),
                             few = verdicts_on(model, passages, 4);
  for (size_t i = 0; i < passages.size(); ++i) {
    const Verdict alone = verdicts_on(model, {passages[i]}, 1)[0];
    for (const Verdict& v : {together[i], few[i]}) {
      EXPECT_EQ(v.p_real, alone.p_real);
      EXPECT_EQ(v.attention, alone.attention);
      EXPECT_EQ(v.loss, alone.loss);
    }
  }
  EXPECT_NE(together[0].p_real, together[1].p_real);
  EXPECT_THROW(verdicts_on(model, passages, 0), UsageError);
  // After each batch it says how many are done.
  std::vector<int64_t> told;
  verdicts_on(model, passages, 10, [&](int64_t done, int64_t) { told.push_back(done); });
  EXPECT_EQ(told, (std::vector<int64_t>{10, 20, 23}));
}

TEST(Discriminator, VerdictsAreProbabilities) {
  const std::vector<Passage> passages = some_passages(9);
  for (const Reads reads : {Reads::kAll, Reads::kResponse}) {
    Config config = kSmall;
    config.response_only = reads == Reads::kResponse;
    const std::vector<Verdict> verdicts = verdicts_on(Discriminator(config, 1), passages, 4);
    for (size_t i = 0; i < passages.size(); ++i) {
      const Verdict& v = verdicts[i];
      const double right = passages[i].real ? v.p_real : 1 - v.p_real;
      EXPECT_NEAR(v.loss, -std::log(right), 1e-12);
      double sum = 0;
      for (const double a : v.attention) sum += a;
      EXPECT_NEAR(sum, 1, 1e-6);
      size_t tokens = passages[i].response.size() + 2;
      if (reads == Reads::kAll) {
        for (const TokenIds& u : passages[i].context) tokens += u.size() + 1;
      }
      EXPECT_EQ(v.attention.size(), tokens);
    }
  }
}

// A response alone: the context changes nothing.
TEST(Discriminator, ResponseOnlyReadsNoContext) {
  Config config = kSmall;
  config.response_only = true;
  const Discriminator model(config, 1);
  std::vector<Passage> passages = some_passages(2);
  const double before = verdicts_on(model, passages, 2)[0].p_real;
  passages[0].context = passages[1].context;
  EXPECT_EQ(verdicts_on(model, passages, 2)[0].p_real, before);
  const Discriminator both(kSmall, 1);
  passages = some_passages(2);
  const double with_context = verdicts_on(both, passages, 2)[0].p_real;
  passages[0].context = passages[1].context;
  EXPECT_NE(verdicts_on(both, passages, 2)[0].p_real, with_context);
}

TEST(Discriminator, DropoutFallsOnInputAndOutputOfTheLstm) {
  const Discriminator model(kSmall, 1);
  const std::vector<Passage> passages = some_passages(4);
  std::vector<Example> sequences;
  for (const Passage& p : passages) sequences.push_back(sequence_of(p, Reads::kAll));
  const SequenceBatch batch = pack_sequences(sequences);
  std::multiset<std::string> places;
  for (const auto& node : reachable(model(batch, DropoutMode(0.3, 1, 1)).logits.node())) {
    if (std::string(node->op) == "dropout") places.insert(node->inputs.at(0).node->op);
  }
  EXPECT_EQ(places, (std::multiset<std::string>{"concat", "gather_rows"}));
}

// ---- files

struct DiscriminatorFiles : testing::Test {
  DiscriminatorFiles() {
    settings.model = kSmall;
    settings.model.vocab_size = kSpecialTokens;
    std::filesystem::create_directory(run);
    Runs::start(run, settings, TrainData(), "{}");
  }
  void save_weights() {
    Discriminator model(settings.model, 1);
    save_parameters(run + "/model.safetensors", model);
  }
  const TempDir dir;
  const std::string run = dir.path("run");
  Settings settings = Runs::preset("smoke");
};

TEST_F(DiscriminatorFiles, ComeBack) {
  settings.model.response_only = true;
  settings.model.passages = {1, 2, 9};
  settings.negatives = Negatives::parse("length-matched");
  settings.limit = 12;
  settings.data_fingerprint = 77;
  settings.loop.seed = 5;
  Runs::start(run, settings, TrainData(), "{}");
  const Settings there = Runs::settings(run);
  EXPECT_EQ(there.negatives.name(), "length-matched");
  EXPECT_EQ(there.limit, 12u);
  EXPECT_EQ(there.data_fingerprint, 77u);
  EXPECT_EQ(there.loop.seed, 5u);
  EXPECT_EQ(there.loop.schedule.patience, 0);
  EXPECT_EQ(there.loop.schedule.stop_after, 3);
  EXPECT_EQ(there.model.passages.context, 1);
  EXPECT_EQ(there.model.passages.max_tokens, 9);
  EXPECT_TRUE(there.model.response_only);
  save_weights();
  EXPECT_EQ(Runs::load(run).model.config().hidden_size, kSmall.hidden_size);
}

// The first versions did not keep what was asked for; later ones wrote 0 where they did not know
// it.
TEST_F(DiscriminatorFiles, OfOlderVersionsAreRead) {
  nlohmann::json json = nlohmann::json::parse(dir.read("run/settings.json"));
  json["preset"] = "smoke";
  json["vocabulary"] = 90;
  dir.write("run/settings.json", json.dump());
  EXPECT_EQ(Runs::settings(run).preset, "smoke");
  EXPECT_EQ(Runs::settings(run).vocabulary, 90);
  json["vocabulary"] = 0;
  json.erase("preset");
  dir.write("run/settings.json", json.dump());
  EXPECT_FALSE(Runs::settings(run).vocabulary.has_value());
  json.erase("vocabulary");
  dir.write("run/settings.json", json.dump());
  EXPECT_FALSE(Runs::settings(run).preset.has_value());
  EXPECT_FALSE(Runs::settings(run).vocabulary.has_value());
  EXPECT_EQ(Runs::settings(run).loop.batch_size, settings.loop.batch_size);
}

TEST_F(DiscriminatorFiles, AreNotTrusted) {
  const auto fails = [&](const std::string& says) {
    const std::string error = error_of<DataError>([&] { Runs::load(run); });
    EXPECT_NE(error.find(says), std::string::npos) << error;
  };
  fails("no model yet");
  save_weights();
  const std::string config = dir.read("run/config.json");
  const auto with = [&](const std::string& key, const nlohmann::json& value) {
    nlohmann::json json = nlohmann::json::parse(config);
    json[key] = value;
    dir.write("run/config.json", json.dump());
  };
  with("hidden_size", 16'000'000);
  fails("smaller than the parameters");
  with("hidden_size", -1);
  fails("hidden_size: expected a whole number from 1 to");
  with("vocab_size", "many");
  fails("'vocab_size' has the wrong type");
  with("context", 1'000'000'000'000);
  fails("'context' is out of range");
  with("context", 3);
  fails("context: expected a whole number from 1 to 2, got 3");
  with("kind", "generator");
  fails("not a discriminator, which heed train discriminate makes");
  with("system", "respond");
  fails("not a discriminator, which heed train discriminate makes");
  dir.write("run/config.json", "[]");
  fails("not a JSON object");
  dir.write("run/config.json", config);
  dir.write("run/settings.json", "{\"negatives\": \"all\"}");
  EXPECT_EQ(error_of<DataError>([&] { Runs::settings(run); }),
            run +
                "/settings.json: negatives: expected random, length-matched, same-conversation, "
                "shuffled-words, other-corpus, real or generated:FILE, got 'all'");
}

}  // namespace
}  // namespace heed::discriminate
