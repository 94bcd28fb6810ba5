#include "dialog/respond/score_json.h"

#include <cmath>

namespace heed {

using Json = nlohmann::ordered_json;

static Json optional(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

static std::optional<double> optional(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

Json to_json(const ScoreSummary& s) {
  Json json = {{"perplexity", s.perplexity},
               {"das_ratio", optional(s.das_ratio)},
               {"mean_das_ratio", optional(s.mean_das_ratio)},
               {"median_das_ratio", optional(s.median_das_ratio)},
               {"as_distraction", optional(s.as_distraction)},
               {"as_history", optional(s.as_history)},
               {"as_first", optional(s.as_first)},
               {"as_last", optional(s.as_last)},
               {"dialogues", s.dialogues},
               {"distracted", s.distracted},
               {"tokens", s.tokens}};
  for (const HeadSummary& h : s.heads) {
    json["heads"].push_back({{"layer", h.layer},
                             {"head", h.head},
                             {"das_ratio", optional(h.das_ratio)},
                             {"as_distraction", optional(h.as_distraction)},
                             {"as_history", optional(h.as_history)}});
  }
  return json;
}

ScoreSummary summary_from_json(const Json& json) {
  ScoreSummary s;
  s.perplexity = optional(json.at("perplexity")).value_or(INFINITY);  // JSON has no infinity
  s.das_ratio = optional(json.at("das_ratio"));
  s.mean_das_ratio = optional(json.at("mean_das_ratio"));
  s.median_das_ratio = optional(json.at("median_das_ratio"));
  s.as_distraction = optional(json.at("as_distraction"));
  s.as_history = optional(json.at("as_history"));
  s.as_first = optional(json.at("as_first"));
  s.as_last = optional(json.at("as_last"));
  json.at("dialogues").get_to(s.dialogues);
  json.at("distracted").get_to(s.distracted);
  json.at("tokens").get_to(s.tokens);
  return s;
}

Json to_json(const DialogueScore& s) {
  return {{"id", s.id},
          {"nll", s.nll},
          {"as_scores", s.as_scores},
          {"attention_loss", s.attention_loss},
          {"das_ratio", optional(s.das_ratio)}};
}

}  // namespace heed
