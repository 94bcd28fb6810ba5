#include "dialog/respond/run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "dialog/respond/settings.h"
#include "dialog/respond/structures.h"
#include "dialog/text/word_vectors.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "train/checkpoint.h"
#include "train/model_directory.h"
#include "train/run_json.h"
#include "train/setting_rules.h"

namespace heed {

namespace {

using Json = nlohmann::json;

constexpr auto kVisitRun = [](auto& settings, auto& v) { visit_run(settings, v); };

TrainSettings read_settings(const std::string& path) {
  return with_json(
      path, [](const Json& json) { return settings_from_json<TrainSettings>(json, kVisitRun); });
}

}  // namespace

void TrainSettings::check() const {
  model.check();
  check_values("", *this, kVisitRun);
  if (tokens == TokenKind::kPieces && model.vocab_size < kSmallestOfPieces) {
    throw UsageError(
        "vocab: expected 261 or more with tokens bpe, for special tokens and single bytes, got " +
        std::to_string(model.vocab_size));
  }
  if (!lexicon.empty() && (!model.structure.has("lexicon") || tokens != TokenKind::kWords)) {
    throw UsageError("lexicon: is for the structure two-vocabulary with tokens words");
  }
  if (!topics_file.empty() && (!model.structure.has("topics") || tokens != TokenKind::kWords)) {
    throw UsageError(
        "topics-file: is for the structures thred-topics and ta-seq2seq with tokens words");
  }
  if (model.structure.has("topics") && tokens != TokenKind::kWords) {
    throw UsageError("tokens: topics are of words, so " + std::string(model.structure.name) +
                     " needs --tokens words");
  }
  loop.check();
  for (const ParameterGroup& group : loop.optimizer.groups) {
    if (has_parameter(model, group.name)) continue;
    throw UsageError("group '" + group.name + "': no parameter of a " +
                     std::string(model.structure.name) + " model has a name that fits");
  }
}

void save_settings(const std::string& run, const TrainSettings& settings,
                   const std::string& made_with) {
  write_settings(run, settings_to_json(settings, kVisitRun), made_with);
}

TrainSettings load_settings(const std::string& run) {
  TrainSettings settings = read_settings(file_inside(run, "settings.json"));
  settings.model = load_config(run);
  settings.examples.conditions = settings.model.conditions();
  return settings;
}

namespace {

void save_word_vectors(const std::string& run, const TrainSettings& settings,
                       const Vocabulary& vocabulary) {
  const std::string& path = settings.word_vectors;
  const WordVectors vectors = read_word_vectors(path, vocabulary);
  check_word_vectors(path, vectors.width, settings.model);
  if (vectors.ids.empty()) throw DataError(path + ": has no word of the vocabulary");
  const auto count = static_cast<int64_t>(vectors.ids.size());
  save_tensors(in(run, kWordVectorFile),
               {{"ids", Tensor::from(vectors.ids)},
                {"x", Tensor::from(vectors.values, {count, vectors.width})}});
}

// Copies the rows of x (n, E) to the rows `ids` of each embedding of words (V, E).
void begin_with_vectors(const std::string& path, Responder& model) {
  const TensorMap file = load_tensors(path);
  const ModelConfig& c = model.config();
  if (!file.contains("ids") || !file.contains("x")) throw DataError(path + ": has no ids and x");
  const std::vector<double> ids = file.at("ids").to_vector();
  const Tensor& x = file.at("x");
  const int64_t width = word_width(c);
  if (x.shape() != Shape{static_cast<int64_t>(ids.size()), width}) {
    throw DataError(path + ": x has another shape than ids and the embeddings ask for");
  }
  const std::vector<double> values = x.to_vector();
  for (const NamedParameter& p : parameters(model)) {
    if (!p.name.ends_with("embedding.weight") || p.var.shape() != Shape{c.vocab_size, width}) {
      continue;
    }
    std::vector<double> rows = p.var.value().to_vector();
    for (size_t i = 0; i < ids.size(); ++i) {
      const auto id = static_cast<int64_t>(ids[i]);
      if (id < 0 || id >= c.vocab_size) throw DataError(path + ": an id is no word");
      std::copy_n(values.begin() + i * width, width, rows.begin() + id * width);
    }
    p.var.set_value(Tensor::from(rows, p.var.value().shape()).to(p.var.dtype()));
  }
}

bool has(const TensorMap& file, const NamedParameter& p) {
  const auto found = file.find(p.name);
  return found != file.end() && found->second.shape() == p.var.shape();
}

TakenWeights compare_weights(TensorMap file, Responder& model) {
  TakenWeights weights;
  for (const NamedParameter& p : parameters(model)) {
    const bool taken = has(file, p);
    (taken ? weights.taken : weights.drawn).push_back(p.name);
    if (taken) file.erase(p.name);
  }
  for (const auto& [name, tensor] : file) weights.unused.push_back(name);
  return weights;
}

void begin_with_weights(const std::string& path, Responder& model) {
  const TensorMap file = load_tensors(path);
  for (const NamedParameter& p : parameters(model)) {
    if (has(file, p)) p.var.set_value(file.at(p.name).to(p.var.dtype()).clone());
  }
}

// What the names of parameters begin with whose rows are of other things in the model `of`, though
// they may have the shape of those of the new one: of the words of other topics, of a label's other
// values.
std::vector<std::string> of_other_things(const ModelConfig& of, const ModelConfig& c) {
  std::vector<std::string> names;
  const auto counts = [](const ModelConfig& m) {
    const auto found = m.tables.find("topics.counts");
    return found == m.tables.end() ? std::vector<int32_t>() : found->second.to_ints();
  };
  if (counts(of) != counts(c)) names.emplace_back("decoder.output.part.");
  if (of.domain != c.domain) names.emplace_back("domain.embedding.");
  if (of.sentiment != c.sentiment) names.emplace_back("decoder.sentiment.");
  return names;
}

// Throws DataError where nothing of it fits.
void save_first_weights(const std::string& run, const TrainSettings& settings) {
  const std::string path = weights_of(settings.init, 0);
  const auto model = make_responder(settings.model, settings.loop.seed);
  TensorMap file = load_tensors(path);
  const ModelConfig of = load_config(settings.init);
  const std::vector<std::string> others = of_other_things(of, settings.model);
  const size_t left_out = std::erase_if(file, [&](const auto& named) {
    return std::any_of(others.begin(), others.end(),
                       [&](const std::string& prefix) { return named.first.starts_with(prefix); });
  });
  if (compare_weights(file, *model).taken.empty()) {
    throw DataError(path + ": no parameter has name and shape of one of the new model; it is " +
                    std::string(of.structure.name) + ", " + std::to_string(of.num_layers) + " x " +
                    std::to_string(of.hidden_size) + " (--structure, --layers, --embed, --hidden)");
  }
  if (left_out == 0) return copy_model_file(path, in(run, kInitFile));
  std::vector<NamedTensor> rest;
  for (const auto& [name, tensor] : file) rest.push_back({name, tensor});
  save_tensors(in(run, kInitFile), rest);
}

}  // namespace

TakenWeights taken_weights(const std::string& run, const TrainSettings& settings) {
  return compare_weights(load_tensors(file_inside(run, kInitFile)),
                         *make_responder(settings.model, settings.loop.seed));
}

std::unique_ptr<Responder> first_model(const std::string& run, const TrainSettings& settings) {
  const ModelConfig& c = settings.model;
  std::unique_ptr<Responder> model =
      make_responder(c.structure.tables ? load_config(run) : c, settings.loop.seed);
  if (settings.xavier) init_again_xavier(*model, settings.loop.seed);
  if (!settings.init.empty()) begin_with_weights(file_inside(run, kInitFile), *model);
  if (!settings.word_vectors.empty()) begin_with_vectors(file_inside(run, kWordVectorFile), *model);
  return model;
}

void start_run(const std::string& run, const TrainSettings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  save_description(run, settings.model, vocabulary);
  if (!settings.word_vectors.empty()) save_word_vectors(run, settings, vocabulary);
  if (!settings.init.empty()) save_first_weights(run, settings);
  save_settings(run, settings, made_with);
}

ExampleOptions load_example_options(const std::string& run) {
  const std::string path = file_inside(run, "settings.json");
  ExampleOptions options{.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0};
  if (std::filesystem::exists(path)) options = read_settings(path).examples;
  if (std::filesystem::exists(in(run, "config.json"))) {
    options.conditions = load_config(run).conditions();
  }
  return options;
}

namespace {

// The parameters of a model from a file that may hold the state of an optimiser and what was
// trained beside the model, too.
void load_weights(const std::string& path, Responder& model) {
  const TensorMap file = load_tensors(path);
  std::vector<NamedTensor> targets = parameter_tensors(model);
  std::string prefix = std::string(kGenerator) + ".";
  if (!file.contains(prefix + targets[0].name)) prefix.clear();
  for (NamedTensor& target : targets) target.name = prefix + target.name;
  for (const auto& [name, tensor] : file) {
    const bool is_own = name.starts_with(prefix) && !name.starts_with(prefix + "optimizer.");
    if (!is_own) targets.push_back({name, tensor});
  }
  load_into(path, targets);
}

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

}  // namespace

LoadedModel load_epoch(const std::string& run, const std::string& epoch) {
  if (epoch != "best" && epoch != "last" && epoch != "untrained" && !is_number(epoch)) {
    throw UsageError(
        "epoch: expected a number, untrained, best or last, and of features and probes best-bleu, "
        "best-rouge or best-meteor, got '" +
        epoch + "'");
  }
  LoadedModel loaded = load_model(run);
  if (epoch == "best") return loaded;
  if (!std::filesystem::exists(in(run, "settings.json"))) {
    throw DataError(run +
                    ": a model without its run (there is no settings.json) has no epoch but "
                    "the best one");
  }
  if (epoch == "untrained" || epoch == "0") {
    loaded.model = first_model(run, load_settings(run));
    return loaded;
  }
  const std::string kept = "epoch-" + epoch + ".safetensors";
  if (epoch != "last" && !std::filesystem::exists(in(run, kept.c_str()))) {
    throw DataError(run + ": holds no " + kept + "; a training keeps it with --keep-every");
  }
  load_weights(epoch == "last" ? newest_checkpoint(run) : file_inside(run, kept), *loaded.model);
  return loaded;
}

double train_perplexity(const EpochLog& log) {
  return value_of(log.metrics, kTrainPerplexity);
}

double valid_perplexity(const EpochLog& log) {
  return value_of(log.metrics, kValidPerplexity);
}

double best_perplexity(const std::vector<EpochLog>& log) {
  double best = std::numeric_limits<double>::infinity();
  for (const EpochLog& e : log) best = std::min(best, valid_perplexity(e));
  return best;
}

bool is_worse_than_a_guess(double perplexity, int64_t vocab_size) {
  return perplexity > 1.05 * static_cast<double>(vocab_size);
}

}  // namespace heed
