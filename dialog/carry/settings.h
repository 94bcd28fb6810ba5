// The settings of slot carryover and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <string>

#include "dialog/carry/carryover.h"
#include "dialog/runs_of.h"

namespace heed::carry {

struct Settings : ModelOptions<Config> {
  double share = 1;              // of the training dialogues (ReadItems::share)
  std::string set = "both";      // of the candidates
  bool shuffled_labels = false;  // a control: labels are shuffled among all candidates

  void check() const;  // throws UsageError
};

constexpr const char *kForm = "Carryover (instead of the preset's)", *kItems = "Items";

// Those of config.json.
template <class V> void visit_model_config(auto& m, V& v) {
  const auto form = [&](const char* option, auto& value, std::vector<std::string> words,
                        const char* help) {
    v(setting(option, option, help,
              {.group = kForm, .words = std::move(words), .required = true, .of_variant = true}),
      value);
  };
  form("decoder", m.decoder, {kPointer, kSelfAttention, kIndependent},
       "pointer: chooses slot by slot until it chooses the end; self-attention: compares all "
       "slots; independent: decides on each slot by itself");
  v(setting("order", "order",
            "Order in which a pointer reads and chooses slots. none: random; turn: by distance, "
            "random within a turn; temporal: as they were said",
            {.group = kForm,
             .words = {kNoOrder, kTurnOrder, kTemporal},
             .required = true,
             .of_variant = true})
        .only_with("decoder", {kPointer}),
    m.order);
  form("value", m.value, {"lstm", "average"},
       "A value is the mean of its words' states in the dialogue (lstm), or of their embeddings "
       "(average)");
  visit_sizes(m, v);
  pretrained::visit_encoder(m.words, v);
  const auto of_attention = [&](const Setting& size, auto& value) {
    v(size.only_with("decoder", {kSelfAttention}), value);
  };
  of_attention(size_of("slot-heads", "heads", "Heads of self-attention"), m.heads);
  of_attention(size_of("head-size", "head_size", "Width of each of its heads"), m.head_size);
  visit_dropout(m.dropout, v);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
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
            "A control: labels are shuffled among all candidates, so that only their share can be "
            "learned",
            {.group = kItems, .of_data = true}),
    s.shuffled_labels);
  visit_run_options(s, v);
}

}  // namespace heed::carry
