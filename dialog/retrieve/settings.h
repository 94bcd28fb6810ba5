// The settings of a ranker and its training, one line each (train/setting.h).
#pragma once

#include <cstdint>
#include <string>

#include "dialog/retrieve/text_reader.h"
#include "dialog/runs_of.h"

namespace heed::retrieve {

struct Settings : ModelOptions<Config> {
  TextBounds bounds = {};
  bool all_positions = true;  // every turn from min_turns on is a response, not only the last
  int min_turns = kMinTurns;
  std::string loss = "softmax";     // or hinge
  std::string negatives = "batch";  // batch, shared:K or batch+shared:K
  double smoothing = 0;             // of the softmax
  double margin = 0.25;             // of the hinge
  double insert_prob = 0;           // of each of two distractions in a context
  double attention_weight = 0;      // of the attention loss

  void check() const;  // throws UsageError
  void check_model() const { model.check(), bounds.check(); }
};

struct Negatives {
  bool of_batch = true;
  int64_t shared = 0;  // drawn from the training responses, frequent ones more often
};
Negatives parse_negatives(const std::string& name);  // throws UsageError

constexpr const char *kRanker = "Ranker (instead of the preset's)", *kTexts = "Dialogues";

template <class V> void visit_ranker(auto& m, V& v) {
  const auto form = [&](const char* option, auto& value, std::vector<std::string> words,
                        const char* help, std::vector<Setting::Condition> conditions = {}) {
    v(setting(option, option, help,
              {.group = kRanker,
               .words = std::move(words),
               .required = true,
               .of_variant = true,
               .conditions = std::move(conditions)}),
      value);
  };
  const Setting::Condition attending = {"encoder", {"lstm", "sru", "hierarchical", "weighted-bag"}};
  form("encoder", m.encoder, {"lstm", "sru", "hierarchical", "bag", "weighted-bag", "pretrained"},
       "lstm, sru: reads words in order; hierarchical: an sru reads each utterance, another one "
       "their vectors; bag: adds up words and pairs of words; weighted-bag: words weighted by "
       "attention; pretrained: a BERT (--init)");
  form("score", m.score, {"cosine", "dot", "bilinear", "map"},
       "Score of a context's vector c and a response's r. cosine: times a learned scale; dot: c r; "
       "bilinear: c M r; map: c (W + I) r, with a pretrained encoder that stays as it is");
  form("pool", m.pool, {"attention", "last"},
       "Vector of a text. attention: a mean weighted by attention; last: the last states (lstm)",
       {attending});
  const auto not_pretrained = [&](const Setting& s, auto&& value) {
    v(s.only_with("encoder", {"lstm", "sru", "hierarchical", "bag", "weighted-bag"}), value);
  };
  visit_sizes(m, not_pretrained);
  v(size_of("layers", "num_layers", "LSTM layers, or SRU layers", kRanker)
        .only_with("encoder", {"lstm", "sru", "hierarchical"}),
    m.layers);
  const auto of_attention = [&](const Setting& s) {
    return s.only_with(attending.option, attending.values).only_with("pool", {"attention"});
  };
  v(of_attention(size_of("pooling-heads", "heads", "Heads of the pooling attention", kRanker)),
    m.heads);
  v(of_attention(
        size_of("attention-size", "attention_size", "Width of the attention's keys", kRanker)),
    m.attention_size);
  v(setting("buckets", "buckets", "Rows of the table for pairs of words (bag); 0: no pairs",
            {.group = kRanker, .least = 0, .most = kMaxModelSize, .required = true})
        .only_with("encoder", {"bag"}),
    m.buckets);
  v(setting("towers", "shared_encoder", "One encoder for contexts and responses, or two",
            {.group = kRanker, .words = {"two", "one"}, .required = true, .of_variant = true})
        .only_with("encoder", {"lstm", "sru", "bag", "weighted-bag"}),
    Words{m.shared, "two", "one"});
  v(setting("one-way", "bidirectional", "Read forward only (lstm)",
            {.group = kRanker, .required = true})
        .only_with("encoder", {"lstm"}),
    Unless{m.bidirectional});
  visit_dropout(m.dropout, not_pretrained);
  v(setting("scale", "scale", "Factor of the cosine at the start of the training",
            {.group = kRanker, .least = 0, .above = true, .required = true})
        .only_with("score", {"cosine"}),
    m.scale);
}
// Those of config.json.
template <class S, class V> void visit_config(S& s, V& v) {
  visit_ranker(s.model, v);
  v(setting("max-context", "max_context",
            "Read only the last N words of the context, counting the end of each utterance as one; "
            "0: all",
            {.group = kTexts, .least = 0, .most = 1'000'000, .required = true, .of_data = true}),
    s.bounds.max_context);
  v(setting("max-response", "max_response", "Read only the first N words of a response; 0: all",
            {.group = kTexts, .least = 0, .most = 1'000'000, .required = true, .of_data = true}),
    s.bounds.max_response);
}

// Those of settings.json.
template <class S, class V> void visit_training(S& s, V& v) {
  v(setting(
        "loss", "loss",
        "softmax: -ln p of the right response among the candidates; hinge: how far each wrong one "
        "is within --margin of the right one",
        {.group = kRanker, .words = {"softmax", "hinge"}, .required = true, .of_variant = true}),
    s.loss);
  v(setting("negatives", "negatives",
            "Where wrong responses come from. batch: the other responses of the batch; "
            "shared:K: K responses drawn for the whole batch; batch+shared:K: both",
            {.group = kRanker, .required = true, .of_variant = true}),
    s.negatives);
  v(setting("smoothing", "smoothing", "Label smoothing of the softmax",
            {.group = kRanker, .least = 0, .most = 1, .below = true, .required = true})
        .only_with("loss", {"softmax"}),
    s.smoothing);
  v(setting("margin", "margin", "Margin of the hinge",
            {.group = kRanker, .least = 0, .required = true})
        .only_with("loss", {"hinge"}),
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
            "last: a dialogue's last turn is the response; all: every turn from the third (or "
            "--min-turns) on",
            {.group = kTexts, .words = {"last", "all"}, .required = true, .of_data = true}),
    Words{s.all_positions, "last", "all"});
  v(setting("min-turns", "min_turns",
            "Leave out shorter dialogues; with --examples all the N-th turn is the first response",
            {.group = kTexts, .least = 2, .most = 1'000'000, .later = true, .of_data = true}),
    s.min_turns);
  visit_run_options(s, v);
}

}  // namespace heed::retrieve
