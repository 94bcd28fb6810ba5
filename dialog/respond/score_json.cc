#include "dialog/respond/score_json.h"

namespace heed {

static nlohmann::ordered_json optional(const std::optional<double>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

nlohmann::ordered_json to_json(const ScoreSummary& s) {
  nlohmann::ordered_json json = {{"perplexity", s.perplexity},
                                 {"bits_per_character", optional(s.bits_per_character)},
                                 {"unknown_characters", s.unknown_characters},
                                 {"das_ratio", optional(s.das_ratio)},
                                 {"mean_das_ratio", optional(s.mean_das_ratio)},
                                 {"median_das_ratio", optional(s.median_das_ratio)},
                                 {"das_above", optional(s.das_above)},
                                 {"das_bounded", optional(s.das_bounded)},
                                 {"das_ratio_long", optional(s.das_ratio_long)},
                                 {"as_distraction", optional(s.as_distraction)},
                                 {"as_history", optional(s.as_history)},
                                 {"as_first", optional(s.as_first)},
                                 {"as_last", optional(s.as_last)},
                                 {"dialogues", s.dialogues},
                                 {"distracted", s.distracted},
                                 {"tokens", s.tokens},
                                 {"characters", s.characters}};
  if (s.accuracy) json["accuracy"] = *s.accuracy;
  for (const HeadSummary& h : s.heads) {
    json["heads"].push_back({{"layer", h.layer},
                             {"head", h.head},
                             {"das_ratio", optional(h.das_ratio)},
                             {"as_distraction", optional(h.as_distraction)},
                             {"as_history", optional(h.as_history)}});
  }
  return json;
}

nlohmann::ordered_json to_json(const DialogueScore& s) {
  return {{"id", s.id},
          {"nll", s.nll},
          {"as_scores", s.as_scores},
          {"attention_loss", s.attention_loss},
          {"das_ratio", optional(s.das_ratio)}};
}

}  // namespace heed
