// Describes a path by a JSON object that begins with its "kind". All functions throw DataError if
// the files are damaged or of another kind.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/path.h"

namespace heed {

// A directory with config.json: the description, the vocabulary, the parameters by name.
nlohmann::ordered_json info_of_model(const std::string& directory);
// A directory with settings.json: the state of its training, its log, and its model if it has one.
nlohmann::ordered_json info_of_run(const std::string& directory);
// A run in short: its "status" and "epochs", the "best" one and its metric that decided. The model
// is not loaded.
//   running    a process has its lock
//   complete   nothing is left to do
//   resumable  it has a checkpoint to resume from
//   model      its model and log only, as in published runs
//   begun      nothing yet
nlohmann::ordered_json state_of_run(const std::string& directory);
// A .safetensors file.
nlohmann::ordered_json info_of_weights(const std::string& file);

// A folder of runs or models: an experiment, which has the KIND.json of one of these kinds, or any
// folder that contains them.
nlohmann::ordered_json info_of_folder(const std::string& folder,
                                      const std::vector<std::string>& kinds);
bool is_folder_of_runs(const std::string& folder);

// A data directory, or a file of dialogues. OnReading gets the number of dialogues read so far.
using OnReading = std::function<void(const std::string& file, size_t dialogues)>;
nlohmann::ordered_json info_of_data(const std::string& directory, const OnReading& = {});
nlohmann::ordered_json info_of_dialogues(const std::string& file, const OnReading& = {});
bool is_data_directory(const std::string& directory);

// A directory of representations (dialog/probe/feature_file.h).
nlohmann::ordered_json info_of_features(const std::string& directory);
bool is_features_directory(const std::string& directory);

// A JSON file: the output of --json, or a file of a run.
nlohmann::ordered_json info_of_result(const std::string& file);

}  // namespace heed
