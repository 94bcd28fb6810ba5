// Adversarial training (Li, Monroe, Shi, Jean, Ritter and Jurafsky, "Adversarial Learning for
// Neural Dialogue Generation", EMNLP 2017, section 3): a generator learns by policy gradient to
// write responses that a discriminator takes for said, the discriminator to tell them from those
// that were. They take turns, and go on from a generator and a discriminator that were trained
// alone.
//
//   generator      policy_task() of dialog/respond/policy.h, with the reward
//                  R(x, y) = p(real | x, y), and 0 for a response without a word
//   discriminator  mean of -ln p of what is true, over the real response to each context of a batch
//                  and one that the generator draws
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/task.h"
#include "dialog/respond/policy.h"

namespace heed::gan {

using discriminate::Discriminator;
using discriminate::Passage;

struct Settings {
  TrainSettings generator = {};  // its loop is that of both
  PolicySettings policy = {};
  int generator_steps = 1, discriminator_steps = 1;  // of a round
  int64_t measured = 500;  // validation examples that are responded to after each epoch, 0: all

  void check() const;  // throws UsageError
};

// Each has words of its own.
struct Players {
  Responder& generator;
  const Vocabulary& words;
  Discriminator& discriminator;
  const Vocabulary& words_of_discriminator;
};

// Examples as the discriminator reads them: its words, the last utterances of the context, of each
// utterance as many of the first tokens as its passages have. Shorter ones stay as they are.
std::vector<Passage> passages_of(const std::vector<Example>& examples, const Players& players);

// p(real) of each, 0 for an empty response.
std::vector<double> rewards_of(const std::vector<Example>& examples, const Players& players,
                               int64_t batch_size);

// Columns of the log, besides those of a generator's training and train_reward. What is told right
// is a share of real and drawn responses alike.
constexpr const char* kTrainTold = "train_told";  // by the discriminator while it learned
constexpr const char* kTold = "valid_told";
constexpr const char* kPassed = "valid_passed";  // share of the drawn with p(real) >= 1/2
constexpr const char* kReward = "valid_reward";  // mean of them
constexpr const char* kDistinct1 = "valid_distinct_1";
constexpr const char* kDistinct2 = "valid_distinct_2";
constexpr const char* kWords = "valid_words";    // mean length
constexpr const char* kDas = "valid_das_ratio";  // on random:1.0, where it is defined

// What the two have become, on the first validation examples: always the same draws.
Metrics measure_players(const Players& players, const Settings& settings, const TrainData& data,
                        const OnValidation& on_batch = {});

// The tasks of the training loop, generator first; its validation perplexity decides which epoch is
// the best, so that a generator that has collapsed never takes the place of one that has not.
// Refer to what they are given, which must outlive them.
std::vector<Task> adversary_tasks(const Players& players, const Settings& settings,
                                  const TrainData& data);

}  // namespace heed::gan
