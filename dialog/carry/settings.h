// The settings of slot carryover and its training, a line each (train/setting.h).
#pragma once

#include "dialog/carry/run.h"

namespace heed::carry {

constexpr const char *kForm = "Carryover (instead of the preset's)", *kItems = "Items";

// Those of config.json.
template <class S, class V> void visit_config(S& m, V& v) {
  const auto form = [&](const char* option, auto& value, std::vector<std::string> words,
                        const char* help) {
    v(setting(option, option, help,
              {.group = kForm, .words = std::move(words), .required = true, .of_variant = true}),
      value);
  };
  form("decoder", m.decoder, {kPointer, kSelfAttention, kIndependent},
       "pointer chooses slot by slot until it ends, self-attention compares all slots, independent "
       "decides on each by itself");
  form("order", m.order, {kNoOrder, kTurnOrder, kTemporal},
       "In which a pointer reads slots and chooses them: none is random, turn by distance and "
       "random within a turn, temporal as they were said");
  form("value", m.value, {"lstm", "average"},
       "A value is a mean of its words' states in the dialogue, or of their embeddings");
  visit_sizes(m, v);
  const auto size = [&](const char* option, const char* key, auto& value, const char* help) {
    v(setting(option, key, help,
              {.group = kSizes, .least = 1, .most = kMaxModelSize, .required = true}),
      value);
  };
  size("slot-heads", "heads", m.heads, "Heads of self-attention");
  size("head-size", "head_size", m.head_size, "Width of each of its heads");
  visit_dropout(m.dropout, v);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v({.option = "preset", .key = "preset"}, s.preset);
  v(setting("share", "share", "Share of the training dialogues to learn from, chosen by their ids",
            {.group = kItems, .usual = "1", .least = 0, .most = 1, .above = true, .of_data = true}),
    s.share);
  v(setting(
        "set", "set",
        "Candidates: same (said to the service that is asked about), cross (to other services), "
        "both",
        {.group = kItems, .usual = "both", .words = {"same", "cross", "both"}, .of_data = true}),
    s.set);
  v(setting("shuffled-labels", "shuffled_labels",
            "A control: the labels change places among all candidates, so that there is nothing to "
            "learn but how many hold",
            {.group = kItems, .of_data = true}),
    s.shuffled_labels);
  v(setting("vocab", "vocabulary", "Vocabulary size, special tokens included",
            {.group = kSizes,
             .least = kSpecialTokens + 1,
             .most = Vocabulary::kMaxSize,
             .of_data = true}),
    s.vocabulary);
  visit_limit(s.limit, v);
  visit_settings(s.loop, v);
  v({.key = "data_fingerprint", .required = true}, s.data_fingerprint);
}

template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.shuffled_labels;
}
{
  visit_config(s.model, v);
  visit_training(s, v);
}

}  // namespace heed::carry
