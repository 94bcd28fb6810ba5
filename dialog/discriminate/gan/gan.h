// Adversarial training (Li, Monroe, Shi, Jean, Ritter and Jurafsky, "Adversarial Learning for
// Neural Dialogue Generation", EMNLP 2017, section 3): a generator learns by policy gradient to
// write responses that a discriminator takes for real, and the discriminator to distinguish them
// from real ones. They take turns, starting from a generator and a discriminator that were trained
// separately.
//
//   generator      policy_task() of dialog/respond/policy.h, with the reward
//                  R(x, y) = p(real | x, y), and 0 for a response without a word
//   discriminator  mean of -ln p of the truth, over the real response to each context of a batch
//                  and one sampled by the generator
#pragma once

#include <string>
#include <vector>

#include "dialog/discriminate/task.h"
#include "dialog/respond/policy.h"

namespace heed::gan {

using discriminate::Discriminator;
using discriminate::Passage;

struct Settings {
  TrainSettings generator = {};  // its loop settings are those of both
  PolicySettings policy = {};
  int generator_steps = 1, discriminator_steps = 1;  // of a round
  int64_t measured = 500;  // validation examples that are answered after each epoch, 0: all

  void check() const;  // throws UsageError
};

// Each has a vocabulary of its own.
struct Players {
  Responder& generator;
  const Vocabulary& words;
  Discriminator& discriminator;
  const Vocabulary& words_of_discriminator;
};

// Examples in the discriminator's form: its word ids, the last utterances of the context, and of
// each utterance at most as many first tokens as its passages have.
std::vector<Passage> passages_of(const std::vector<Example>& examples, const Players& players);

// p(real) of each, 0 for an empty response.
std::vector<double> rewards_of(const std::vector<Example>& examples, const Players& players,
                               int64_t batch_size);

// Columns of the log, besides those of a generator's training and train_reward. "Told" is the share
// of real and sampled responses that are classified correctly.
constexpr const char* kTrainTold = "train_told";  // by the discriminator while it learned
constexpr const char* kTold = "valid_told";
constexpr const char* kPassed = "valid_passed";  // share of the sampled with p(real) >= 1/2
constexpr const char* kReward = "valid_reward";  // mean of the sampled
constexpr const char* kDistinct1 = "valid_distinct_1";
constexpr const char* kDistinct2 = "valid_distinct_2";
constexpr const char* kWords = "valid_words";    // mean length
constexpr const char* kDas = "valid_das_ratio";  // on random:1.0, if it is defined

// Measures the two on the first validation examples, always with the same draws.
Metrics measure_players(const Players& players, const Settings& settings, const TrainData& data,
                        const OnValidation& on_batch = {});

// The tasks for the training loop, generator first; its validation perplexity decides which epoch
// is the best, so that a collapsed generator never replaces one that has not collapsed. They refer
// to their arguments, which must outlive them.
std::vector<Task> adversary_tasks(const Players& players, const Settings& settings,
                                  const TrainData& data);

}  // namespace heed::gan
