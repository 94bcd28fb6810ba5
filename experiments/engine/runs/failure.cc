#include "experiments/engine/runs/failure.h"

#include <unistd.h>

#include "train/lock.h"
#include "train/run_json.h"

namespace heed {

static constexpr char kFailed[] = "failed.json";

void save_failure(const std::string& directory, const std::string& message) {
  const nlohmann::ordered_json json = {
      {"message", message}, {"host", host_name()}, {"process", ::getpid()}};
  using Json = nlohmann::ordered_json;
  write_file(in(directory, kFailed),
             json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<std::string> load_failure(const std::string& directory) {
  const std::string path = in(directory, kFailed);
  if (!std::filesystem::exists(path)) return std::nullopt;
  const auto json = nlohmann::json::parse(read_file(path, 1 << 20), nullptr, false);
  const bool known = json.is_object() && json.contains("message") && json["message"].is_string();
  return known ? json["message"].get<std::string>() : path + ": not what heed writes there";
}

void clear_failure(const std::string& directory) {
  std::error_code ignored;  // a run that stays marked is told at the end
  std::filesystem::remove(in(directory, kFailed), ignored);
}

}  // namespace heed
