// Dialogues of made-up words, and a loop that trains on them, for the labs that have models: 7
// and 8.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/loss.h"
#include "dialog/respond/models/lstm.h"
#include "labs/support/check.h"
#include "optim/optim.h"

namespace heed::lab {

// Drawn words, the numbers from `first` on.
inline std::vector<int32_t> words(Rng& rng, int64_t least, int64_t most, int64_t first,
                                  int64_t count) {
  std::vector<int32_t> drawn(least + static_cast<int64_t>(rng.below(most - least + 1)));
  for (int32_t& word : drawn) word = static_cast<int32_t>(first + rng.below(count));
  return drawn;
}

// Of many shapes: 3 to 6 utterances of 1 to 4 words, responses of 0 to 4 words, of the first one
// not 0. The history of the even ones holds a distraction and an original utterance; that of the
// others no distraction.
constexpr int64_t kVocabulary = 40;
inline std::vector<Example> draw_examples(Draw& draw, int64_t count) {
  const auto some = [&](int64_t least) {
    return words(draw.rng(), least, 4, kSpecialTokens, kVocabulary - kSpecialTokens);
  };
  std::vector<Example> examples(count);
  for (int64_t i = 0; i < count; ++i) {
    Example& e = examples[i];
    e.id = "example-" + std::to_string(i);  // a dialogue has several
    e.dialogue_id = "dialogue-" + std::to_string(i);
    const int64_t utterances = draw.between(3, 6);
    for (int64_t k = 0; k < utterances; ++k) e.context.push_back(some(1));
    e.distraction.assign(utterances, 0);
    if (i % 2 == 0) e.distraction[draw.between(0, utterances - 2)] = 1;
    e.response = some(i == 0);
    e.characters = {.all = draw.between(5, 30), .unknown = draw.between(0, 4)};
  }
  return examples;
}

// Each dialogue is about one of some topics: most of its words are of this topic, the others are
// common to all. What stands in one dialogue is what others are distracted by.
struct Topics {
  static constexpr int64_t kTopics = 8, kWordsOfATopic = 4, kCommon = 8;
  static constexpr int64_t kFirstOfATopic = kSpecialTokens + kCommon;
  static constexpr int64_t kVocabulary = kFirstOfATopic + kTopics * kWordsOfATopic;
  std::vector<Example> examples;
  Pool pool;

  Topics(uint64_t seed, int64_t count) {
    Rng rng(seed, "lab.topics");
    for (int64_t i = 0; i < count; ++i) {
      const auto topic = static_cast<int64_t>(rng.below(kTopics));
      Example e;
      e.id = e.dialogue_id = "dialogue-" + std::to_string(i);
      for (auto left = 3 + rng.below(3); left > 0; --left) {
        e.context.push_back(utterance(rng, topic));
        pool.push_back({e.id, e.context.back()});
      }
      e.distraction.assign(e.context.size(), 0);
      e.response = utterance(rng, topic);
      examples.push_back(e);
    }
  }

 private:
  static std::vector<int32_t> utterance(Rng& rng, int64_t topic) {
    std::vector<int32_t> drawn =
        words(rng, 2, 4, kFirstOfATopic + topic * kWordsOfATopic, kWordsOfATopic);
    for (int32_t& word : drawn) {
      if (rng.uniform() < 0.3) word = words(rng, 1, 1, kSpecialTokens, kCommon)[0];
    }
    return drawn;
  }
};

// What the labs' figures train: sizes and steps with which attention moves within seconds.
struct Small {
  static constexpr int64_t kDialogues = 300, kWidth = 24, kSteps = 600;
  static constexpr double kWeightOfTheLoss = 10;
};

inline ModelConfig small_config(std::string_view structure, int64_t vocabulary, int64_t width) {
  ModelConfig config;
  config.structure = Structure::parse(structure);
  config.vocab_size = vocabulary;
  config.embedding_size = config.hidden_size = width;
  config.num_layers = 1;
  config.dropout = 0;
  return config;
}

// Trains by Adam on distractions that are inserted with probability p, drawn anew in each step.
// `each` is told after each step.
inline void train_a_little(
    LstmResponder& model, const Topics& topics, double p, double lambda, int64_t steps,
    uint64_t seed, const std::function<void(int64_t)>& each = [](int64_t) {}) {
  constexpr int64_t kBatch = 16;
  Adam optimizer(model, {.rate = 0.01});
  Rng rng(seed, "lab.train");
  for (int64_t step = 1; step <= steps; ++step) {
    std::vector<Example> examples;
    for (int64_t i = 0; i < kBatch; ++i) {
      const Example& drawn = topics.examples[rng.below(topics.examples.size())];
      examples.push_back(insert_random(drawn, topics.pool, p, rng));
    }
    const Batch batch = make_batch(pointers(examples), model.parts());
    zero_grad(model);
    training_loss(batch, model.teach(batch), lambda).backward();
    optimizer.step({.max_norm = 5});
    each(step);
  }
}

}  // namespace heed::lab
