// Policy gradient for response models, for any reward: REINFORCE (Williams 1992), as used by Li et
// al. to train a generator ("Adversarial Learning for Neural Dialogue Generation", EMNLP 2017,
// section 3). For B responses y_b sampled by the model and their rewards R_b:
//
//   d/dtheta E[R] = E[(R - baseline) d/dtheta log p(y)]      for any baseline independent of y
//   loss = (1/B) sum_b (R_b - baseline_b) (-log p(y_b)),     baseline_b = mean of the other R_j
//
// The baseline reduces the variance without changing the mean. It has no state, so that training
// resumes to the same bits.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dialog/respond/task.h"

namespace heed {

// Examples whose responses are replaced by ones sampled by the model.
struct DrawnResponses {
  std::vector<Example> examples;
  std::vector<char> finished;  // ended by <eos>; the others were truncated at the maximum length

  size_t size() const { return examples.size(); }
};
// Each token is sampled from the model's own distribution over all tokens. <pad>, <sos> and <eou>
// may occur, since the gradient is that of this distribution's log-probability. Random numbers are
// keyed by (seed, id of the example). Throws UsageError for max_length below 1.
DrawnResponses draw_responses(Responder& model, const std::vector<Example>& examples,
                              int64_t max_length, uint64_t seed);

// A seed for draw_responses(), different for each purpose and number.
uint64_t draw_seed(uint64_t seed, const char* purpose, uint64_t number);

// R_b - the mean of the other rewards; for a single one R_b.
std::vector<double> advantages(const std::vector<double>& rewards);

// (1/B) sum_b weights_b sum_t -log p(y_bt), a scalar: with advantages as weights the loss above.
// The <eos> of a truncated response was not sampled and does not count. Throws UsageError unless
// there are responses, with a weight for each.
Var weighted_nll(Responder& model, const DrawnResponses& drawn, const std::vector<double>& weights,
                 const DropoutMode& drop = {});

// The rewards of examples whose responses were sampled for their contexts.
using Reward = std::function<std::vector<double>(const std::vector<Example>& drawn)>;

struct PolicySettings {
  int64_t max_length = 25;  // of a sampled response, in tokens
  // The weight of the loss of the human responses to the same contexts, which is added to the
  // policy's: without it the model loses the language (Li et al.: "teacher forcing").
  double teacher_forcing = 1;

  void check() const;  // throws UsageError
};

constexpr const char* kTrainReward = "train_reward";  // mean over an epoch's sampled responses

// The task of the training loop: for a batch of contexts
//   loss = weighted_nll(drawn, advantages(reward(drawn))) + teacher_forcing x training loss
// Responses are sampled with other random numbers in every step, and without dropout, like their
// probability. It refers to the three, as respond_task() does, and has its validation and loss.
Task policy_task(Responder& model, const TrainSettings& settings, const TrainData& data,
                 const PolicySettings& policy, Reward reward);

}  // namespace heed
