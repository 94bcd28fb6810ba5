// A run of a tracker (train/run_directory.h). Its model is
//   config.json         "system": "tracker", "kind": "tracker", sizes, what it reads
//   vocab.txt, acts.txt, values.txt, model.safetensors
//   init.safetensors    of a run that began with another tracker (--init): its weights
#pragma once

#include <optional>
#include <string>

#include "dialog/track/model.h"
#include "train/settings.h"

namespace heed::track {

constexpr const char* kSystem = "tracker";

struct Settings {
  Config model = {};
  bool fixed_features = false;  // they stay as they were in --init
  LoopSettings loop = {};
  size_t limit = 0;               // dialogues to read of each part, 0: all
  uint32_t data_fingerprint = 0;  // of what was read: a run goes on with the same only
  std::string init = {};          // the tracker whose features the run began with
  std::optional<std::string> preset = {};
  std::optional<int64_t> vocabulary = {};  // as it was asked for

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

// What a run begins with; settings.json, which makes the directory a run, last. `made_with`: a JSON
// object that says which program began it, or empty.
void start_run(const std::string& run, const Settings& settings, const Reader& reader,
               const std::string& made_with);
// Of an experiment: the same unless the run is there. Throws DataError where it is another one.
void begin_run(const std::string& run, const Settings& settings, const Reader& reader,
               const std::string& made_with);
// These throw DataError where the directory holds no tracker (yet), or files do not fit together.
Settings load_settings(const std::string& run);
Config load_config(const std::string& directory);
Reader load_reader(const std::string& directory, const Config& config);
struct LoadedTracker {
  Tracker model;
  Reader reader;
};
LoadedTracker load_tracker(const std::string& directory);
// The model of a run before its first step: drawn by the seed, with the features of --init.
Tracker first_tracker(const std::string& run, const Settings& settings);

}  // namespace heed::track
