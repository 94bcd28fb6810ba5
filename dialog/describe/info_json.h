// A path described by a JSON object that begins with its "kind". All functions throw DataError
// where the files are damaged, or are of another kind.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace heed {

// A directory with config.json: the description, the vocabulary, the parameters by name.
nlohmann::ordered_json info_of_model(const std::string& directory);
// A directory with settings.json: where its training is, its log, and its model if it has one.
nlohmann::ordered_json info_of_run(const std::string& directory);
// What a line can say of a run: its "status" and "epochs", the "best" one. The model is not loaded.
//   running    a process has its lock
//   complete   nothing is left to do
//   resumable  it has a checkpoint to go on from
//   model      its model and log only, as they are published
//   begun      nothing yet
nlohmann::ordered_json state_of_run(const std::string& directory);
// A .safetensors file.
nlohmann::ordered_json info_of_weights(const std::string& file);

// A folder of runs or models: an experiment, which has the KIND.json of one of these kinds, or one
// that somebody put them in.
nlohmann::ordered_json info_of_folder(const std::string& folder,
                                      const std::vector<std::string>& kinds);
bool is_folder_of_runs(const std::string& folder);

// A data directory, or a file of dialogues. Called while a file is read: how many it has so far.
using OnReading = std::function<void(const std::string& file, size_t dialogues)>;
nlohmann::ordered_json info_of_data(const std::string& directory, const OnReading& = {});
nlohmann::ordered_json info_of_dialogues(const std::string& file, const OnReading& = {});
bool is_data_directory(const std::string& directory);

// A directory of representations (dialog/probe/feature_file.h).
nlohmann::ordered_json info_of_features(const std::string& directory);
bool is_features_directory(const std::string& directory);

// A file of JSON: what --json wrote, or one of a run's.
nlohmann::ordered_json info_of_result(const std::string& file);

}  // namespace heed
