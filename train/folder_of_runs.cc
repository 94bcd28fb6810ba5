#include "train/folder_of_runs.h"

#include <nlohmann/json.hpp>

#include "base/file.h"

namespace heed {

bool describes_runs(const std::string& path) {
  const auto json = nlohmann::json::parse(read_file(path, 1 << 26), nullptr, false);
  return json.is_object() && json.contains("format") && json.contains("settings") &&
         json.contains("data");
}

}  // namespace heed
