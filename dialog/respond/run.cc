#include "dialog/respond/run.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "dialog/respond/run_json.h"
#include "dialog/respond/structures.h"
#include "nn/safetensors.h"
#include "train/checkpoint.h"

namespace heed {

namespace {

using Json = nlohmann::json;

TrainSettings settings_from(const Json& json) {
  TrainSettings settings = json.get<TrainSettings>();
  if (json.contains("limit")) settings.limit = json["limit"].get<size_t>();
  if (json.contains("vocabulary")) settings.vocabulary = json["vocabulary"].get<int64_t>();
  if (json.contains("preset")) settings.preset = json["preset"].get<std::string>();
  return settings;
}

}  // namespace

void TrainSettings::check() const {
  model.check();
  check_rule(insert_prob >= 0 && insert_prob <= 1, "insert_prob: expected 0 to 1", insert_prob);
  check_rule(attention_weight >= 0 && std::isfinite(attention_weight),
             "attention_weight: expected 0 or more", attention_weight);
  loop.check();
}

void save_settings(const std::string& run, const TrainSettings& settings,
                   const std::string& made_with) {
  Json json = settings;
  json["format"] = kRunFormat;
  if (settings.limit) json["limit"] = *settings.limit;
  if (settings.vocabulary) json["vocabulary"] = *settings.vocabulary;
  if (settings.preset) json["preset"] = *settings.preset;
  if (!made_with.empty()) json["heed"] = Json::parse(made_with);
  write_file(in(run, "settings.json"), json.dump(2) + "\n");
}

TrainSettings load_settings(const std::string& run) {
  TrainSettings settings = with_json(file_inside(run, "settings.json"), settings_from);
  settings.model = load_config(run);
  return settings;
}

void start_run(const std::string& run, const TrainSettings& settings, const Vocabulary& vocabulary,
               const std::string& made_with) {
  save_description(run, settings.model, vocabulary);
  save_settings(run, settings, made_with);
}

ExampleOptions load_example_options(const std::string& run) {
  const std::string path = file_inside(run, "settings.json");
  if (std::filesystem::exists(path)) return with_json(path, settings_from).examples;
  return {.max_turns = 0, .max_utterance_tokens = 0, .max_response_tokens = 0};
}

namespace {

// The parameters of a model from a file that may hold the state of an optimiser too.
void load_weights(const std::string& path, Responder& model) {
  std::vector<NamedTensor> targets = parameter_tensors(model);
  for (const auto& [name, tensor] : load_tensors(path)) {
    if (name.starts_with("optimizer.")) targets.push_back({name, tensor});
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
        "epoch: expected a number, untrained, best, last, "
        "best-bleu, best-rouge or best-meteor, got '" +
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
    loaded.model = make_responder(loaded.model->config(), load_settings(run).loop.seed);
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
