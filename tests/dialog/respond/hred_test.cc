// What the structures of hred.h have and others have not. That they agree with PyTorch is
// verify_test's, what every model promises responder_test's.
#include "dialog/respond/models/hred.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "autograd/ops.h"
#include "base/file.h"
#include "dialog/respond/config.h"
#include "dialog/respond/structures.h"
#include "optim/optim.h"
#include "tensor/random_tensor.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

ModelConfig config_of(const char* structure, Noise noise = Noise::kNone) {
  ModelConfig config = small_config(Structure::parse(structure));
  config.noise = noise;
  return config;
}

std::unique_ptr<Responder> model_of(const ModelConfig& config, uint64_t seed = 3) {
  auto model = make_responder(config, seed);
  convert(*model, DType::f64);
  return model;
}

Example some_example() {
  return {"d", "d", {{6, 7}, {8, 9, 10}, {11}}, {0, 0, 0}, {12, 13, 14}};
}

// Adds W_z z to the bias of the decoder's first layer: the columns of z stand behind those of the
// word (5) and of g (6).
void add_to_bias(Responder& model, const std::vector<double>& z) {
  Var bias = parameter(model, "decoder.gru.bias_ih_l0");
  const Var w = parameter(model, "decoder.gru.weight_ih_l0");
  const int64_t width = w.shape()[1];
  const std::vector<double> weights = w.value().to_vector();
  std::vector<double> sums = bias.value().to_vector();
  for (size_t i = 0; i < sums.size(); ++i) {
    for (size_t j = 0; j < z.size(); ++j) sums[i] += weights[i * width + 11 + j] * z[j];
  }
  bias.set_value(Tensor::from(sums, bias.shape()).to(DType::f64));
}

// -log p of the words of one dialogue with noise z: a row for each of them, or one for all.
CrossEntropy loss_with(const HredResponder& model, const Example& example, const Tensor& z) {
  const Batch batch = make_batch({&example}, model.parts());
  const auto encoded = model.encode(batch);
  StepwiseResponder::State state = encoded.state;
  Var words = model.token_part(batch.response.inputs);
  if (z.shape()[0] == 1) {
    state.rows[0] = state.rows[0] + model.noise_part(z);
  } else {
    words = words + model.noise_part(z);
  }
  std::vector<Var> hidden;
  for (int64_t t = 0; t < words.shape()[0]; ++t) {
    const auto step = model.step(encoded, encoded.segments, rows(words, t, t + 1), state);
    hidden.push_back(model.hidden(step.made));
    state = step.state;
  }
  return model.output().loss(concat(hidden, 0), batch.response.targets, batch.response.weights);
}

TEST(Hred, NoiseOfAResponseIsTheSameInAllItsWords) {
  for (const char* structure : {"hred-gru", "hred-attention-current", "hred-attention"}) {
    const auto model = model_of(config_of(structure, Noise::kUtterance));
    const std::vector<double> drawn = nll_of(*model, some_example(), 7);
    const RandomKey key = DropoutMode(0, 1, 7).key("noise");
    add_to_bias(*model, normal({1, 5}, 0, 1, key, DType::f64).to_vector());
    const std::vector<double> shifted = nll_of(*model, some_example());
    ASSERT_EQ(drawn.size(), 4u);
    for (size_t t = 0; t < drawn.size(); ++t) EXPECT_NEAR(drawn[t], shifted[t], 1e-12) << structure;
  }
}

TEST(Hred, NoiseOfWordsIsDrawnForEach) {
  const auto model = model_of(config_of("hred-attention", Noise::kWord));
  const Example example = some_example();
  const std::vector<double> plain = nll_of(*model, example), drawn = nll_of(*model, example, 7);
  EXPECT_EQ(drawn, nll_of(*model, example, 7));
  EXPECT_NE(drawn, nll_of(*model, example, 8));
  std::vector<double> z;
  for (int64_t t = 0; t < 4; ++t) {
    const RandomKey key = DropoutMode(0, 1, 7).at(t).key("noise");
    const std::vector<double> of_word = normal({1, 5}, 0, 1, key, DType::f64).to_vector();
    z.insert(z.end(), of_word.begin(), of_word.end());
  }
  const auto& hred = dynamic_cast<const HredResponder&>(*model);
  const std::vector<double> given =
      loss_with(hred, example, Tensor::from(z, {4, 5})).nll.to_vector();
  for (size_t t = 0; t < 4; ++t) {
    EXPECT_NEAR(drawn[t], given[t], 1e-12) << t;
    EXPECT_GT(std::abs(drawn[t] - plain[t]), 1e-6) << t;
  }
}

TEST(Hred, NoiseIsThatOfPyTorch) {
  const std::string folder = std::string(source_dir()) + "/tests/reference/hred-attention-noise";
  const LoadedModel loaded = load_model(folder);
  auto& model = dynamic_cast<HredResponder&>(*loaded.model);
  convert(model, DType::f64);
  const auto examples =
      make_examples(read_dialogues(folder + "/dialogs.jsonl"), loaded.vocabulary, {.max_turns = 0});
  const auto expected = nlohmann::json::parse(read_file(folder + "/noise.json", 1 << 20));
  for (const std::string kind : {"word", "utterance"}) {
    zero_grad(model);
    ASSERT_EQ(expected[kind]["nll"].size(), examples.size());
    for (size_t i = 0; i < examples.size(); ++i) {
      const int64_t n = kind == "word" ? std::ssize(examples[i].response) + 1 : 1;
      std::vector<double> z;
      for (int64_t t = 0; t < n; ++t) {
        for (int64_t e = 0; e < 12; ++e) z.push_back(std::sin(3 * t + 2 * e + 5 * i));
      }
      const CrossEntropy loss = loss_with(model, examples[i], Tensor::from(z, {n, 12}));
      loss.total.backward();
      const std::vector<double> nll = expected[kind]["nll"][i], found = loss.nll.to_vector();
      ASSERT_EQ(found.size(), nll.size());
      for (size_t t = 0; t < nll.size(); ++t) EXPECT_NEAR(found[t], nll[t], 1e-12) << kind << t;
    }
    for (const NamedParameter& p : parameters(model)) {
      EXPECT_NEAR(grad_norm({p}), expected[kind]["grad_norm"][p.name].get<double>(), 1e-10)
          << kind << p.name;
    }
  }
}

// Without cRNN's input the attention alone sees the context: of hred-attention-current the current
// utterance, of hred-attention all of them.
TEST(Hred, TheCurrentUtteranceIsTheLastOne) {
  for (const bool all : {false, true}) {
    const auto model = model_of(config_of(all ? "hred-attention" : "hred-attention-current"));
    Var w = parameter(*model, "context.gru.weight_ih_l0");
    w.set_value(Tensor::zeros(w.shape(), DType::f64));
    const Example example = some_example();
    Example other_history = example, other_query = example;
    other_history.context[0] = {15, 16, 17};
    other_query.context[2] = {15};
    const std::vector<double> nll = nll_of(*model, example);
    EXPECT_EQ(nll_of(*model, other_history) != nll, all);
    EXPECT_NE(nll_of(*model, other_query), nll);
  }
}

TEST(Hred, WhatIsNotOfAStructureIsRefused) {
  ModelConfig config = config_of("dynamic");
  config.noise = Noise::kWord;
  EXPECT_EQ(error_of<UsageError>([&] { make_responder(config); }),
            "noise: is for the structures hred-gru, hred-attention-current and hred-attention, not "
            "dynamic");
  EXPECT_EQ(error_of<UsageError>([] { parse_noise("words"); }),
            "noise: expected one of none, utterance, word, got 'words'");
  config = config_of("hred-attention");
  config.attention = AttentionScore::kDot;
  EXPECT_EQ(error_of<UsageError>([&] { make_responder(config); }),
            "attention: is for structures that attend with one score, as static-ui or hred, not "
            "hred-attention");
}

// The answer is the last word of the first of three utterances.
std::vector<Example> repeat_the_first_utterance(int count, uint64_t seed) {
  std::vector<Example> examples;
  Rng rng(seed, "toy");
  const auto word = [&] { return static_cast<int32_t>(kSpecialTokens + rng.below(8)); };
  for (int i = 0; i < count; ++i) {
    const std::string id = std::to_string(i);
    examples.push_back({id, id, {{word()}, {word(), word()}, {word()}}, {0, 0, 0}, {}});
    examples.back().response = examples.back().context[0];
  }
  return examples;
}

double nll_after_training(const std::string& structure, const std::vector<Example>& train,
                          const std::vector<Example>& test) {
  ModelConfig config = config_of(structure.c_str());
  config.num_layers = 1;
  config.embedding_size = config.hidden_size = 32;
  const auto model = make_responder(config, 1);
  Adam optimizer(*model, {.rate = 0.003});
  for (int step = 0; step < 600; ++step) {
    ExamplePointers examples;
    for (int i = 0; i < 16; ++i) examples.push_back(&train[(step * 16 + i) % train.size()]);
    const Batch batch = make_batch(examples, model->parts());
    zero_grad(*model);
    training_loss(batch, model->teach(batch), 0).backward();
    optimizer.step();
  }
  double nll = 0;
  for (const Example& example : test) nll += nll_of(*model, example)[0];
  return nll / static_cast<double>(test.size());
}

// HRED learns to look back; who has the last utterance alone has nothing to go by: ln 8 = 2.08.
TEST(Hred, LearnsToRepeatTheFirstUtterance) {
  const std::vector<Example> train = repeat_the_first_utterance(9600, 1),
                             test = repeat_the_first_utterance(50, 2);
  EXPECT_LT(nll_after_training("hred-gru", train, test), 0.1);
  EXPECT_LT(nll_after_training("hred-attention", train, test), 0.1);
  std::vector<Example> blind = train, blind_test = test;
  for (std::vector<Example>* part : {&blind, &blind_test}) {
    for (Example& e : *part) e.context = {e.context.back()}, e.distraction = {0};
  }
  EXPECT_GT(nll_after_training("hred-attention", blind, blind_test), 1.9);
}

// Noise, dropout and all: what is drawn goes by the step, not by what ran before.
TEST_F(TrainerTest, HredStoppedAndResumed) {
  for (const Noise noise : {Noise::kUtterance, Noise::kWord}) {
    settings = small_settings("hred-attention");
    settings.model.noise = noise;
    const std::string whole = "whole-" + name_of(noise), parts = "parts-" + name_of(noise);
    EXPECT_TRUE(run(whole));
    StopAfter stop(3);
    EXPECT_FALSE(run(parts, stop.hooks));
    EXPECT_TRUE(run(parts));
    EXPECT_EQ(result(parts), result(whole)) << name_of(noise);
  }
}

}  // namespace
}  // namespace heed
