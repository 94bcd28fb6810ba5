// What is trained. train/ knows neither dialogues nor words: it trains a Task, and every Task gets
// the loop, checkpoints, schedules and the log.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "nn/module.h"
#include "train/settings.h"

namespace heed {

// Identifies a step of training. All random numbers of the step are functions of this key alone.
struct StepKey {
  uint64_t seed = 1;
  int epoch = 0;     // from 0
  int64_t step = 0;  // of the task, within the epoch, from 0
  int piece = 0;     // of the batch

  // Unique for every step and piece, in epochs of up to 2^22 steps of up to 2^10 pieces.
  uint64_t number() const {
    return (static_cast<uint64_t>(epoch) << 32) ^ (static_cast<uint64_t>(piece) << 22) ^
           static_cast<uint64_t>(step);
  }
};

// Sums over the steps of an epoch, by name: "nll", "predicted".
using Counts = std::map<std::string, double>;

struct Loss {
  // Values that are not known without waiting for the device: small tensors on it, and a function
  // that completes counts and nll from their values. The loop reads them after it has queued the
  // next step.
  struct Late {
    std::vector<Tensor> tensors = {};
    std::function<void(Loss& loss, const std::vector<double>& values)> complete = {};
  };

  Var total;  // a scalar, which is minimised: a mean over the examples, by their weights (Task)
  int64_t tokens = 0;
  Counts counts = {};
  // Nats per token, or another number that can be compared between steps and with Task::guess.
  double nll = 0;
  Late late = {};
};

// A column of the log.
struct Metric {
  std::string name;
  double value = 0;
  bool higher_is_better = false;
};
using Metrics = std::vector<Metric>;
// The metric of that name. Throws DataError if there is none: they may have been read from a file.
double value_of(const Metrics& metrics, const std::string& name);
bool higher_is_better(const Metrics& metrics, const std::string& name);  // throws as value_of()

// A validation calls OnValidation after each batch. It throws StopValidation if training is to end,
// which ends the validation too.
struct StopValidation {};
using OnValidation = std::function<void(int64_t done, int64_t of)>;

struct EpochLog;  // train/run_directory.h

struct Task {
  std::string name = "";     // the prefix of its files' names, if there are several tasks
  Module* module = nullptr;  // trained, saved, loaded; on its device before the loop begins
  // The cost of each example, for buckets (nn/batches.h). Tasks with the same costs see their
  // examples in the same order: the n-th batches of both hold the same indices.
  std::vector<int64_t> sizes = {};
  // What each example counts in the loss, if that is a mean over parts of them: its turns, its
  // questions. So the loss of a batch is the same in any number of pieces. Empty: 1 each.
  std::vector<int64_t> weights = {};
  std::function<Loss(const std::vector<int64_t>& examples, const StepKey& key)> loss;
  // The metrics from the sums of an epoch, or of its beginning: "train_perplexity".
  std::function<Metrics(const Counts& counts)> measure = {};
  // The metrics on data that the task does not learn from. The first one decides which epoch is the
  // best and when the rate is halved; it says which direction is better.
  std::function<Metrics(const OnValidation&)> validate = {};
  // For error messages: "32 dialogues of 4012 tokens".
  std::function<std::string(const std::vector<int64_t>& examples)> describe = {};
  // Loss::nll of a uniform guess. 0: unknown, and a diverging loss is not detected.
  double guess = 0;
  // An optimiser for this task that differs from the one in the training settings.
  std::optional<OptimizerSettings> optimizer = {};
  // For a task other than the first one: a rate of its own, halved by the first metric of its own
  // validation. When this schedule ends, the task's module stays as it is and the others continue.
  std::optional<HalvingSchedule::Options> schedule = {};
  // A factor of the schedule's rate in the next epoch, from the log of all epochs so far. Empty: 1.
  std::function<double(const std::vector<EpochLog>& log)> rate_factor = {};
  // Whether a step is made, given these sums: a discriminator that is right too often waits. If
  // not, the loss still counts, but no parameter changes. It is called before every step, so it
  // waits for a GPU.
  std::function<bool(const Counts& counts)> gate = {};
};

}  // namespace heed
