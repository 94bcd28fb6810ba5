// The description of an experiment's folder: experiment.json, or sweep.json for a sweep, made by
// the first worker.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace heed {

// Creates the file unless it exists, for all processes that share the folder: a complete file is
// linked under its name, by one process only.
void create_once(const std::string& path, const std::string& bytes);

// Reads KIND.json of a folder. Throws DataError if `read` cannot read it.
void read_kind(const std::string& folder, const std::string& kind,
               const std::function<void(const nlohmann::ordered_json&)>& read);

// Makes the folder, and its KIND.json {"format", ..., "settings": {OPTION: value}, "data": {...}}
// unless there is one. An existing one must have the same format, settings and data: throws
// UsageError with the first difference, and for a folder of another kind. `earlier`: settings that
// older files lack, with their former values.
void open_folder(const std::string& out, const std::string& kind,
                 const nlohmann::ordered_json& description,
                 const nlohmann::ordered_json& earlier = nlohmann::ordered_json::object());

}  // namespace heed
