// How a training steps, whatever it learns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "optim/optimizer.h"
#include "optim/schedule.h"

namespace heed {

// What a training steps with. The rate is the schedule's.
struct OptimizerSettings {
  std::string name = "sgd";  // sgd or adam
  double weight_decay = 0;
  std::vector<ParameterGroup> groups = {};
  int warm_up = 0;  // steps in which the rate grows linearly from 0
  // After them: none; or inverse-sqrt, which needs a warm-up (inverse_sqrt_decay() of
  // optim/schedule.h).
  std::string rate_decay = "none";

  // The part of the schedule's rate that a step of the training has, step = 0, 1, ...
  double rate_factor(int64_t step) const;

  // Throws UsageError for another name or numbers out of range.
  void check() const;
};
double default_rate(const std::string& optimizer);  // 1 for sgd, 0.003 for adam
std::unique_ptr<Optimizer> make_optimizer(Module& module, const OptimizerSettings& settings);

struct LoopSettings {
  int64_t batch_size = 32;
  OptimizerSettings optimizer = {};
  double max_norm = 5;  // global-norm clipping
  int max_epochs = 12;
  uint64_t seed = 1;
  HalvingSchedule::Options schedule = {};
  int keep_every =
      0;  // keep the model of every so many epochs too, as epoch-N.safetensors; 0: none
  // Pieces of a batch, a power of two: their gradients are computed one by one, by so many ranks at
  // most, and summed in a fixed order (train/step.h).
  int pieces = 1;
  int log_steps = 0;  // a line in steps.jsonl for every so many steps (train/step_log.h); 0: none

  // Throws UsageError for what no training can be made with.
  void check() const;
};

// Throws UsageError "WHAT, got NUMBER" unless ok.
void check_rule(bool ok, const char* what, double got);

}  // namespace heed
