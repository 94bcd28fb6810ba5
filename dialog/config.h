// A model directory: config.json, vocab.txt, model.safetensors. And the presets of its sizes.
#pragma once

#include <memory>
#include <string>

#include "dialog/model.h"
#include "dialog/vocabulary.h"

namespace heed {

// Sizes and training settings that belong together:
//   paper    4 layers x 512, vocabulary 25,000, batch 256     the setting of Xing & Gulla 2022
//   laptop   2 layers x 256, vocabulary 10,000, batch 32      real training on two cores
//   smoke    1 layer x 64, vocabulary 2,000, batch 32         ends in a minute
struct Preset {
  std::string name;
  int64_t layers, hidden, vocabulary, batch;
  int max_epochs;
  double dropout;
  std::string optimizer;
  double rate;
  int warm_up, halve_after;  // OptimizerSettings, HalvingSchedule
};
Preset find_preset(const std::string& name);  // throws UsageError, with the names

void save_config(const std::string& directory, const ModelConfig& config);
// Throws DataError for what is missing, of the wrong type, or out of range.
ModelConfig load_config(const std::string& directory);

// Throws UsageError where the parameters and their gradients would not fit into this machine's
// memory, before anything is allocated.
void check_memory(const ModelConfig& config);

struct LoadedModel {
  std::unique_ptr<DialogModel> model;
  Vocabulary vocabulary;
};
// Throws DataError where the three files do not fit together. Nothing is allocated that the
// directory's own files do not account for.
LoadedModel load_model(const std::string& directory);
void save_model(const std::string& directory, DialogModel& model, const Vocabulary& vocabulary);

}  // namespace heed
