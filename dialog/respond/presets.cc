#include "dialog/respond/presets.h"

#include "dialog/respond/structures.h"
#include "dialog/text/format.h"
#include "train/preset.h"

namespace heed {
namespace {

// With the usual dropout, 0.2.
ModelConfig sizes(int64_t layers, int64_t hidden, int64_t vocabulary) {
  return {.vocab_size = vocabulary,
          .embedding_size = hidden,
          .hidden_size = hidden,
          .num_layers = layers};
}

// Adam that learns words as fast as SGD and moves attention as well; docs/results/recipe.md has
// the measurements. The recurrent weights are changed more carefully than the tables of words,
// which decay.
const OptimizerSettings kAdam{.name = "adam",
                              .weight_decay = 0.2,
                              .groups = {{.name = "lstm", .rate = 0.2, .weight_decay = 0.05},
                                         {.name = "gru", .rate = 0.2, .weight_decay = 0.05},
                                         {.name = "combine", .rate = 0.2, .weight_decay = 0.05}}};

// Every turn from the third on is a response to learn from: three times as many examples as
// dialogues, and so fewer epochs.
TrainSettings all_turns(const ModelConfig& model, int epochs, double rate, int halve_after) {
  return {.model = model,
          .examples = {.all_positions = true},
          .attention_weight = 3,
          .loop = {.batch_size = 32,
                   .optimizer = kAdam,
                   .max_norm = 1,
                   .max_epochs = epochs,
                   .schedule = {.rate = rate, .halve_after = halve_after}}};
}

// As Parthasarathi, Pineau & Chandar (2020, section 4) train what is probed: the last 100 tokens of
// any context, Adam, a rate that nothing changes, no attention loss; every epoch is kept, for heed
// probe --epoch.
TrainSettings probe_settings(const ModelConfig& model, int epochs, double rate,
                             const OptimizerSettings& optimizer = {.name = "adam"}) {
  return {.model = model,
          .examples = {.all_positions = true,
                       .max_turns = 0,
                       .max_utterance_tokens = 0,
                       .max_context_tokens = 100,
                       .min_turns = 2},
          .attention_weight = 0,
          .loop = {.batch_size = 32,
                   .optimizer = optimizer,
                   .max_norm = 10,
                   .max_epochs = epochs,
                   .schedule = {.rate = rate, .patience = 0},
                   .keep_every = 1}};
}
// The paper's sizes, and small ones: of LSTMs, and of a transformer.
ModelConfig probed(int64_t vocabulary, int64_t embedding, int64_t hidden, double dropout) {
  return {.vocab_size = vocabulary,
          .embedding_size = embedding,
          .hidden_size = hidden,
          .num_layers = 2,
          .lstm_bias = true,
          .dropout = dropout};
}
const ModelConfig kProbed = probed(17000, 128, 256, 0), kProbedSmall = probed(2000, 32, 64, 0),
                  kProbedTransformer = probed(17000, 512, 512, 0.2),
                  kProbedSmallTransformer = probed(2000, 64, 64, 0.2);

// The generator of Bruni & Fernández (2017), for the structure non-hier: two utterances of context;
// what their text leaves open as in OpenNMT.
TrainSettings generator_settings(int64_t layers, int64_t hidden, int64_t embedding,
                                 int64_t vocabulary) {
  return {.model = {.vocab_size = vocabulary,
                    .embedding_size = embedding,
                    .hidden_size = hidden,
                    .num_layers = layers,
                    .lstm_bias = true,
                    .dropout = 0.3,
                    .attention = AttentionScore::kGeneral,
                    .bidirectional = true,
                    .input_feeding = false},
          .examples = {.all_positions = true,
                       .max_turns = 2,
                       .max_utterance_tokens = 25,
                       .max_response_tokens = 25,
                       .min_turns = 2},
          .attention_weight = 0,
          .loop = {.batch_size = 64,
                   .optimizer = {.name = "sgd"},
                   .max_norm = 5,
                   .max_epochs = 13,
                   .schedule = {.rate = 1, .halve_after = 5}}};
}
TrainSettings small_generator() {
  TrainSettings s = generator_settings(1, 64, 64, 2000);
  s.loop = all_turns(s.model, 2, 0.01, 1).loop;
  return s;
}

// Nie, Bennett & Goodman (2019) for explanations (heed prepare because): for the structures
// non-hier and transformer, whose rates follow Vaswani et al. 2017, d^-0.5 min(t^-0.5, t w^-1.5): w
// = 4000, d = 512. Contexts may have one turn; what the text leaves open is as in the generator
// above.
TrainSettings explain_settings(const ModelConfig& model, int warm_up, double rate) {
  return {.model = model,
          .examples = {.all_positions = true, .min_turns = 2},
          .attention_weight = 0,
          .loop = {.batch_size = 64,
                   .optimizer = {.name = "adam", .warm_up = warm_up, .rate_decay = "inverse-sqrt"},
                   .max_norm = 5,
                   .max_epochs = 20,
                   .schedule = {.rate = rate, .patience = 0, .stop_after = 2}}};
}
ModelConfig explaining_lstm(ModelConfig sizes) {
  sizes.lstm_bias = true;
  sizes.attention = AttentionScore::kGeneral;
  return sizes;
}
ModelConfig explaining_transformer(ModelConfig sizes, int64_t heads) {
  sizes.dropout = 0.1;
  sizes.heads = heads;
  return sizes;
}

// The generators of four papers of NLP4ConvAI 2019; what a text leaves open as elsewhere: 25,000
// words, Adam with 0.001, batches of 64, norms of 5, two epochs without a better one.
TrainSettings workshop_settings(const ModelConfig& model, int most_turns) {
  return {.model = model,
          .examples = {.all_positions = true, .max_turns = most_turns, .min_turns = 2},
          .attention_weight = 0,
          .loop = {.batch_size = 64,
                   .optimizer = {.name = "adam"},
                   .max_norm = 5,
                   .max_epochs = 100,
                   .schedule = {.rate = 1e-3, .patience = 0, .stop_after = 2}}};
}
// Olabiyi et al.: SGD with 0.5. A generator that is trained alone halves it by the perplexity;
// beside a discriminator the paper's rule takes its place (dialog/discriminate/words/system.cc).
TrainSettings hredgan_settings() {
  TrainSettings s = workshop_settings({.vocab_size = 50000, .num_layers = 3, .dropout = 0}, 10);
  s.xavier = true;
  s.loop.optimizer.name = "sgd";
  s.loop.schedule = {.rate = 0.5, .stop_after = 2};
  return s;
}
// Dziri et al. and their program: 18 epochs, the rate halved after each of 14 to 17.
TrainSettings thred_settings() {
  TrainSettings s = workshop_settings({.vocab_size = 45000,
                                       .embedding_size = 300,
                                       .hidden_size = 800,
                                       .num_layers = 1,
                                       .topics = 150},
                                      2);
  s.examples.max_utterance_tokens = s.examples.max_response_tokens = 30;
  s.examples.min_turns = 3;
  s.loop.batch_size = 128;
  s.loop.max_epochs = 18;
  s.loop.schedule = {.rate = 2e-4, .min_rate = 1e-5, .patience = 0, .halve_after = 14};
  return s;
}
// Takayama & Arase, one GRU layer; Chikai et al., LSTMs.
TrainSettings keywords_settings() {
  TrainSettings s = workshop_settings(
      {.vocab_size = 100'000, .embedding_size = 256, .num_layers = 1, .dropout = 0}, 1);
  s.min_count = 16;  // "seen more than 15 times"
  return s;
}
TrainSettings expressive_settings() {
  TrainSettings s =
      workshop_settings({.embedding_size = 256, .num_layers = 1, .lstm_bias = true}, 1);
  s.loop.batch_size = 200;
  s.loop.schedule.rate = 0.01;
  return s;
}

// Leaves out the groups of which the structure has no parameter, as one without attention has no
// "combine".
void keep_fitting(std::vector<ParameterGroup>& groups, ModelConfig model) {
  std::erase_if(groups,
                [&](const ParameterGroup& group) { return !has_parameter(model, group.name); });
}

}  // namespace

// The times are processor time of heed train on the 12,208 bundled dialogues, p = 0.7, one thread
// of a cloud server (AMD Zen 5, AVX-512): smoke (53 s) and demo (206 s) as a whole, 59 steps of
// laptop and one of paper, times their number.
const std::vector<Preset>& presets() {
  static const std::vector<Preset> kPresets = {
      // The setting of Xing & Gulla (2022, section 4.2).
      {.name = "paper",
       .settings = {.model = sizes(4, 512, 25000),
                    .loop = {.batch_size = 256,
                             .optimizer = {.name = "sgd"},
                             .max_norm = 5,
                             .max_epochs = 30,
                             .schedule = {.rate = 1}}},
       .time = "some seven hours on one core"},
      {.name = "laptop",
       .settings = all_turns(sizes(2, 256, 10000), 4, 0.005, 2),
       .time = "about half an hour on one core"},
      {.name = "demo",
       .settings = all_turns(sizes(1, 128, 2000), 3, 0.007, 1),
       .time = "about three minutes on one core"},
      {.name = "smoke",
       .settings = all_turns(sizes(1, 64, 2000), 2, 0.01, 1),
       .time = "about a minute on one core"},
      // The paper has one rate for all; probe-tuned one that suits each.
      {.name = "probe-paper",
       .settings = probe_settings(kProbed, 25, 4e-3),
       .time = "hours on one core (not measured)",
       .transformer = probe_settings(kProbedTransformer, 25, 4e-3)},
      {.name = "probe-tuned",
       .settings = probe_settings(kProbed, 25, 1e-3),
       .time = "as long as probe-paper",
       .transformer =
           probe_settings(kProbedTransformer, 25, 5e-4,
                          {.name = "adam", .warm_up = 4000, .rate_decay = "inverse-sqrt"})},
      {.name = "probe-smoke",
       .settings = probe_settings(kProbedSmall, 2, 4e-3),
       .time = "minutes on one core (not measured)",
       .transformer =
           probe_settings(kProbedSmallTransformer, 2, 1e-3, {.name = "adam", .warm_up = 200})},
      {.name = "generator-paper",
       .settings = generator_settings(2, 2048, 500, 25005),
       .time = "days on one core (not measured); for --structure non-hier"},
      {.name = "generator-smoke",
       .settings = small_generator(),
       .time = "about a minute on one core (not measured); for --structure non-hier"},
      {.name = "explain-paper",
       .settings = explain_settings(explaining_lstm(sizes(2, 650, 25000)), 4000, 7e-4),
       .time = "days on one core (not measured); for --structure non-hier or transformer",
       .transformer =
           explain_settings(explaining_transformer(sizes(6, 512, 25000), 8), 4000, 7e-4)},
      {.name = "explain-smoke",
       .settings = explain_settings(explaining_lstm(sizes(1, 64, 2000)), 200, 5e-3),
       .time = "minutes on one core (not measured); for --structure non-hier or transformer",
       .transformer = explain_settings(explaining_transformer(sizes(2, 64, 2000), 2), 200, 2e-3)},
      {.name = "hredgan-paper",
       .settings = hredgan_settings(),
       .time = "days on one core (not measured); for heed train hredgan"},
      {.name = "thred-paper",
       .settings = thred_settings(),
       .time = "days on one core (not measured); for --structure thred-topics or thred"},
      {.name = "keywords-paper",
       .settings = keywords_settings(),
       .time = "days on one core (not measured); for --structure keywords"},
      {.name = "expressive-paper",
       .settings = expressive_settings(),
       .time = "days on one core (not measured); for --structure two-vocabulary"},
  };
  return kPresets;
}

const Preset& find_preset(const std::string& name) {
  return find_preset_in(presets(), name);
}

TrainSettings suited_to(const Structure& structure, const Preset& preset) {
  const bool is_transformer = structure.family == Family::kTransformer;
  TrainSettings settings =
      is_transformer ? preset.transformer.value_or(preset.settings) : preset.settings;
  settings.model.structure = structure;
  if (settings.model.bidirectional && (structure.family != Family::kLstm || structure.hierarchical))
    throw UsageError("--preset " + preset.name + ": is for --structure non-hier, not " +
                     std::string(structure.name));
  if (!structure.has("topics")) settings.model.topics = ModelConfig().topics;
  keep_fitting(settings.loop.optimizer.groups, settings.model);
  if (!is_transformer || preset.transformer) return settings;
  OptimizerSettings& optimizer = settings.loop.optimizer;
  HalvingSchedule::Options& schedule = settings.loop.schedule;
  schedule.rate = optimizer.name == "adam" ? schedule.rate / 5 : 0.0005;
  schedule.min_rate = schedule.rate / 1000;
  optimizer = {.name = "adam", .weight_decay = optimizer.weight_decay, .warm_up = 200};
  settings.loop.max_norm = 1;
  return settings;
}

std::string preset_table() {
  return preset_lines(presets(), [](const Preset& p) {
    const TrainSettings& s = p.settings;
    return counted(s.model.num_layers, "layer") + " x " + std::to_string(s.model.hidden_size) +
           ", vocabulary " + std::to_string(s.model.vocab_size) + ", batches of " +
           std::to_string(s.loop.batch_size) + ", " + s.loop.optimizer.name +
           (s.examples.all_positions ? ", every turn a response" : "") + ", at most " +
           counted(s.loop.max_epochs, "epoch") + "; takes " + p.time;
  });
}

}  // namespace heed
