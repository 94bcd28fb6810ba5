#include "dialog/system_runs.h"

#include "base/file.h"
#include "train/run_json.h"

namespace heed {

void write_run(const std::string& run, const RunNames& names, const std::string& kind,
               const RunSettings& settings, const RunSettings& usual,
               const std::string& made_with) {
  nlohmann::ordered_json config = {{"system", names.system}};
  if (!kind.empty()) config["kind"] = kind;
  config.update(settings_to_json(settings.config, usual.config, kVisitSettings));
  write_file(in(run, "config.json"), config.dump(2) + "\n");
  write_settings(run, settings_to_json(settings.training, usual.training, kVisitSettings),
                 made_with);
}

void read_config(const std::string& directory, const RunNames& names, const AnySettings& config,
                 const std::function<void()>& check) {
  const std::string path = file_inside(directory, "config.json");
  with_json(path, [&](const nlohmann::json& json) {
    const bool by_kind = *names.kind;  // old files have no system, and not all have a kind
    const nlohmann::json other = by_kind ? nlohmann::json(names.system) : nlohmann::json();
    const auto says = [&](const char* key, const nlohmann::json& otherwise) {
      return json.value(key, otherwise);
    };
    if (says("system", other) != names.system || (by_kind && says("kind", {}) != names.kind)) {
      throw DataError(path + ": not " + names.what + ", which heed train " + names.command +
                      " makes");
    }
    const SettingReader reader(json);
    visit_settings(config, reader);
    check();
  });
}

void read_training(const std::string& run, const AnySettings& training,
                   const std::function<void()>& check) {
  with_json(file_inside(run, "settings.json"), [&](const nlohmann::json& json) {
    const SettingReader reader(json);
    visit_settings(training, reader);
    check();
  });
}

bool is_begun(const std::string& directory) {
  return std::filesystem::exists(in(directory, "settings.json"));
}

void check_same_run(const std::string& run, const AnySettings& there, const AnySettings& asked) {
  SettingWriter found, wanted;
  visit_settings(there, found);
  visit_settings(asked, wanted);
  for (const char* key : {kWordsFingerprint, kLabelsFingerprint}) {
    if (!found.json.contains(key)) wanted.json.erase(key);  // a run of an older version
  }
  check_same_settings(run, found.json, wanted.json);
}

uint32_t fingerprint(const std::vector<int32_t>& numbers, uint32_t crc) {
  crc = checksum(std::to_string(numbers.size()) + " ", crc);
  return checksum({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(int32_t)},
                  crc);
}

std::optional<Vocabulary> words_of(const std::string& run, int64_t size) {
  if (run.empty()) return {};
  return load_words(run, size);
}

}  // namespace heed
