// How the settings of a response model's training look in JSON.
#pragma once

#include "dialog/respond/run.h"
#include "train/run_json.h"

namespace heed {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ExampleOptions, all_positions, max_turns, max_utterance_tokens,
                                   max_response_tokens)

inline void to_json(nlohmann::json& json, const TrainSettings& s) {
  json = {{"examples", s.examples},
          {"insert_prob", s.insert_prob},
          {"attention_weight", s.attention_weight},
          {"data_fingerprint", s.data_fingerprint}};
  add_to_json(json, s.loop);
}

// What is missing has its default.
inline void from_json(const nlohmann::json& json, TrainSettings& s) {
  const auto read = [&](const char* name, auto& field) { field = json.value(name, field); };
  s = {};
  read("examples", s.examples);
  read("insert_prob", s.insert_prob);
  read("attention_weight", s.attention_weight);
  read("data_fingerprint", s.data_fingerprint);
  json.get_to(s.loop);
}

}  // namespace heed
