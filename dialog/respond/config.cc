#include "dialog/respond/config.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/respond/structures.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed {

std::string config_text(const ModelConfig& c) {
  nlohmann::ordered_json json = {
      {"system", "respond"},          {"structure", c.structure.name},
      {"vocab_size", c.vocab_size},   {"embedding_size", c.embedding_size},
      {"hidden_size", c.hidden_size}, {"num_layers", c.num_layers},
      {"lstm_bias", c.lstm_bias},     {"dropout", c.dropout}};
  if (c.structure.family == Family::kTransformer) json["heads"] = c.heads;
  if (c.attention) json["attention"] = name_of(*c.attention);
  if (c.bidirectional) json["bidirectional"] = true;
  if (!c.input_feeding) json["input_feeding"] = false;
  return json.dump(2) + "\n";
}

void save_config(const std::string& directory, const ModelConfig& c) {
  write_file(in(directory, "config.json"), config_text(c));
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
    c.structure = Structure::parse(typed_value<std::string>(path, json, "structure"));
    c.vocab_size = typed_value<int64_t>(path, json, "vocab_size");
    c.embedding_size = typed_value<int64_t>(path, json, "embedding_size");
    c.hidden_size = typed_value<int64_t>(path, json, "hidden_size");
    c.num_layers = typed_value<int64_t>(path, json, "num_layers");
    c.lstm_bias = typed_value<bool>(path, json, "lstm_bias");
    c.dropout = typed_value<double>(path, json, "dropout");
    if (json.contains("heads")) c.heads = typed_value<int64_t>(path, json, "heads");
    if (json.contains("attention")) {
      c.attention = parse_attention_score(typed_value<std::string>(path, json, "attention"));
    }
    if (json.contains("bidirectional"))
      c.bidirectional = typed_value<bool>(path, json, "bidirectional");
    if (json.contains("input_feeding"))
      c.input_feeding = typed_value<bool>(path, json, "input_feeding");
    c.check();
  } catch (const UsageError& e) {
    throw DataError(path + ": " + e.what());
  }
  return c;
}

void check_memory(const ModelConfig& config) {
  check_memory(parameter_count(config));
}

LoadedModel load_model(const std::string& directory) {
  check_is_model(directory);
  const ModelConfig config = load_config(directory);
  const std::string weights = weights_of(directory, parameter_count(config));
  Vocabulary vocabulary = load_vocabulary(file_inside(directory, "vocab.txt"), config.vocab_size);
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
