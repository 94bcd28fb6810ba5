// The settings of a response model and its training, one line each (train/setting.h).
#pragma once

#include "dialog/respond/run.h"

namespace heed {

constexpr const char *kForm = "Form (instead of the preset's)", *kDialogues = "Dialogues";

// Those of config.json.
template <class S, class V> void visit_model(S& s, V& v) {
  const auto parse_structure = [](const std::string& name) { return Structure::parse(name); };
  v({.option = "structure", .key = "structure", .required = true, .of_variant = true},
    Named{s.structure, std::string(s.structure.name), parse_structure});
  visit_sizes(s, v);
  v(setting("layers", "num_layers", "LSTM layers; for a transformer, those of each side",
            {.group = kSizes, .least = 1, .most = kMaxModelSize, .required = true}),
    s.num_layers);
  v({.key = "lstm_bias", .required = true}, s.lstm_bias);
  visit_dropout(s.dropout, v);
  v(setting("heads", "heads", "Attention heads of a transformer",
            {.group = kSizes,
             .least = 1,
             .most = kMaxModelSize,
             .later = s.structure.family != Family::kTransformer})
        .only_with("structure", {"transformer"}),
    s.heads);
  v(setting("attention", "attention",
            "Score of a memory row k for a query q. dot: k.q; general: k.(W q); additive: v.tanh(W "
            "q + U k). If not given: additive in lstm-attention, bilstm-attention, hred and "
            "hred-stacked, dot in the other structures that have a choice",
            {.group = kForm, .words = attention_scores(), .later = true}),
    Named{s.attention, s.attention ? name_of(*s.attention) : "", parse_attention_score,
          name_of(s.attention_score())});
  v(setting("bidirectional", "bidirectional",
            "The encoder reads in both directions, each with half of --hidden (non-hier)",
            {.group = kForm, .later = true}),
    s.bidirectional);
  v(setting("no-input-feeding", "input_feeding",
            "The decoder does not read the previous step's context vector (non-hier, dynamic, "
            "dynamic-ui)",
            {.group = kForm, .later = true}),
    Unless{s.input_feeding});
  v(setting("noise", "noise",
            "Normal noise that the decoder reads in training beside the word, as wide as an "
            "embedding. none: no noise; utterance: drawn once per response; word: drawn for each "
            "word (hred-gru, hred-attention-current, hred-attention; default: none)",
            {.group = kForm, .words = noises(), .later = true}),
    Named{s.noise, name_of(s.noise), parse_noise});
  v(setting("message", "message_attention",
            "What the network over utterances reads of an utterance. attention: its words, "
            "weighted by attention anew in each step of the decoder; none: its last state, the "
            "same in all steps (thred; default: attention)",
            {.group = kForm, .words = {"none", "attention"}, .later = true}),
    Words{s.message_attention, "none", "attention"});
  v(setting("topics", "topics",
            "Number of topics found in the training dialogues (thred-topics, ta-seq2seq; default: "
            "50)",
            {.group = kForm, .least = 1, .most = ModelConfig::kMostTopics, .later = true}),
    s.topics);
  v(setting("keyword-weight", "keyword_weight",
            "Weight of the loss of keywords that sampled words lack, 0 to 1; the cross entropy has "
            "1 minus this weight (keywords; default: 0.1)",
            {.group = kForm, .least = 0, .most = 1, .later = true}),
    s.keyword_weight);
  v(setting("query", "whole_query",
            "What is read, and for whose words keywords are found. last: the last utterance of the "
            "context; context: all of it (keywords; default: last)",
            {.group = kForm, .words = {"last", "context"}, .later = true}),
    Words{s.whole_query, "last", "context"});
  v({.key = "generic_words", .later = true}, s.generic_words);
  v(setting(
        "gate", "gate_on_logits",
        "What the gate to sentiment words mixes. probabilities: those of two softmaxes; logits: "
        "those of one softmax, as in the authors' program (two-vocabulary; default: probabilities)",
        {.group = kForm, .words = {"probabilities", "logits"}, .later = true}),
    Words{s.gate_on_logits, "probabilities", "logits"});
  v(setting("gate-weight", "gate_weight",
            "Weight of -ln a of a sentiment word in the loss, where a is the gate to these words "
            "(two-vocabulary; default: 1)",
            {.group = kForm, .least = 0, .later = true}),
    s.gate_weight);
  const auto condition = [&](const char* name, auto& value, const char* help) {
    v(setting(name, name, help, {.group = kForm, .takes = "LABEL", .later = true}),
      Named{value, value.text(), Condition::parse, value.label});
  };
  condition("sentiment", s.sentiment,
            "Label of turns with the desired sentiment of a response; its values are those in the "
            "training dialogues (two-vocabulary; default: emotion)");
  condition("domain", s.domain,
            "Label of turns or dialogues with the desired domain of a response (two-vocabulary; "
            "default: topic)");
}

template <class S, class V> void visit_examples(S& s, V& v) {
  const auto bound = [&](const char* option, const char* key, auto& value, const char* help,
                         bool later = false) {
    v(setting(option, key, std::string(help) + " (instead of the preset's)",
              {.group = kDialogues, .later = later, .of_data = true}),
      value);
  };
  v(setting("examples", "examples/all_positions",
            "last: a dialogue's last turn is the response; all: every turn from the third (or "
            "--min-turns) on (instead of the preset's)",
            {.group = kDialogues, .words = {"last", "all"}, .of_data = true}),
    Words{s.all_positions, "last", "all"});
  bound("max-turns", "examples/max_turns", s.max_turns,
        "Read only the last N utterances of the context, not counting distractions; 0: all");
  bound("min-turns", "examples/min_turns", s.min_turns,
        "Leave out shorter dialogues; with --examples all the N-th turn is the first "
        "response. At least 2",
        true);
  v(setting("speaker", "examples/speaker",
            "Only turns of this speaker are responses, such as system in MultiWOZ; \"\": turns of "
            "any speaker",
            {.group = kDialogues, .later = true, .of_data = true}),
    s.speaker);
  bound("max-context", "examples/max_context_tokens", s.max_context_tokens,
        "Read only the last N words of the context, counting the end of each utterance as one; 0: "
        "all",
        true);
  bound("max-utterance", "examples/max_utterance_tokens", s.max_utterance_tokens,
        "Read only the first N words of an utterance; 0: all");
  bound("max-response", "examples/max_response_tokens", s.max_response_tokens,
        "Read only the first N words of a response; 0: all");
}

constexpr const char* kPlayers = "Players";

// Those of a reward (dialog/respond/policy.h).
template <class V> void visit_policy(auto& policy, V& v) {
  v(setting("teacher-forcing", "teacher_forcing",
            "Weight of the real responses' loss beside that of the rewards",
            {.group = kPlayers, .least = 0, .required = true}),
    policy.teacher_forcing);
  v(setting("max-length", "max_length", "Longest response, in words",
            {.group = kPlayers, .least = 1, .most = 10000, .required = true}),
    policy.max_length);
}

// Those of settings.json.
template <class S, class V> void visit_run(S& s, V& v) {
  v({.option = "preset", .key = "preset"}, s.preset);
  v(setting("insert-prob", "insert_prob",
            "Probability with which each of two distractions is inserted",
            {.usual = "0", .least = 0, .most = 1, .of_variant = true}),
    s.insert_prob);
  v(setting("distractions", "own_distractions",
            "The distractions of --insert-prob. foreign: utterances of other dialogues, which are "
            "inserted; own: nothing is inserted, and utterances of the dialogue itself count as "
            "distractions, a placebo for the attention loss (default: foreign)",
            {.words = {"foreign", "own"}, .later = true, .of_variant = true}),
    Words{s.own_distractions, "foreign", "own"});
  v(setting("attention-weight", "attention_weight",
            "Weight of the attention loss; 0: no such loss (instead of the preset's)",
            {.least = 0}),
    s.attention_weight);
  v(setting("attention-loss", "attention_mass",
            "What the attention loss is on. rows: the squared weight of each row that is attended "
            "to (Eq. 9); mass: the squared sum of a distraction's weights, which does not shrink "
            "where the rows are words (default: rows)",
            {.words = {"rows", "mass"}, .later = true}),
    Words{s.attention_mass, "rows", "mass"});
  v(setting("inverse-frequency", "inverse_frequency",
            "Weigh each word of the loss by 1 / frequency^X, with mean 1 over the responses, for "
            "less general answers (0.4 is usual); 0: all words weigh 1",
            {.usual = "0", .least = 0, .most = 1, .later = true, .of_variant = true}),
    s.inverse_frequency);
  v(setting("initial-weights", "xavier",
            "How weights are drawn before training. usual: as is usual for the structure; xavier: "
            "matrices uniform in +-sqrt(6 / (rows + columns)) (Glorot & Bengio 2010), vectors as "
            "usual (instead of the preset's)",
            {.group = kSizes, .words = {"usual", "xavier"}, .later = true, .of_variant = true}),
    Words{s.xavier, "usual", "xavier"});
  v(setting("embeddings", "word_vectors",
            "Start from these word vectors, in the text format of GloVe, word2vec or fastText; "
            "--embed is then their width",
            {.group = kSizes, .takes = "FILE", .later = true}),
    s.word_vectors);
  v(setting("lexicon", "lexicon",
            "Words and their sentiment, in the format of VADER. Sentiment words are those with a "
            "score of at least 1 or at most -1 that occur three times in the dialogues; they are "
            "the last part of the vocabulary (two-vocabulary)",
            {.group = kSizes, .takes = "FILE", .later = true}),
    s.lexicon);
  v(setting("topics-file", "topics_file",
            "Topics made elsewhere, instead of those that LDA learns: a line for each, its words, "
            "the most probable first (thred-topics, ta-seq2seq)",
            {.group = kSizes, .takes = "FILE", .later = true}),
    s.topics_file);
  v({.option = "init", .key = "init", .later = true}, s.init);
  v(setting("tokens", "tokens",
            "Units of text. words: the most frequent words; bpe: pieces learned by byte pair "
            "encoding, which can spell any word (default: words)",
            {.group = kSizes,
             .words = {name_of(TokenKind::kWords), name_of(TokenKind::kPieces)},
             .later = true,
             .of_data = true}),
    Named{s.tokens, std::string(name_of(s.tokens)), parse_token_kind});
  v(setting("vocab", "vocabulary",
            "Vocabulary size, including special tokens, and with bpe the 256 bytes",
            {.group = kSizes,
             .least = kSpecialTokens + 1,
             .most = Vocabulary::kMaxSize,
             .of_data = true}),
    s.vocabulary);
  v(setting("min-count", "min_count",
            "Leave words out of the vocabulary that the training dialogues hold less often than "
            "this",
            {.group = kSizes, .least = 1, .most = 1e9, .later = true, .of_data = true})
        .only_with("tokens", {name_of(TokenKind::kWords)}),
    s.min_count);
  visit_examples(s.examples, v);
  visit_limit(s.limit, v);
  visit_settings(s.loop, v);
  v({.key = "data_fingerprint"}, s.data_fingerprint);
}

template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  s.examples;
}
{
  visit_model(s.model, v);
  visit_run(s, v);
}

}  // namespace heed
