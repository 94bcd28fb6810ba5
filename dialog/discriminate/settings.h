// The settings of a discriminator and its training, a line each (train/setting.h).
#pragma once

#include "dialog/discriminate/run.h"

namespace heed::discriminate {

// Those of config.json.
template <class S, class V> void visit_config(S& s, V& v) {
  v(setting("encoder", "encoder",
            "What reads words: lstm, or pretrained, a BERT that goes on learning (--init)",
            {.group = kSizes, .usual = "lstm", .of_variant = true}),
    s.encoder);
  visit_sizes(s, v);
  visit_dropout(s.dropout, v);
  v(setting("response-only", "response_only",
            "A control: it reads the response and not the context",
            {.required = true, .of_variant = true}),
    s.response_only);
  v(setting("context", "context", "Utterances before the response, 1 or 2",
            {.usual = "2", .least = 1, .most = 2, .required = true, .of_data = true}),
    s.passages.context);
  v({.key = "min_tokens", .required = true}, s.passages.min_tokens);
  v({.key = "max_tokens", .required = true}, s.passages.max_tokens);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v({.option = "preset", .key = "preset"}, s.preset);
  v(setting("negatives", "negatives",
            "What stands in the place of responses: random, length-matched (of as many tokens, or "
            "one more or less), same-conversation, shuffled-words, other-corpus (of several in "
            "--data), real (a whole passage: there is nothing to find), or generated:FILE (as "
            "heed respond writes them)",
            {.usual = "random", .required = true, .of_variant = true}),
    Named{s.negatives, s.negatives.name(), Negatives::parse});
  v(setting("vocab", "vocabulary", "Vocabulary size, special tokens included",
            {.group = kSizes,
             .least = kSpecialTokens + 1,
             .most = Vocabulary::kMaxSize,
             .of_data = true}),
    s.vocabulary);
  visit_limit(s.limit, v);
  visit_settings(s.loop, v);
  v({.option = "init", .key = "init"}, s.init);
  v({.key = "data_fingerprint", .required = true}, s.data_fingerprint);
}

template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.negatives;
}
{
  visit_config(s.model, v);
  visit_training(s, v);
}

}  // namespace heed::discriminate
