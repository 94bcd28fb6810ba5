#include "dialog/respond/config.h"

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dialog/respond/structures.h"
#include "nn/safetensors.h"
#include "tensor/file.h"
#include "tensor/machine.h"
#include "train/run_json.h"

namespace heed {
namespace {

// The value of a key, of the type of T; throws DataError if there is none.
template <class T> T get(const std::string& path, const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) throw DataError(path + ": '" + key + "' is missing");
  const bool fits = std::is_same_v<T, bool>          ? found->is_boolean()
                    : std::is_same_v<T, std::string> ? found->is_string()
                    : std::is_same_v<T, double>      ? found->is_number()
                                                     : found->is_number_integer();
  if (!fits) throw DataError(path + ": '" + key + "' has the wrong type");
  return found->get<T>();
}

double parameter_bytes(const ModelConfig& config) {
  return 4 * parameter_count(config);
}

}  // namespace

void save_config(const std::string& directory, const ModelConfig& c) {
  nlohmann::ordered_json json = {
      {"system", "respond"},          {"structure", c.structure.name},
      {"vocab_size", c.vocab_size},   {"embedding_size", c.embedding_size},
      {"hidden_size", c.hidden_size}, {"num_layers", c.num_layers},
      {"lstm_bias", c.lstm_bias},     {"dropout", c.dropout}};
  if (c.structure.family == Family::kTransformer) json["heads"] = c.heads;
  write_file(in(directory, "config.json"), json.dump(2) + "\n");
}

ModelConfig load_config(const std::string& directory) {
  const std::string path = file_inside(directory, "config.json");
  const auto json = nlohmann::json::parse(read_file(path, 1 << 20), nullptr, false);
  if (!json.is_object()) throw DataError(path + ": not a JSON object");
  ModelConfig c;
  if (json.contains("system") && json["system"] != "respond") {
    throw DataError(path + ": a model of the system " + json["system"].dump() +
                    ", which does not write responses");
  }
  try {
    c.structure = Structure::parse(get<std::string>(path, json, "structure"));
    c.vocab_size = get<int64_t>(path, json, "vocab_size");
    c.embedding_size = get<int64_t>(path, json, "embedding_size");
    c.hidden_size = get<int64_t>(path, json, "hidden_size");
    c.num_layers = get<int64_t>(path, json, "num_layers");
    c.lstm_bias = get<bool>(path, json, "lstm_bias");
    c.dropout = get<double>(path, json, "dropout");
    if (json.contains("heads")) c.heads = get<int64_t>(path, json, "heads");
    c.check();
  } catch (const UsageError& e) {
    throw DataError(path + ": " + e.what());
  }
  return c;
}

void check_memory(const ModelConfig& config) {
  const double needed = 2 * parameter_bytes(config);
  const double memory = usable_memory();
  if (needed > memory) {
    constexpr double kGiB = 1 << 30;
    throw UsageError("model: parameters and gradients need " +
                     std::to_string(std::llround(needed / kGiB)) + " GiB, there are " +
                     std::to_string(std::llround(memory / kGiB)) +
                     "; choose smaller sizes, layers or vocabulary");
  }
}

void check_is_model(const std::string& directory) {
  namespace fs = std::filesystem;
  std::error_code ignored;
  if (fs::is_regular_file(directory, ignored)) {
    throw DataError(directory + ": is a file; give the folder of the model or run that it lies in");
  }
  if (!fs::is_directory(directory, ignored)) {
    throw DataError(directory + ": no such directory of a model or a run");
  }
  if (!fs::exists(in(directory, "config.json"), ignored)) {
    throw DataError(directory + ": not a directory of a model or a run: it has no config.json");
  }
  if (fs::exists(in(directory, "settings.json"), ignored) &&
      !fs::exists(in(directory, "model.safetensors"), ignored)) {
    throw DataError(directory +
                    ": no model yet: an epoch of the training has to be finished "
                    "(there is no model.safetensors)");
  }
}

LoadedModel load_model(const std::string& directory) {
  check_is_model(directory);
  const ModelConfig config = load_config(directory);
  const std::string weights = file_inside(directory, "model.safetensors");
  std::error_code error;
  const double bytes = static_cast<double>(std::filesystem::file_size(weights, error));
  if (error) throw DataError(weights + ": cannot be read: " + error.message());
  if (parameter_bytes(config) > bytes) {
    throw DataError(weights + ": smaller than the parameters that config.json describes");
  }
  const std::string words = file_inside(directory, "vocab.txt");
  Vocabulary vocabulary = Vocabulary::load(words, config.vocab_size);
  if (vocabulary.size() != config.vocab_size) {
    throw DataError(words + ": " + std::to_string(vocabulary.size()) +
                    " tokens, config.json says " + std::to_string(config.vocab_size));
  }
  auto model = make_responder(config);
  load_parameters(weights, *model);
  return {std::move(model), std::move(vocabulary)};
}

void save_description(const std::string& directory, const ModelConfig& config,
                      const Vocabulary& vocabulary) {
  save_config(directory, config);
  vocabulary.save(in(directory, "vocab.txt"));
}

void save_model(const std::string& directory, Responder& model, const Vocabulary& vocabulary) {
  make_directory(directory);
  save_description(directory, model.config(), vocabulary);
  save_parameters(in(directory, "model.safetensors"), model);
}

}  // namespace heed
