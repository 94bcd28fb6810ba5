// How the files of a run look in JSON. Only what reads and writes them looks in here.
#pragma once

#include <nlohmann/json.hpp>

#include "dialog/respond/run.h"

namespace heed {

// What stands in the files: the fields, under their own names.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExampleOptions, all_positions, max_turns, max_utterance_tokens,
                                   max_response_tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::Options, rate, min_rate, min_improvement,
                                   patience, max_halvings, halve_after)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::State, rate, best, epoch, bad_epochs, halvings,
                                   finished)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterGroup, name, rate, weight_decay)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(OptimizerSettings, name, weight_decay, groups, warm_up)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(EpochLog, epoch, loss, train_perplexity, valid_perplexity, rate,
                                   grad_norm, steps, tokens)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(TrainState, epoch, step, loss_sum, nll_sum, norm_sum, tokens,
                                   predicted, schedule, log)

inline void to_json(nlohmann::json& json, const TrainSettings& s) {
  json = {{"examples", s.examples},
          {"insert_prob", s.insert_prob},
          {"attention_weight", s.attention_weight},
          {"batch_size", s.batch_size},
          {"optimizer", s.optimizer},
          {"max_norm", s.max_norm},
          {"max_epochs", s.max_epochs},
          {"seed", s.seed},
          {"data_fingerprint", s.data_fingerprint},
          {"schedule", s.schedule}};
}

// What is missing has its default: runs of before there was a choice of optimisers have none.
inline void from_json(const nlohmann::json& json, TrainSettings& s) {
  const auto read = [&](const char* name, auto& field) { field = json.value(name, field); };
  s = {};
  read("examples", s.examples);
  read("insert_prob", s.insert_prob);
  read("attention_weight", s.attention_weight);
  read("batch_size", s.batch_size);
  read("optimizer", s.optimizer);
  read("max_norm", s.max_norm);
  read("max_epochs", s.max_epochs);
  read("seed", s.seed);
  read("data_fingerprint", s.data_fingerprint);
  read("schedule", s.schedule);
}

}  // namespace heed
