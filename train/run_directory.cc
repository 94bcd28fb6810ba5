#include "train/run_directory.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "train/run_json.h"

namespace heed {

using Json = nlohmann::json;

static const Metric& metric_of(const Metrics& metrics, const std::string& name) {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [&](const Metric& metric) { return metric.name == name; });
  if (found == metrics.end()) throw DataError("log.jsonl: no column " + name);
  return *found;
}

double value_of(const Metrics& metrics, const std::string& name) {
  return metric_of(metrics, name).value;
}

bool higher_is_better(const Metrics& metrics, const std::string& name) {
  return metric_of(metrics, name).higher_is_better;
}

void save_log(const std::string& run, const std::vector<EpochLog>& log) {
  std::string text;
  for (const EpochLog& line : log) text += Json(line).dump() + "\n";
  write_file(in(run, "log.jsonl"), text);
}

std::vector<EpochLog> load_log(const std::string& run) {
  const std::string path = in(run, "log.jsonl");
  std::istringstream lines(read_file(path, kMaxRunFileBytes));
  std::vector<EpochLog> log;
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      log.push_back(Json::parse(line).get<EpochLog>());
    } catch (const Json::exception& e) {
      throw damaged(path + ":" + std::to_string(number), e.what());
    }
  }
  return log;
}

void change_settings(const std::string& run, const LoopSettings& settings) {
  const std::string path = file_inside(run, "settings.json");
  with_json(path, [&](Json& json) {
    const auto change = [&](const Setting& setting, const auto& value) {
      if (setting.may_change) json[place_of(setting.key)] = in_file(value);
    };
    visit_settings(settings, change);
    write_file(path, json.dump(2) + "\n");
  });
}

std::optional<uint32_t> settings_checksum(const std::string& run) {
  const std::string path = file_inside(run, "settings.json");
  if (!std::filesystem::exists(path)) return std::nullopt;
  const std::string settings = with_json(path, [](Json& json) {
    json.erase("heed");
    const auto erase = [&](const Setting& setting, const auto&) {
      if (setting.may_change) erase_key(json, setting.key);
    };
    const LoopSettings all;
    visit_settings(all, erase);
    return json.dump();
  });
  const std::string model =
      with_json(file_inside(run, "config.json"), [](Json& json) { return json.dump(); });
  return checksum(settings + model);
}

uint32_t file_checksum(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_fifo(path, ignored)) {  // it has given its bytes to who read it before
    throw DataError(path + ": is a pipe and has no fingerprint; give a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw DataError(path + ": cannot open: " + std::strerror(errno));
  std::string chunk(1 << 20, '\0');
  uint32_t crc = 0;
  do {
    file.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
    crc = checksum(std::string_view(chunk).substr(0, static_cast<size_t>(file.gcount())), crc);
  } while (file);
  if (file.bad()) throw DataError(path + ": cannot read");
  return crc;
}

}  // namespace heed
