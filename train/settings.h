// Settings of training, whatever is learnt.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "optim/optimizer.h"
#include "optim/schedule.h"
#include "train/pieces.h"
#include "train/setting.h"

namespace heed {

// The optimiser of a training run. The rate is the schedule's.
struct OptimizerSettings {
  std::string name = "sgd";  // one of optimizer_names()
  double weight_decay = 0;
  std::vector<ParameterGroup> groups = {};
  int warm_up = 0;  // steps in which the rate grows linearly from 0
  // The decay after the warm-up: none, or inverse-sqrt, which needs a warm-up (inverse_sqrt_decay()
  // of optim/schedule.h).
  std::string rate_decay = "none";

  // The factor of the schedule's rate in a step, step = 0, 1, ...
  double rate_factor(int64_t step) const;

  // Throws UsageError for an unknown name or numbers out of range.
  void check() const;
};
std::vector<std::string> optimizer_names();
double default_rate(const std::string& optimizer);  // 1 for sgd, 0.003 for adam, 0.1 for adagrad
std::unique_ptr<Optimizer> make_optimizer(Module& module, const OptimizerSettings& settings);

struct LoopSettings {
  int64_t batch_size = 32;
  OptimizerSettings optimizer = {};
  double max_norm = 5;  // global-norm clipping
  int max_epochs = 12;
  uint64_t seed = 1;
  HalvingSchedule::Options schedule = {};
  // The model of every keep_every-th epoch is kept, too, as epoch-N.safetensors; 0: none.
  int keep_every = 0;
  // Pieces of a batch, a power of two: their gradients are computed one by one, by at most so many
  // ranks, and summed in a fixed order (train/step.h).
  int pieces = 1;
  int log_steps = 0;  // a line of steps.jsonl for every log_steps-th step; 0: none

  // Throws UsageError for invalid settings.
  void check() const;
};

constexpr const char *kSizes = "Sizes (instead of the preset's)", *kOptimiser = "Optimiser";
constexpr int64_t kMaxBatch = 1'000'000;
constexpr int64_t kMaxModelSize = 1 << 24;  // the maximum of every size of a model

// Settings that several systems share: the sizes of a recurrent model and of its vocabulary;
template <class S, class V> void visit_sizes(S& s, V& v) {
  v({.key = "vocab_size", .least = 1, .most = kMaxModelSize, .required = true}, s.vocab_size);
  const auto size = [&](const char* option, const char* key, auto& value, const char* help) {
    v(setting(option, key, help,
              {.group = kSizes, .least = 1, .most = kMaxModelSize, .required = true}),
      value);
  };
  size("embed", "embedding_size", s.embedding_size,
       "Embedding size; that of --hidden if only that is given");
  size("hidden", "hidden_size", s.hidden_size, "Hidden size");
}
// dropout;
template <class V> void visit_dropout(auto& dropout, V& v) {
  v(setting("dropout", "dropout", "Dropout probability",
            {.group = kSizes, .least = 0, .most = 1, .below = true, .required = true}),
    dropout);
}
// and how many dialogues are read.
template <class V> void visit_limit(auto& limit, V& v) {
  v(setting("limit", "limit", "Read only the first N dialogues (of each part); 0: all",
            {.group = "Dialogues", .usual = "0", .of_data = true}),
    limit);
}

template <class S, class V> void visit_settings(S& s, V& v) {
  auto& optimizer = s.optimizer;
  auto& schedule = s.schedule;
  v(setting("batch", "batch_size", "Dialogues in a batch",
            {.group = kSizes, .least = 1, .most = kMaxBatch}),
    s.batch_size);
  v(setting("epochs", "max_epochs", "Maximum number of epochs",
            {.group = kSizes, .least = 1, .most = 1'000'000, .may_change = true}),
    s.max_epochs);
  v(setting("optimizer", "optimizer/name", "Optimiser (instead of the preset's)",
            {.group = kOptimiser, .words = optimizer_names()}),
    optimizer.name);
  v(setting("rate", "schedule/rate", "Learning rate (instead of the preset's)",
            {.group = kOptimiser, .least = 0, .above = true, .may_change = true}),
    schedule.rate);
  v(setting("warm-up", "optimizer/warm_up",
            "Number of first steps in which the rate grows to its full value",
            {.group = kOptimiser, .least = 0, .most = 1'000'000'000}),
    optimizer.warm_up);
  v(setting("rate-decay", "optimizer/rate_decay",
            "How the rate changes after the warm-up. none: not at all; inverse-sqrt: it falls as 1 "
            "/ sqrt(step) (instead of the preset's)",
            {.group = kOptimiser, .words = {"none", "inverse-sqrt"}, .later = true}),
    optimizer.rate_decay);
  v(setting("weight-decay", "optimizer/weight_decay",
            "Weight decay: each step subtracts rate * X * parameter (instead of the preset's)",
            {.group = kOptimiser, .least = 0}),
    optimizer.weight_decay);
  v(setting(
        "group", "optimizer/groups",
        "NAME:RATE:DECAY: factors of the rate and of the weight decay for the parameters whose "
        "name contains NAME (as whole parts) (instead of the preset's); may be given several times",
        {.group = kOptimiser}),
    optimizer.groups);
  v(setting("max-norm", "max_norm",
            "Clip the gradient to this global norm (instead of the preset's)",
            {.group = kOptimiser, .least = 0, .above = true, .may_change = true}),
    s.max_norm);
  v(setting("patience", "schedule/patience",
            "Halve the rate after N epochs in a row without a better validation result; 0: never "
            "(instead of the preset's)",
            {.group = kOptimiser}),
    schedule.patience);
  if constexpr (!std::is_const_v<S>) {  // what older versions wrote for never
    if (schedule.patience == 1'000'000) schedule.patience = 0;
  }
  v(setting("min-rate", "schedule/min_rate",
            "Stop when the rate would fall below this value (default: a 1000th of --rate, or the "
            "preset's)",
            {.group = kOptimiser}),
    schedule.min_rate);
  v(setting("halve-after", "schedule/halve_after",
            "Also halve the rate after each epoch from the N-th on; 0: never",
            {.group = kOptimiser}),
    schedule.halve_after);
  v(setting(
        "stop-after", "schedule/stop_after",
        "Stop after N epochs in a row without a new best model; 0: never (instead of the preset's)",
        {.group = kOptimiser, .least = 0, .most = 1'000'000, .later = true}),
    schedule.stop_after);
  v({.key = "schedule/min_improvement"}, schedule.min_improvement);
  v({.key = "schedule/max_halvings"}, schedule.max_halvings);
  v(setting("keep-every", "keep_every",
            "Also keep the model of every N-th epoch, as epoch-N.safetensors; 0: none (instead of "
            "the preset's)",
            {.group = kOptimiser, .least = 0, .most = 1'000'000, .later = true}),
    s.keep_every);
  v({.option = "pieces", .key = "pieces", .least = 1, .most = kMostPieces, .later = true},
    s.pieces);
  v({.option = "log-steps", .key = "log_steps", .least = 0, .later = true}, s.log_steps);
  v({.option = "seed", .key = "seed"}, s.seed);
}

}  // namespace heed
