#include "dialog/respond/config.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/structures.h"
#include "dialog/runs_of.h"
#include "nn/safetensors.h"
#include "train/model_directory.h"
#include "train/run_json.h"

namespace heed {

static constexpr auto kVisitModel = [](auto& config, auto& v) { visit_model(config, v); };

ModelConfig load_config(const std::string& directory) {
  const std::string path = file_inside(directory, "config.json");
  auto config = with_json(path, [&](const nlohmann::json& json) {
    if (json.contains("system") && json["system"] != "respond") {
      throw DataError(path + ": a model of the system " + json["system"].dump() +
                      ", which does not write responses");
    }
    auto c = settings_from_json<ModelConfig>(json, kVisitModel);
    c.check();
    return c;
  });
  if (config.structure.tables) config.tables = load_tensors(file_inside(directory, kTableFile));
  return config;
}

void check_memory(const ModelConfig& config) {
  check_memory(parameter_count(config));
}

LoadedModel load_model(const std::string& directory) {
  check_is_model(directory);
  const ModelConfig config = load_config(directory);
  const std::string weights = weights_of(directory, parameter_count(config));
  Vocabulary vocabulary = load_words(directory, config.vocab_size);
  auto model = make_responder(config);
  load_parameters(weights, *model);
  name_parts(*model);
  return {std::move(model), std::move(vocabulary)};
}

void save_description(const std::string& directory, const ModelConfig& config,
                      const Vocabulary& vocabulary) {
  nlohmann::ordered_json json = {{"system", "respond"}};
  json.update(settings_to_json(config, kVisitModel));
  json[kWordsFingerprint] = fingerprint(vocabulary);
  write_file(in(directory, "config.json"), json.dump(2) + "\n");
  vocabulary.save(in(directory, "vocab.txt"));
  if (!config.structure.tables) return;
  std::vector<NamedTensor> tables;
  for (const auto& [name, tensor] : config.tables) tables.push_back({name, tensor});
  save_tensors(in(directory, kTableFile), tables);
}

}  // namespace heed
