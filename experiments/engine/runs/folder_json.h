// What the folder of an experiment says about itself: experiment.json, or sweep.json of a sweep,
// made by the first one who works on it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>

namespace heed {

// Creates the file unless it is there, for all processes that share the folder: a file is linked
// under its name complete, and only by one.
void create_once(const std::string& path, const std::string& bytes);

// Reads KIND.json of a folder. Throws DataError for what `read` cannot read.
void read_kind(const std::string& folder, const std::string& kind,
               const std::function<void(const nlohmann::json&)>& read);

// Makes the folder, and its KIND.json {"format", ..., "settings": {OPTION: value}, "data": {...}}
// unless there is one. Then that must have the same format, settings and data: throws UsageError
// with the first one that differs, and for a folder of another kind. `earlier`: settings that older
// files lack, with the values that they had then.
void open_folder(const std::string& out, const std::string& kind,
                 const nlohmann::ordered_json& description,
                 const nlohmann::ordered_json& earlier = nlohmann::ordered_json::object());

}  // namespace heed
