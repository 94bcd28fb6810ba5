// The training loop: epochs of batches, clipping, a schedule, checkpoints, a log. It is the same
// for every Task, and for several of them in turn.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <vector>

#include "train/ranks.h"
#include "train/run_directory.h"
#include "train/settings.h"
#include "train/task.h"

namespace heed {

struct TrainProgress {
  int epoch = 0, max_epochs = 0;                        // counted from 1
  int64_t step = 0, steps = 0;                          // of the epoch
  double loss = 0;                                      // mean of the epoch so far
  Metrics metrics = {};                                 // of the epoch so far
  double rate = 0, tokens_per_s = 0, seconds_left = 0;  // of the epoch
};

struct TrainHooks {
  std::function<void(const TrainProgress&)> on_step;
  OnValidation on_validation;  // after each of its batches
  std::function<void(const EpochLog&, bool best)> on_epoch;
  // Called before the files of an epoch or of a checkpoint are written. It throws if another
  // process may own the run by now, and then nothing is written.
  std::function<void()> before_write;
  // Called for problems that do not stop training: a damaged checkpoint, so that the previous one
  // was used, or a diverging loss.
  std::function<void(const std::string&)> on_warning;
  // Set by a signal: finish the step, or the batch of the validation; checkpoint, return.
  const std::atomic<bool>* stop = nullptr;
  double checkpoint_seconds = 600;  // also between epochs
  Ranks* ranks = nullptr;  // that train together, each with hooks of its own; null: this process
  bool detect_anomaly = false;  // check the numbers of every op (autograd/anomaly.h); slow
};

// Trains the tasks' modules by SGD, Adam or Adagrad with global-norm clipping. The learning rate is
// halved when the deciding metric stops improving. Resumes from the run's checkpoint if there is
// one, with the same result as without the interruption. Returns false if `stop` ended it early.
//
// Several tasks take turns: `turns` has the number of steps of each in a round, {1, 5}; a task with
// 0 steps stays as it is. Each has its own optimiser, with the same settings, and cycles through
// its own examples. An epoch is one pass through the examples of the first task that makes steps.
// The first metric of the first task that validates decides. The first task's module is saved as
// model.safetensors, the others' as NAME.safetensors.
//
// Several ranks train one model, with the same numbers as a single one: each computes its pieces of
// a batch (LoopSettings::pieces) and gets the sum of all gradients. Rank 0 reads and writes the
// run, and a stop or a checkpoint of one rank is one of all.
//
// Throws Error, with epoch, step and the first parameter that is not finite, if the loss or a
// gradient is not a number, and DeviceError, with the sizes of the batch, if memory runs out: the
// step is not applied and the checkpoint stays.
// Throws UsageError for invalid settings or turns.
bool train(const std::string& run, const LoopSettings& settings, const std::vector<Task>& tasks,
           const TrainHooks& hooks = {}, const std::vector<int>& turns = {1});

}  // namespace heed
