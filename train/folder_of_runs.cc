#include "train/folder_of_runs.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "base/file.h"

namespace heed {

bool describes_runs(const std::string& path) {
  constexpr uint64_t kMost = 1 << 24;  // what is larger is something else
  std::error_code failed;
  if (std::filesystem::file_size(path, failed) > kMost || failed) return false;
  const auto json = nlohmann::json::parse(read_file(path, kMost), nullptr, false);
  return json.is_object() && json.contains("format") && json.contains("settings") &&
         json.contains("data");
}

bool belongs_to_a_folder(const std::string& name) {
  static const std::set<std::string> kNames = {
      "config.json",        "vocab.txt",   "settings.json", "state.json", "state.previous.json",
      "log.jsonl",          "steps.jsonl", "acts.txt",      "encoder",    "adversary.json",
      "discriminator.json", "values.txt",  "pool.txt",      "pool.txt.gz"};
  return kNames.contains(name) || name.ends_with(".safetensors") ||
         name.starts_with("train.jsonl") || name.starts_with("valid.jsonl") ||
         name.starts_with("test.jsonl");
}

}  // namespace heed
