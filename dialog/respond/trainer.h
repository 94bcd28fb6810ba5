#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/run.h"

namespace heed {

// What a training reads: the numbers of the words, not their text.
struct TrainData {
  Vocabulary vocabulary;
  std::vector<Example> train, valid;
  Pool pool;             // random distractions are drawn from here
  int64_t left_out = 0;  // dialogues without two utterances of context

  uint32_t fingerprint() const;
};
// Reads train and valid of a data directory; makes the vocabulary of the training dialogues, with
// `vocab_size` words at most, unless one is given. `limit` dialogues of each part (0: all).
TrainData load_train_data(const std::string& directory, int64_t vocab_size,
                          const ExampleOptions& options, size_t limit = 0,
                          const Vocabulary* vocabulary = nullptr);

// Throws UsageError or DataError for what no training can be made of: to be asked before a run is
// begun.
void check_training(const TrainSettings& settings, const TrainData& data);

struct TrainProgress {
  int epoch = 0, max_epochs = 0;                        // counted from 1
  int64_t step = 0, steps = 0;                          // of the epoch
  double loss = 0, perplexity = 0;                      // of the epoch so far
  double rate = 0, tokens_per_s = 0, seconds_left = 0;  // of the epoch
};

struct TrainHooks {
  std::function<void(const TrainProgress&)> on_step;
  std::function<void(int64_t done, size_t examples)> on_validation;  // after each of its batches
  std::function<void(const EpochLog&, bool best)> on_epoch;
  // What somebody should look at though the training goes on: a damaged checkpoint for which the
  // one before was taken, a loss that runs away.
  std::function<void(const std::string&)> on_warning;
  // Set by a signal: finish the step, or the batch of the validation; checkpoint, return.
  const std::atomic<bool>* stop = nullptr;
  double checkpoint_seconds = 600;  // also between epochs
  bool detect_anomaly = false;      // look at the numbers of every op (autograd/anomaly.h); slow
};

// Trains the model of a run (Xing & Gulla 2022, section 4.2): SGD or Adam with global-norm
// clipping; the learning rate is halved when validation perplexity stops dropping. In every epoch
// distractions are inserted anew. Goes on from the run's checkpoint where there is one, with the
// same result as if it had never stopped. Returns false if `stop` ended it early.
//
// Throws Error, with epoch, step and the first parameter that is not finite, if the loss or a
// gradient is not a number, and DeviceError, with the sizes of the batch, if memory runs out: the
// step is not applied and the checkpoint stays.
bool train(const std::string& run, const TrainSettings& settings, const TrainData& data,
           Device device, const TrainHooks& hooks = {});

}  // namespace heed
