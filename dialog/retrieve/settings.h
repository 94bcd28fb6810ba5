// The settings of a ranker and its training, a line each (train/setting.h).
#pragma once

#include "dialog/retrieve/run.h"

namespace heed::retrieve {

constexpr const char *kRanker = "Ranker (instead of the preset's)", *kTexts = "Dialogues";

// Those of config.json.
template <class S, class V> void visit_config(S& s, V& v) {
  auto& m = s.model;
  const auto form = [&](const char* option, auto& value, std::vector<std::string> words,
                        const char* help) {
    v(setting(option, option, help,
              {.group = kRanker, .words = std::move(words), .required = true, .of_variant = true}),
      value);
  };
  const auto size = [&](const char* option, const char* key, auto& value, const char* help) {
    v(setting(option, key, help,
              {.group = kRanker, .least = 1, .most = kMaxModelSize, .required = true}),
      value);
  };
  form("encoder", m.encoder, {"lstm", "sru", "hierarchical", "bag", "weighted-bag", "pretrained"},
       "lstm and sru read words in order, hierarchical (sru) utterances and then turns, bag adds "
       "up words and pairs of words, weighted-bag words that attention weighs, pretrained is a "
       "BERT (--init)");
  form("score", m.score, {"cosine", "dot", "bilinear", "map"},
       "Of the two vectors: their cosine times a learned scale, their product, c M r, or c (W + I) "
       "r "
       "with a pretrained encoder that stays as it is");
  form("pool", m.pool, {"attention", "last"},
       "The vector of a text: a mean that attention weighs, or (lstm) its last states");
  visit_sizes(m, v);
  size("layers", "num_layers", m.layers, "LSTM layers, or those of sru");
  size("pooling-heads", "heads", m.heads, "Heads of the attention that pools");
  size("attention-size", "attention_size", m.attention_size, "Width of the attention's keys");
  v(setting("buckets", "buckets", "Rows of the table for pairs of words (bag); 0: no pairs",
            {.group = kRanker, .least = 0, .most = kMaxModelSize, .required = true}),
    m.buckets);
  v(setting("towers", "shared_encoder", "One encoder for contexts and responses, or two",
            {.group = kRanker, .required = true, .of_variant = true}),
    Words{m.shared, "two", "one"});
  v(setting("one-way", "bidirectional", "Read forward only (lstm)",
            {.group = kRanker, .required = true}),
    Unless{m.bidirectional});
  visit_dropout(m.dropout, v);
  v(setting("scale", "scale", "Factor of the cosine that the training begins with",
            {.group = kRanker, .least = 0, .above = true, .required = true}),
    m.scale);
  v(setting("max-context", "max_context",
            "Words of the context, the last ones, the end of each utterance counted; 0: all",
            {.group = kTexts, .least = 0, .most = 1'000'000, .required = true, .of_data = true}),
    s.bounds.max_context);
  v(setting("max-response", "max_response", "Words of a response, the first ones; 0: all",
            {.group = kTexts, .least = 0, .most = 1'000'000, .required = true, .of_data = true}),
    s.bounds.max_response);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v({.option = "preset", .key = "preset"}, s.preset);
  v(setting(
        "loss", "loss",
        "softmax: -ln p of the right response among the candidates; hinge: what each wrong one "
        "comes closer than --margin",
        {.group = kRanker, .words = {"softmax", "hinge"}, .required = true, .of_variant = true}),
    s.loss);
  v(setting("negatives", "negatives",
            "What stands in the place of responses: batch (the others of the batch), shared:K (K "
            "that are drawn for all "
            "of a batch), or batch+shared:K",
            {.group = kRanker, .required = true, .of_variant = true}),
    s.negatives);
  v(setting("smoothing", "smoothing", "Label smoothing of the softmax",
            {.group = kRanker, .least = 0, .most = 1, .required = true}),
    s.smoothing);
  v(setting("margin", "margin", "Margin of the hinge",
            {.group = kRanker, .least = 0, .required = true}),
    s.margin);
  v(setting("insert-prob", "insert_prob",
            "Probability with which each of two distractions is inserted",
            {.group = kRanker, .least = 0, .most = 1, .later = true, .of_variant = true}),
    s.insert_prob);
  v(setting("attention-weight", "attention_weight",
            "Weight of the attention loss, the mean square of the weights of distractions",
            {.group = kRanker, .least = 0, .later = true, .of_variant = true}),
    s.attention_weight);
  v(setting("examples", "all_positions",
            "last: a dialogue's last turn is the response; all: every turn from the third on",
            {.group = kTexts, .words = {"last", "all"}, .required = true, .of_data = true}),
    Words{s.all_positions, "last", "all"});
  v(setting("vocab", "vocabulary", "Vocabulary size, special tokens included",
            {.group = kSizes,
             .least = kSpecialTokens + 1,
             .most = Vocabulary::kMaxSize,
             .of_data = true}),
    s.vocabulary);
  v({.option = "init", .key = "init"}, s.init);
  visit_limit(s.limit, v);
  visit_settings(s.loop, v);
  v({.key = "data_fingerprint", .required = true}, s.data_fingerprint);
}

template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.negatives;
  s.margin;
}
{
  visit_config(s, v);
  visit_training(s, v);
}

}  // namespace heed::retrieve
