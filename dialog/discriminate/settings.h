// The settings of a discriminator and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dialog/discriminate/discriminator.h"
#include "dialog/discriminate/replacement.h"
#include "dialog/runs_of.h"

namespace heed::discriminate {

struct Settings : ModelOptions<Config> {
  Negatives negatives = {};

  void check() const;  // throws UsageError
};

// The sizes of a pretrained encoder, which has no embeddings of words; does nothing for another
// one. Throws UsageError where a size is given.
void take_encoder(Settings& settings, const std::function<bool(const std::string&)>& given);

// Those of config.json.
template <class V> void visit_model_config(auto& m, V& v) {
  pretrained::visit_encoder(m.words, v);
  visit_sizes(m, v);
  visit_dropout(m.dropout, v);
  v(setting("response-only", "response_only",
            "A control: it reads the response and not the context",
            {.required = true, .of_variant = true}),
    m.response_only);
  v(setting("context", "context", "Utterances before the response, 1 or 2",
            {.usual = "2", .least = 1, .most = 2, .required = true, .of_data = true}),
    m.passages.context);
  v({.key = "min_tokens", .required = true}, m.passages.min_tokens);
  v({.key = "max_tokens", .required = true}, m.passages.max_tokens);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v(setting(
        "negatives", "negatives",
        "Where wrong responses come from: random, length-matched (as many tokens, or one more or "
        "less), same-conversation, shuffled-words, other-corpus (of several in --data), real (a "
        "whole passage: there is nothing to find), or generated:FILE (as heed respond writes them)",
        {.usual = "random", .required = true, .of_variant = true}),
    Named{s.negatives, s.negatives.name(), Negatives::parse});
  visit_run_options(s, v);
}

}  // namespace heed::discriminate
