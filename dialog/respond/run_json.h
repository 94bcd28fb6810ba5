// How the settings of a response model's training look in JSON.
#pragma once

#include "dialog/respond/run.h"
#include "train/run_json.h"

namespace heed {

// What older versions had no other value of is kept only where it is another one.
inline void to_json(nlohmann::json& json, const ExampleOptions& o) {
  json = {{"all_positions", o.all_positions},
          {"max_turns", o.max_turns},
          {"max_utterance_tokens", o.max_utterance_tokens},
          {"max_response_tokens", o.max_response_tokens}};
  const ExampleOptions usual;
  if (o.max_context_tokens != usual.max_context_tokens)
    json["max_context_tokens"] = o.max_context_tokens;
  if (o.min_turns != usual.min_turns) json["min_turns"] = o.min_turns;
  if (o.speaker != usual.speaker) json["speaker"] = o.speaker;
}

inline void from_json(const nlohmann::json& json, ExampleOptions& o) {
  o = {};
  json.at("all_positions").get_to(o.all_positions);
  json.at("max_turns").get_to(o.max_turns);
  json.at("max_utterance_tokens").get_to(o.max_utterance_tokens);
  json.at("max_response_tokens").get_to(o.max_response_tokens);
  o.max_context_tokens = json.value("max_context_tokens", o.max_context_tokens);
  o.min_turns = json.value("min_turns", o.min_turns);
  o.speaker = json.value("speaker", o.speaker);
}

inline void to_json(nlohmann::json& json, const TrainSettings& s) {
  json = {{"examples", s.examples},
          {"insert_prob", s.insert_prob},
          {"attention_weight", s.attention_weight},
          {"data_fingerprint", s.data_fingerprint}};
  if (!s.word_vectors.empty()) json["word_vectors"] = s.word_vectors;
  if (s.tokens != TokenKind::kWords) json["tokens"] = name_of(s.tokens);
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
  read("word_vectors", s.word_vectors);
  s.tokens = parse_token_kind(json.value("tokens", name_of(s.tokens)));
  json.get_to(s.loop);
}

}  // namespace heed
