// Policy gradient for response models, whatever rewards them: REINFORCE (Williams 1992) as Li et
// al. train a generator with it ("Adversarial Learning for Neural Dialogue Generation", EMNLP 2017,
// section 3). For B responses y_b that the model drew itself and their rewards R_b:
//
//   d/dtheta E[R] = E[(R - baseline) d/dtheta log p(y)]      for any baseline that y has no part in
//   loss = (1/B) sum_b (R_b - baseline_b) (-log p(y_b)),     baseline_b = mean of the other R_j
//
// The baseline takes from the variance and nothing from the mean, and keeps no state, so that a
// training goes on to the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dialog/respond/task.h"

namespace heed {

// Examples with responses that the model drew in the place of theirs.
struct DrawnResponses {
  std::vector<Example> examples;
  std::vector<char> finished;  // ended by <eos>; the others were cut off at the longest length

  size_t size() const { return examples.size(); }
};
// Each token is drawn from the model's own distribution over all tokens: <pad>, <sos> and <eou>
// may come, or the drawn responses would not be those whose probability the gradient is of. Random
// numbers are keyed by (seed, id of the example). Throws UsageError for max_length below 1.
DrawnResponses draw_responses(Responder& model, const std::vector<Example>& examples,
                              int64_t max_length, uint64_t seed);

// A seed for it: another one for each purpose and number.
uint64_t draw_seed(uint64_t seed, const char* purpose, uint64_t number);

// R_b - the mean of the other rewards; of a single one R_b.
std::vector<double> advantages(const std::vector<double>& rewards);

// (1/B) sum_b weights_b sum_t -log p(y_bt), a scalar: with advantages as weights the loss above.
// The <eos> of a response that was cut off was not drawn, and does not count. Throws UsageError
// unless there is a weight for each response, and a response.
Var weighted_nll(Responder& model, const DrawnResponses& drawn, const std::vector<double>& weights,
                 const DropoutMode& drop = {});

// What a response is worth: of each example, with the response that was drawn to its context.
using Reward = std::function<std::vector<double>(const std::vector<Example>& drawn)>;

struct PolicySettings {
  int64_t max_length = 25;  // of a drawn response, in tokens
  // Weight of the loss of the human responses to the same contexts, added to the policy's: without
  // it nothing holds the model to the language (Li et al.: "teacher forcing").
  double teacher_forcing = 1;

  void check() const;  // throws UsageError
};

constexpr const char* kTrainReward = "train_reward";  // mean over the drawn responses of an epoch

// The task of the training loop: for a batch of contexts
//   loss = weighted_nll(drawn, advantages(reward(drawn))) + teacher_forcing x training loss
// Drawn with other random numbers in every step, and without dropout, as their probability is.
// Refers to the three, as respond_task() does, whose validation and training loss it has.
Task policy_task(Responder& model, const TrainSettings& settings, const TrainData& data,
                 const PolicySettings& policy, Reward reward);

}  // namespace heed
