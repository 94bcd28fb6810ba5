// A model directory: config.json, vocab.txt, model.safetensors; of structures with tables also
// tables.safetensors.
#pragma once

#include <memory>
#include <string>

#include "dialog/respond/responder.h"
#include "dialog/text/vocabulary.h"

namespace heed {

constexpr const char* kTableFile = "tables.safetensors";

void save_config(const std::string& directory, const ModelConfig& config);
// With the tables. Throws DataError for what is missing, of the wrong type, or out of range.
ModelConfig load_config(const std::string& directory);

// See check_memory() of train/model_directory.h.
void check_memory(const ModelConfig& config);

struct LoadedModel {
  std::unique_ptr<Responder> model;
  Vocabulary vocabulary;
};
// Throws DataError where there is no model (yet), or the three files do not fit together. Nothing
// is allocated that the directory's own files do not account for.
LoadedModel load_model(const std::string& directory);
// What config.json says of a model.
std::string config_text(const ModelConfig& config);
// All but the parameters: config.json, vocab.txt and the tables.
void save_description(const std::string& directory, const ModelConfig& config,
                      const Vocabulary& vocabulary);
void save_model(const std::string& directory, Responder& model, const Vocabulary& vocabulary);

}  // namespace heed
