// A run of a discriminator (train/run_directory.h). Its model is
//   config.json         "system": "adversarial", "kind": "discriminator", sizes, what it reads
//   vocab.txt, model.safetensors
//   encoder/            of a pretrained encoder: the model that it began with
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/discriminator.h"
#include "dialog/discriminate/replacement.h"
#include "dialog/text/vocabulary.h"
#include "train/settings.h"

namespace heed::discriminate {

struct Settings {
  Config model = {};
  Negatives negatives = {};
  LoopSettings loop = {};
  size_t limit = 0;               // dialogues to read of each part, 0: all
  std::string init = {};          // the pretrained encoder that the run began with
  uint32_t data_fingerprint = 0;  // of what was read: a run goes on with the same only
  // The preset that the numbers above began with, and the vocab_size that was asked for, which
  // texts may not fill. Runs of older versions did not keep them.
  std::optional<std::string> preset = {};
  std::optional<int64_t> vocabulary = {};

  void check() const;  // throws UsageError
};

struct Preset {
  std::string name;
  Settings settings;
  std::string time;  // how long a training takes, for people
};
// paper (section 3 of the paper; what it leaves open is said in docs/adversarial.md), laptop,
// smoke.
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names
std::string preset_table();                          // a line for each, for --help

// What a run begins with; settings.json, which makes the directory a run, last. `made_with`: a JSON
// object that says which program began it.
void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
// Throws DataError where the directory holds no run of a discriminator.
Settings load_settings(const std::string& run);
// Starts a run, unless it is there: then the settings must be its own. Throws DataError.
void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);

struct LoadedDiscriminator {
  Discriminator model;
  Vocabulary vocabulary;
};
// The model of a run before its first step: drawn by the seed, its encoder that of the run.
Discriminator first_discriminator(const std::string& run, const Settings& settings,
                                  const Vocabulary& vocabulary);
// Throws DataError where there is no discriminator (yet), or its files do not fit together.
LoadedDiscriminator load_discriminator(const std::string& directory);

}  // namespace heed::discriminate
