// A run of slot carryover (train/run_directory.h). Its model is
//   config.json         "system": "carryover", "kind": the decoder, sizes, what it reads
//   vocab.txt, model.safetensors
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dialog/carry/carryover.h"
#include "train/settings.h"

namespace heed::carry {

constexpr const char* kSystem = "carryover";

struct Settings {
  Config model = {};
  LoopSettings loop = {};
  double share = 1;               // of the training dialogues (ReadItems::share)
  std::string set = "both";       // of the candidates
  bool shuffled_labels = false;   // a control: labels of an item change places among its candidates
  uint32_t data_fingerprint = 0;  // of what was read: a run goes on with the same only
  std::optional<std::string> preset = {};
  std::optional<int64_t> vocabulary = {};  // as it was asked for
  size_t limit = 0;                        // dialogues to read of each part, 0: all

  void check() const;  // throws UsageError
};

struct Preset {
  std::string name;
  Settings settings;
  std::string help;
};
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names
std::string preset_table();                          // a line for each, for --help

struct LoadedCarryover {
  Carryover model;
  Vocabulary vocabulary;
};

// What a run begins with; settings.json, which makes the directory a run, last. `made_with`: a JSON
// object that says which program began it, or empty.
void start_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
// Of an experiment: the same unless the run is there. Throws DataError where it is another one.
void begin_run(const std::string& run, const Settings& settings, const Vocabulary& vocabulary,
               const std::string& made_with);
// These throw DataError where the directory holds no such run (yet), or files do not fit together.
Settings load_settings(const std::string& run);
LoadedCarryover load_carryover(const std::string& directory);
LoadedCarryover first_carryover(const std::string& run);  // drawn by the seed

}  // namespace heed::carry
