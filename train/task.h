// What a training is made of. train/ knows no dialogue and no words: what it learns from is a Task,
// and whoever has one gets the loop, checkpoints, schedules and the log with it.
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

// Which step of a training: what is drawn at random in it is a function of this alone.
struct StepKey {
  uint64_t seed = 1;
  int epoch = 0;     // from 0
  int64_t step = 0;  // of the task, within the epoch, from 0
  int piece = 0;     // of the batch

  // Of no two steps and pieces the same, in epochs of 2^22 steps of 2^10 pieces.
  uint64_t number() const {
    return (static_cast<uint64_t>(epoch) << 32) ^ (static_cast<uint64_t>(piece) << 22) ^
           static_cast<uint64_t>(step);
  }
};

// Sums over the steps of an epoch, by name: "nll", "predicted".
using Counts = std::map<std::string, double>;

struct Loss {
  // What is not known without waiting for the device: tensors on it, of few elements, and what
  // their values, once they are there, make of counts and nll. The loop asks for them when it has
  // given the device the next step.
  struct Late {
    std::vector<Tensor> tensors = {};
    std::function<void(Loss& loss, const std::vector<double>& values)> complete = {};
  };

  Var total;  // a scalar, what is minimised: a mean over the examples (train/step.h)
  int64_t tokens = 0;
  Counts counts = {};
  double nll =
      0;  // nats a token, or what else can be compared from step to step and with Task::guess
  Late late = {};
};

// A column of the log.
struct Metric {
  std::string name;
  double value = 0;
  bool higher_is_better = false;
};
using Metrics = std::vector<Metric>;
// Of that name. Throws DataError if there is none: they may have been read from a file.
double value_of(const Metrics& metrics, const std::string& name);
bool higher_is_better(const Metrics& metrics, const std::string& name);  // throws as value_of()

// To be called after each batch of a validation, which ends there where it throws: StopValidation,
// where the training is to end.
struct StopValidation {};
using OnValidation = std::function<void(int64_t done, int64_t of)>;

struct Task {
  std::string name = "";            // begins the names of its files, if there are several tasks
  Module* module = nullptr;         // trained, saved, loaded; in its place before the loop begins
  // The cost of each example, for buckets (nn/batches.h). Tasks of as many examples of the same
  // costs see them in the same order: the n-th batch of one holds the places of that of the other.
  std::vector<int64_t> sizes = {};
  std::function<Loss(const std::vector<int64_t>& examples, const StepKey& key)> loss;
  // What the sums of an epoch, or of its beginning, say: "train_perplexity".
  std::function<Metrics(const Counts& counts)> measure = {};
  // On what the task does not learn from. The first metric decides which epoch is the best, and
  // when the rate is halved; it says which way is better.
  std::function<Metrics(const OnValidation&)> validate = {};
  // For error messages: "32 dialogues of 4012 tokens".
  std::function<std::string(const std::vector<int64_t>& examples)> describe = {};
  double guess =
      0;  // Loss::nll of a uniform guess; 0: unknown, and nobody looks for a loss that runs away
  // Where a task is to step otherwise than the settings of the training say.
  std::optional<OptimizerSettings> optimizer = {};
  // Of a task that is not the first one: a rate of its own, halved by the first metric of its own
  // validation. When this schedule ends, the task's module stays as it is and the others go on.
  std::optional<HalvingSchedule::Options> schedule = {};
  // Whether a step with these sums is made: a discriminator that is right too often waits. Where it
  // is not, its loss counts and no parameter changes. It is asked before every step, so that a GPU
  // is waited for.
  std::function<bool(const Counts& counts)> gate = {};
};

}  // namespace heed
