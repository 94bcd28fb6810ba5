#include "heed/train_flags.h"

#include <charconv>
#include <sstream>

#include "dialog/text/word_vectors.h"
#include "heed/checks.h"
#include "heed/shared_options.h"

namespace heed {

static std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const Preset& preset : presets()) names.push_back(preset.name);
  return names;
}

void TrainFlags::declare_model(CLI::App& c) {
  add_structure(c, structure,
                ". A transformer takes adam, a warm-up of 200 steps and a fifth of the preset's "
                "rate");
  c.add_option("--insert-prob", insert_prob,
               "Probability with which each of two distractions is inserted")
      ->check(number(0, 1))
      ->capture_default_str();
}

void TrainFlags::declare(CLI::App& c) {
  c.add_option("--preset", preset, "Sizes and an optimiser that belong together\n" + preset_table())
      ->check(one_of(preset_names()))
      ->capture_default_str();
  c.add_option("--attention-weight", attention_weight,
               "Weight of the attention loss (instead of the preset's); 0 leaves it out")
      ->check(number_from(0));
  declare_form(c);
  declare_sizes(c);
  declare_examples(c);
  declare_optimizer(c);
}

void TrainFlags::declare_form(CLI::App& c) {
  const char* form = "Form (instead of the preset's)";
  c.add_option(
       "--attention", attention,
       "Score of a memory row k for a query q: dot k.q, general k.(W q), additive "
       "v.tanh(W q + U k); otherwise additive in lstm-attention, bilstm-attention, hred and "
       "hred-stacked, dot in the other structures that have a choice")
      ->check(one_of(attention_scores()))
      ->group(form);
  c.add_flag("--bidirectional", bidirectional,
             "The encoder reads in both directions, each with half of --hidden (non-hier)")
      ->group(form);
  c.add_flag("--no-input-feeding", no_input_feeding,
             "The decoder does not read the context vector of the step before (non-hier, dynamic, "
             "dynamic-ui)")
      ->group(form);
}

void TrainFlags::declare_sizes(CLI::App& c) {
  const char* sizes = "Sizes (instead of the preset's)";
  const CLI::Validator size = whole_number(1, kMaxModelSize);
  c.add_option("--layers", layers, "LSTM layers; of a transformer on each side")
      ->check(size)
      ->group(sizes);
  c.add_option("--hidden", hidden, "Hidden size")->check(size)->group(sizes);
  c.add_option("--embed", embed, "Embedding size; that of --hidden if only that is given")
      ->check(size)
      ->group(sizes);
  c.add_option(
       "--embeddings", embeddings,
       "Word vectors that the embeddings begin with, as text of GloVe, word2vec or fastText; "
       "--embed is then their width")
      ->option_text("FILE")
      ->group(sizes);
  c.add_option("--heads", heads, "Attention heads of a transformer")->check(size)->group(sizes);
  c.add_option(
       "--tokens", tokens,
       "What texts are made of: words, the most frequent ones; bpe: pieces of words, learned "
       "by byte pair encoding, of which every word can be made (default: words)")
      ->check(one_of({name_of(TokenKind::kWords), name_of(TokenKind::kPieces)}))
      ->group(sizes);
  c.add_option("--vocab", vocab,
               "Vocabulary size, special tokens included; with bpe the 256 bytes too")
      ->check(whole_number(kSpecialTokens + 1, Vocabulary::kMaxSize))
      ->group(sizes);
  c.add_option("--batch", batch, "Dialogues in a batch")
      ->check(whole_number(1, kMaxBatch))
      ->group(sizes);
  c.add_option("--dropout", dropout, "Dropout probability")->group(sizes);
  c.add_option("--epochs", epochs, "Epochs at most")->group(sizes);
}

void TrainFlags::declare_examples(CLI::App& c) {
  const char* data = "Dialogues";
  c.add_option("--examples", examples,
               "last: a dialogue's last turn is the response; all: every turn from the third (or "
               "--min-turns) on (instead of the preset's)")
      ->check(one_of({"last", "all"}))
      ->group(data);
  const auto bound = [&](const char* name, std::optional<int>& value, const std::string& what) {
    c.add_option(name, value, what + " (instead of the preset's)")->group(data);
  };
  bound("--max-turns", max_turns, "Utterances of context read, the last ones; 0: all");
  bound("--min-turns", min_turns,
        "Leave out shorter dialogues; with --examples all the turn of this number is the first "
        "response. From 2 on");
  c.add_option("--speaker", speaker,
               "Only turns of this speaker are responses, as those of system in MultiWOZ (default: "
               "anybody's)")
      ->group(data);
  bound("--max-context", max_context,
        "Words of the context, the last ones, the end of each utterance counted; 0: all");
  bound("--max-utterance", max_utterance, "Words of an utterance, the first ones; 0: all");
  bound("--max-response", max_response, "Words of a response, the first ones; 0: all");
  c.add_option("--limit", limit, "Read only the first dialogues, of each part; 0: all")
      ->capture_default_str()
      ->group(data);
}

void TrainFlags::declare_optimizer(CLI::App& c) {
  const char* group = "Optimiser";
  c.add_option("--optimizer", optimizer, "sgd or adam (instead of the preset's)")
      ->check(one_of({"sgd", "adam"}))
      ->group(group);
  c.add_option("--rate", rate, "Learning rate (instead of the preset's)")->group(group);
  c.add_option("--warm-up", warm_up, "Steps in which the rate grows to its full size")
      ->group(group);
  c.add_option("--rate-decay", rate_decay,
               "What becomes of the rate after the warm-up: none: nothing; inverse-sqrt: it falls "
               "as 1 / sqrt(steps) (instead of the preset's)")
      ->check(one_of({"none", "inverse-sqrt"}))
      ->group(group);
  c.add_option(
       "--weight-decay", weight_decay,
       "Part of each parameter that a step takes away, times the rate (instead of the preset's)")
      ->check(number_from(0))
      ->group(group);
  c.add_option("--group", groups,
               "NAME:RATE:DECAY: factors of rate and weight decay for the parameters with NAME in "
               "their name (instead of the preset's); may be given several times")
      ->group(group);
  c.add_option("--keep-every", keep_every,
               "Keep the model of every so many epochs too, as epoch-N.safetensors; 0: none "
               "(instead of the preset's)")
      ->check(whole_number(0, 1000000))
      ->group(group);
  c.add_option("--max-norm", max_norm,
               "Global-norm clipping of the gradient (instead of the preset's)")
      ->check(number_above(0))
      ->group(group);
  c.add_option("--patience", patience,
               "Halve the rate after this many epochs without a better validation perplexity "
               "(instead of the preset's)")
      ->group(group);
  c.add_option("--min-rate", min_rate, "Stop when the rate would fall below; a 1000th of --rate")
      ->group(group);
  c.add_option("--halve-after", halve_after,
               "Also halve the rate in every epoch after this one, 0: never")
      ->group(group);
}

namespace {

// "lstm:0.5:0.2"
ParameterGroup parse_group(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  ParameterGroup group{.name = text.substr(0, first)};
  const auto number = [&](const std::string& part, double& value) {
    const char* end = part.data() + part.size();
    const auto [stopped, error] = std::from_chars(part.data(), end, value);
    return error == std::errc() && stopped == end && value >= 0;
  };
  if (group.name.empty() || second == std::string::npos ||
      !number(text.substr(first + 1, second - first - 1), group.rate) ||
      !number(text.substr(second + 1), group.weight_decay)) {
    throw UsageError("--group: expected NAME:RATE:DECAY, as lstm:0.5:0.2, got '" + text + "'");
  }
  return group;
}

}  // namespace

void TrainFlags::set_bounds(ExampleOptions& e) const {
  if (examples) e.all_positions = *examples == "all";
  e.max_turns = max_turns.value_or(e.max_turns);
  e.min_turns = min_turns.value_or(e.min_turns);
  e.speaker = speaker.value_or(e.speaker);
  e.max_context_tokens = max_context.value_or(e.max_context_tokens);
  e.max_utterance_tokens = max_utterance.value_or(e.max_utterance_tokens);
  e.max_response_tokens = max_response.value_or(e.max_response_tokens);
}

TrainSettings TrainFlags::settings(const Structure& structure) const {
  TrainSettings s = suited_to(structure, find_preset(preset));
  s.model.num_layers = layers.value_or(s.model.num_layers);
  s.model.hidden_size = hidden.value_or(s.model.hidden_size);
  s.model.embedding_size = embed.value_or(hidden ? *hidden : s.model.embedding_size);
  if (embeddings) {
    s.word_vectors = *embeddings;
    if (!embed) s.model.embedding_size = word_vector_width(*embeddings);
  }
  if (tokens) s.tokens = parse_token_kind(*tokens);
  s.model.vocab_size = vocab.value_or(s.model.vocab_size);
  s.vocabulary = s.model.vocab_size;
  s.limit = limit;
  s.preset = preset;
  s.attention_weight = attention_weight.value_or(s.attention_weight);
  s.model.heads = heads.value_or(s.model.heads);
  if (attention) s.model.attention = parse_attention_score(*attention);
  s.model.bidirectional = bidirectional.value_or(s.model.bidirectional);
  if (no_input_feeding) s.model.input_feeding = !*no_input_feeding;
  s.model.dropout = dropout.value_or(s.model.dropout);
  s.loop.batch_size = batch.value_or(s.loop.batch_size);
  s.loop.max_epochs = epochs.value_or(s.loop.max_epochs);
  set_bounds(s.examples);
  if (optimizer &&
      *optimizer != s.loop.optimizer.name) {  // nothing of the preset's is meant for it
    s.loop.optimizer = {.name = *optimizer};
    s.loop.schedule = {.rate = default_rate(*optimizer)};
    s.loop.max_norm = LoopSettings{}.max_norm;
  }
  s.loop.optimizer.weight_decay = weight_decay.value_or(s.loop.optimizer.weight_decay);
  s.loop.optimizer.warm_up = warm_up.value_or(s.loop.optimizer.warm_up);
  s.loop.optimizer.rate_decay = rate_decay.value_or(s.loop.optimizer.rate_decay);
  if (!groups.empty()) s.loop.optimizer.groups.clear();
  for (const std::string& group : groups) s.loop.optimizer.groups.push_back(parse_group(group));
  s.loop.max_norm = max_norm.value_or(s.loop.max_norm);
  s.loop.schedule.rate = rate.value_or(s.loop.schedule.rate);
  s.loop.schedule.min_rate = min_rate.value_or(s.loop.schedule.rate / 1000);
  s.loop.schedule.halve_after = halve_after.value_or(s.loop.schedule.halve_after);
  s.loop.schedule.patience = patience.value_or(s.loop.schedule.patience);
  s.loop.keep_every = keep_every.value_or(s.loop.keep_every);
  return s;
}

TrainSettings TrainFlags::model_settings() const {
  const Structure parsed = Structure::parse(structure);
  if (heads && parsed.family != Family::kTransformer) {
    throw UsageError("--heads: is for --structure transformer, not for " + structure);
  }
  TrainSettings s = settings(parsed);
  s.insert_prob = insert_prob;
  return s;
}

nlohmann::ordered_json as_options(const TrainSettings& s) {
  nlohmann::ordered_json options = {{"preset", nullptr},
                                    {"structure", s.model.structure.name},
                                    {"insert-prob", s.insert_prob},
                                    {"attention-weight", s.attention_weight},
                                    {"layers", s.model.num_layers},
                                    {"hidden", s.model.hidden_size},
                                    {"embed", s.model.embedding_size},
                                    {"embeddings", s.word_vectors},
                                    {"heads", s.model.heads},
                                    {"attention", name_of(s.model.attention_score())},
                                    {"bidirectional", s.model.bidirectional},
                                    {"no-input-feeding", !s.model.input_feeding},
                                    {"tokens", name_of(s.tokens)},
                                    {"vocab", nullptr},
                                    {"batch", s.loop.batch_size},
                                    {"dropout", s.model.dropout},
                                    {"examples", s.examples.all_positions ? "all" : "last"},
                                    {"max-turns", s.examples.max_turns},
                                    {"min-turns", s.examples.min_turns},
                                    {"speaker", s.examples.speaker},
                                    {"max-context", s.examples.max_context_tokens},
                                    {"max-utterance", s.examples.max_utterance_tokens},
                                    {"max-response", s.examples.max_response_tokens},
                                    {"limit", nullptr},
                                    {"optimizer", s.loop.optimizer.name},
                                    {"warm-up", s.loop.optimizer.warm_up},
                                    {"rate-decay", s.loop.optimizer.rate_decay},
                                    {"weight-decay", s.loop.optimizer.weight_decay},
                                    {"group", ""},
                                    {"patience", s.loop.schedule.patience},
                                    {"min-rate", s.loop.schedule.min_rate},
                                    {"halve-after", s.loop.schedule.halve_after},
                                    {"keep-every", s.loop.keep_every},
                                    {"pieces", s.loop.pieces},
                                    {"log-steps", s.loop.log_steps},
                                    {"seed", s.loop.seed}};
  if (s.preset) options["preset"] = *s.preset;
  if (s.vocabulary) options["vocab"] = *s.vocabulary;
  if (s.limit) options["limit"] = *s.limit;
  std::ostringstream groups;
  for (const ParameterGroup& g : s.loop.optimizer.groups) {
    groups << (groups.tellp() > 0 ? " " : "") << g.name << ":" << g.rate << ":" << g.weight_decay;
  }
  options["group"] = groups.str();
  return options;
}

}  // namespace heed
