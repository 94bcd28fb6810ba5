// A model directory: config.json, vocab.txt, model.safetensors; for structures with tables also
// tables.safetensors.
#pragma once

#include <memory>
#include <string>

#include "dialog/respond/responder.h"
#include "dialog/text/vocabulary.h"

namespace heed {

constexpr const char* kTableFile = "tables.safetensors";

// Including the tables. Throws DataError for a missing value, a wrong type, or one out of range.
ModelConfig load_config(const std::string& directory);

// See check_memory() of train/model_directory.h.
void check_memory(const ModelConfig& config);

struct LoadedModel {
  std::unique_ptr<Responder> model;
  Vocabulary vocabulary;
};
// Throws DataError if there is no model (yet), or if the three files do not fit together. Allocates
// no more memory than the directory's own files account for.
LoadedModel load_model(const std::string& directory);
// Everything but the parameters: config.json, vocab.txt and the tables.
void save_description(const std::string& directory, const ModelConfig& config,
                      const Vocabulary& vocabulary);

}  // namespace heed
