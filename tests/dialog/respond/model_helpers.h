// Small random dialogues and models for the tests of dialog/.
#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "dialog/respond/config.h"
#include "dialog/respond/das.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/models/lstm.h"
#include "dialog/respond/structures.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/random.h"
#include "train/task.h"

namespace heed {

constexpr int64_t kTestVocabulary = 23;

inline std::vector<int32_t> random_words(Rng& rng, int64_t least, int64_t most) {
  std::vector<int32_t> words(least + static_cast<int64_t>(rng.below(most - least + 1)));
  for (int32_t& w : words) {
    w = static_cast<int32_t>(kSpecialTokens + rng.below(kTestVocabulary - kSpecialTokens));
  }
  return words;
}

// Dialogues of many shapes: 2 to 6 utterances of 1 to 5 words, responses of 0 to 6 words; two of
// three hold a distraction somewhere in the history.
inline std::vector<Example> random_examples(int count, uint64_t seed, bool distractions = true) {
  Rng rng(seed, "test.examples");
  std::vector<Example> examples(count);
  for (int i = 0; i < count; ++i) {
    Example& e = examples[i];
    e.id = e.dialogue_id = "d" + std::to_string(i);
    const int64_t utterances = 2 + static_cast<int64_t>(rng.below(5));
    for (int64_t k = 0; k < utterances; ++k) e.context.push_back(random_words(rng, 1, 5));
    e.distraction.assign(utterances, 0);
    if (distractions && i % 3 != 2) e.distraction[rng.below(utterances - 1)] = 1;
    e.response = random_words(rng, 0, 6);
  }
  return examples;
}

// Each dialogue's weights on its memory in a step, from what a model put out.
inline std::vector<double> weights_at(const Taught& out, const Batch& batch, int64_t b, int64_t t) {
  const std::vector<double> all = out.attention.weights().value().to_vector();
  const auto first = all.begin() + out.attention.at(b, t);
  return {first, first + batch.memory.segments.length(b)};
}

inline ModelConfig small_config(const Structure& structure) {
  return {.structure = structure,
          .vocab_size = kTestVocabulary,
          .embedding_size = 5,
          .hidden_size = 6,
          .num_layers = 2,
          .dropout = 0.3};
}

// A blank model whose decoder works step by step.
inline std::unique_ptr<StepwiseResponder> stepwise(const ModelConfig& config) {
  return std::unique_ptr<StepwiseResponder>(
      &dynamic_cast<StepwiseResponder&>(*make_responder(config).release()));
}

// A small model in f64, with weights wide enough for attention that is far from even.
inline std::unique_ptr<Responder> drawn_model(const std::string& structure) {
  auto model = make_responder(small_config(Structure::parse(structure)), 7);
  init_again_uniform(*model, -1, 1, 7);
  convert(*model, DType::f64);
  return model;
}

// With weights wide enough for attention that is far from even.
inline LstmResponder small_model(const Structure& structure, DType dtype, uint64_t seed = 7) {
  LstmResponder model(small_config(structure), seed);
  init_again_uniform(model, -1, 1, seed);
  convert(model, dtype);
  return model;
}

inline void save_model(const std::string& directory, Responder& model,
                       const Vocabulary& vocabulary) {
  make_directory(directory);
  save_description(directory, model.config(), vocabulary);
  save_parameters(directory + "/model.safetensors", model);
}

// A task's loss with what it was late with.
inline Loss complete(Loss loss) {
  std::vector<double> values;
  for (const Tensor& x : loss.late.tensors) {
    for (const double value : x.to_vector()) values.push_back(value);
  }
  if (loss.late.complete) loss.late.complete(loss, values);
  return loss;
}

inline Var parameter(const Responder& model, const std::string& name) {
  for (const NamedParameter& p : parameters(model)) {
    if (p.name == name) return p.var;
  }
  throw InternalError("no " + name);
}

// The model says `token` wherever it would say the first word: with so many times its logit.
inline void favour(const Responder& model, int32_t token, double times = 2) {
  const Var weight = parameter(model, "decoder.output.weight");
  const int64_t width = weight.shape()[1];
  std::vector<double> rows = weight.value().to_vector();
  for (int64_t j = 0; j < width; ++j) {
    rows[token * width + j] = times * rows[kSpecialTokens * width + j];
  }
  weight.set_value(Tensor::from(rows, weight.shape()).to(weight.dtype()));
}

// -log p of the words of one dialogue, with what a training step of this number draws (0: none).
inline std::vector<double> nll_of(const Responder& model, const Example& example,
                                  uint64_t step = 0) {
  const Batch batch = make_batch({&example}, model.parts());
  const DropoutMode mode = step ? DropoutMode(0, 1, step) : DropoutMode();
  return model.teach(batch, mode).nll.to_vector();
}

}  // namespace heed
