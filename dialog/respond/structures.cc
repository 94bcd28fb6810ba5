// The list of response models. A new one has a row here.
#include "dialog/respond/structures.h"

#include <algorithm>
#include <cmath>

#include "dialog/respond/config.h"
#include "dialog/respond/models/hred.h"
#include "dialog/respond/models/keywords.h"
#include "dialog/respond/models/lstm.h"
#include "dialog/respond/models/seq2seq.h"
#include "dialog/respond/models/thred.h"
#include "dialog/respond/models/transformer.h"
#include "dialog/respond/models/two_vocabulary.h"
#include "dialog/respond/settings.h"
#include "dialog/text/vocabulary.h"
#include "nn/count.h"
#include "train/any_settings.h"
#include "train/setting_rules.h"
#include "train/settings_json.h"

namespace heed {

namespace {

template <class Model> std::unique_ptr<Responder> make(const ModelConfig& config) {
  return std::make_unique<Model>(config);
}
constexpr auto kLstm = make<LstmResponder>;

// The rows of hred.h.
using LooksAt = HredResponder::LooksAt;
template <LooksAt at> Structure hred(std::string_view name) {
  return {.name = name,
          .family = Family::kGru,
          .make = [](const ModelConfig& c) -> std::unique_ptr<Responder> {
            return std::make_unique<HredResponder>(c, at);
          },
          .hierarchical = at != LooksAt::kAll,
          .static_query = false,
          .integration = false,
          .attention = at == LooksAt::kAll,
          .options = {"noise"}};
}

// A row of more options.
Structure with(std::vector<std::string_view> options, Structure s) {
  s.options = std::move(options);
  return s;
}

std::vector<Structure>& all_structures() {
  using Encoder = Structure::Encoder;
  static std::vector<Structure> all = {
      {"non-hier", Family::kLstm, kLstm, false, false, false},
      {"static", Family::kLstm, kLstm, true, true, false},
      {"static-ui", Family::kLstm, kLstm, true, true, true},
      {"dynamic", Family::kLstm, kLstm, true, false, false},
      {"dynamic-ui", Family::kLstm, kLstm, true, false, true},
      {"lstm", Family::kSeq2Seq, make_seq2seq, false, false, false, Encoder::kForward, false},
      {"lstm-attention", Family::kSeq2Seq, make_seq2seq, false, false, false, Encoder::kForward},
      {"bilstm-attention", Family::kSeq2Seq, make_seq2seq, false, false, false, Encoder::kBothWays},
      {"hred", Family::kSeq2Seq, make_seq2seq, true, false, false, Encoder::kUtterances},
      {"hred-stacked", Family::kSeq2Seq, make_seq2seq, false, false, false, Encoder::kStacked},
      {"transformer", Family::kTransformer, make_transformer, false, false, false},
      hred<LooksAt::kNothing>("hred-gru"),
      hred<LooksAt::kCurrent>("hred-attention-current"),
      hred<LooksAt::kAll>("hred-attention"),
      with({"message"},
           {"thred", Family::kGru, make_thred, true, false, false, Encoder::kUtterances}),
      with({"keyword-weight", "query"},
           {"keywords", Family::kGru, make<KeywordResponder>, true, false, false,
            Encoder::kUtterances, false, KeywordResponder::learn}),
      with({"message", "topics"}, {"thred-topics", Family::kGru, make_thred, true, false, false,
                                   Encoder::kUtterances, true, learn_topics}),
      {"seq2seq-gru", Family::kGru, make_thred, false, false, false, Encoder::kBothWays},
      with({"topics"}, {"ta-seq2seq", Family::kGru, make_thred, false, false, false,
                        Encoder::kBothWays, true, learn_topics}),
      with({"gate", "gate-weight", "sentiment", "domain", "lexicon"},
           {"two-vocabulary", Family::kOwn, make_two_vocabulary, false, false, false,
            Encoder::kBothWays, false})};
  return all;
}

}  // namespace

const std::vector<Structure>& structures() {
  return all_structures();
}

void register_structure(std::string_view name,
                        std::unique_ptr<Responder> (*make)(const ModelConfig& config),
                        decltype(Structure::tables) tables) {
  for (const Structure& s : structures()) {
    if (s.name != name) continue;
    throw UsageError("structure: there is one called '" + std::string(name) + "' already");
  }
  all_structures().push_back({.name = name,
                              .family = Family::kOwn,
                              .make = make,
                              .static_query = false,
                              .integration = false,
                              .tables = tables});
}

std::vector<Structure> structures(Family family) {
  std::vector<Structure> found;
  for (const Structure& s : structures()) {
    if (s.family == family) found.push_back(s);
  }
  return found;
}

std::string structure_names() {
  std::string names;
  for (const Structure& s : structures())
    names += (names.empty() ? "" : ", ") + std::string(s.name);
  return names;
}

bool Structure::has(std::string_view option) const {
  return std::find(options.begin(), options.end(), option) != options.end();
}

Structure Structure::parse(std::string_view name) {
  for (const Structure& s : structures()) {
    if (s.name == name) return s;
  }
  throw UsageError("structure: expected one of " + structure_names() + ", got '" +
                   std::string(name) + "'");
}

const std::vector<std::string>& noises() {
  static const std::vector<std::string> kNames = {"none", "utterance", "word"};
  return kNames;
}

std::string name_of(Noise noise) {
  return noises()[static_cast<size_t>(noise)];
}

Noise parse_noise(const std::string& name) {
  for (const auto noise : {Noise::kNone, Noise::kUtterance, Noise::kWord}) {
    if (name == name_of(noise)) return noise;
  }
  throw UsageError("noise: expected one of none, utterance, word, got '" + name + "'");
}

std::vector<Condition> ModelConfig::conditions() const {
  if (!structure.has("sentiment")) return {};
  return {sentiment, domain};
}

AttentionScore ModelConfig::attention_score() const {
  const bool additive = structure.family == Family::kSeq2Seq;
  return attention.value_or(additive ? AttentionScore::kAdditive : AttentionScore::kDot);
}

const Tensor& ModelConfig::table(const std::string& name) const {
  const auto found = tables.find(name);
  if (found != tables.end()) return found->second;
  throw DataError(std::string(kTableFile) + ": has no " + name + ", which " +
                  std::string(structure.name) + " needs");
}

namespace {

// "the structure keywords", "the structures hred-gru, hred-attention-current and hred-attention".
std::string names_with(std::string_view option) {
  std::vector<std::string> names;
  for (const Structure& s : structures()) {
    if (s.has(option)) names.emplace_back(s.name);
  }
  std::string text = names.size() == 1 ? "the structure " : "the structures ";
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

bool is_of_rows(std::string_view option) {
  return std::ranges::any_of(structures(), [&](const Structure& s) { return s.has(option); });
}

nlohmann::ordered_json options_of(ModelConfig c) {
  return as_options(AnySettings(c, [](auto& config, auto& v) { visit_model(config, v); }));
}

// What a structure does not have: an option that only the rows of others name has its default.
void check_options(const ModelConfig& c) {
  const Structure& s = c.structure;
  const auto refuse = [&](bool wrong, const std::string& rule) {
    if (wrong) throw UsageError(rule + ", not " + std::string(s.name));
  };
  const bool one_score = s.family != Family::kTransformer && s.family != Family::kGru;
  refuse(c.attention && !(one_score && s.attention),
         "attention: is for structures that attend with one score, as static-ui or hred");
  refuse(c.bidirectional && (s.family != Family::kLstm || s.hierarchical),
         "bidirectional: is for the structure non-hier");
  refuse(!c.input_feeding && (s.family != Family::kLstm || s.static_query),
         "no-input-feeding: is for the structures non-hier, dynamic and dynamic-ui");
  refuse(c.generic_words != 0 && !s.has("lexicon"), "lexicon: is for " + names_with("lexicon"));
  const nlohmann::ordered_json asked = options_of(c), usual = options_of({});
  for (const auto& [option, value] : asked.items()) {
    if (s.has(option) || value == usual.at(option) || !is_of_rows(option)) continue;
    refuse(true, option + ": is for " + names_with(option));
  }
  if (c.bidirectional && c.hidden_size % 2 != 0) {
    throw UsageError("hidden_size: each direction of a bidirectional encoder has half of it, got " +
                     std::to_string(c.hidden_size));
  }
}

}  // namespace

void ModelConfig::check() const {
  check_values("", *this, [](auto& config, auto& v) { visit_model(config, v); });
  if (vocab_size < kSpecialTokens + 1) {
    throw UsageError("vocab_size: needs room for a word besides the special tokens");
  }
  if (structure.family == Family::kTransformer &&
      (hidden_size % heads != 0 || hidden_size % 2 != 0)) {
    throw UsageError("hidden_size: of a transformer it is even and a multiple of the " +
                     std::to_string(heads) + " heads, got " + std::to_string(hidden_size));
  }
  if (generic_words < 0 || generic_words > vocab_size) {
    throw UsageError("generic_words: expected 0 to the " + std::to_string(vocab_size) +
                     " of the vocabulary, got " + std::to_string(generic_words));
  }
  check_options(*this);
}

std::unique_ptr<Responder> make_responder(const ModelConfig& config) {
  return (config.structure.make ? config.structure.make : kLstm)(config);
}

std::unique_ptr<Responder> make_responder(const ModelConfig& config, uint64_t seed) {
  std::unique_ptr<Responder> model = make_responder(config);
  model->init(seed);
  return model;
}

double parameter_count(const ModelConfig& config) {
  return count_parameters(config.num_layers, [&](int64_t layers) {
    ModelConfig few = config;
    few.num_layers = layers;
    return make_responder(few);
  });
}

bool has_parameter(ModelConfig config, const std::string& pattern) {
  const ShapesOnly no_memory;
  config.num_layers = std::min<int64_t>(config.num_layers, 64);
  const std::unique_ptr<Responder> model = make_responder(config);
  const std::vector<NamedParameter> all = parameters(*model);
  return std::any_of(all.begin(), all.end(),
                     [&](const NamedParameter& p) { return fits(p, pattern); });
}

int64_t word_width(const ModelConfig& c) {
  return c.structure.family == Family::kTransformer ? c.hidden_size : c.embedding_size;
}

void check_word_vectors(const std::string& path, int64_t width, const ModelConfig& config) {
  if (width == word_width(config)) return;
  throw DataError(path + ": vectors of " + std::to_string(width) +
                  " numbers; the model's embeddings have " + std::to_string(word_width(config)));
}

}  // namespace heed
