#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "experiments/engine/runs/folder_json.h"
#include "train/folder_of_runs.h"

namespace heed {

using Json = nlohmann::ordered_json;

static std::string called(const std::string& kind) {
  return kind == "sweep" ? "a sweep" : "an experiment";
}

static std::string said(const Json& value) {
  return value.is_null() ? "its default" : value.dump();
}

// Compares regardless of the order of the keys.
static nlohmann::json sorted(const Json& json) {
  return nlohmann::json(json);
}

// "settings": {"hidden": 64} here and 32 there -> "it was made with --hidden 64, this is 32". The
// program that began the folder does not matter.
static void check_same(const std::string& out, const std::string& kind, const Json& there,
                       const Json& here, const Json& earlier) {
  if (there.value("format", Json()) != here.at("format")) {
    throw DataError(out + "/" + kind + ".json: written by another version of heed");
  }
  Json settings = there.value("settings", Json::object());
  for (const auto& [option, value] : earlier.items())
    if (!settings.contains(option)) settings[option] = value;
  const auto patience = settings.find("patience");  // what older versions wrote for never
  if (patience != settings.end() && *patience == "1000000") *patience = "0";
  const Json& asked = here.at("settings");
  for (const auto& [option, value] : asked.items())
    if (!settings.contains(option)) settings[option] = Json();
  for (const auto& [option, old] : settings.items()) {  // an omitted setting has its default
    const Json value = asked.contains(option) ? asked.at(option) : Json();
    if (old == value || (!asked.contains(option) && earlier.contains(option))) continue;
    throw UsageError(out + ": holds " + called(kind) + " with --" + option + " " + said(old) +
                     ", not " + said(value) + "; take the same settings or another --out");
  }
  const Json& data = here.at("data");
  Json kept = there.value("data", Json::object());
  for (const auto& [part, value] : data.items())  // older versions kept fewer
    if (!kept.contains(part)) kept[part] = value;
  if (sorted(kept) == sorted(data)) return;
  throw UsageError(out + ": holds " + called(kind) +
                   " on other data; take the same --data or another --out");
}

void create_once(const std::string& path, const std::string& bytes) {
  const std::string temporary = path + ".new-" + process_name();
  write_file(temporary, bytes);
  const bool done = ::link(temporary.c_str(), path.c_str()) == 0 || errno == EEXIST;
  const int error = errno;
  ::unlink(temporary.c_str());
  if (!done) throw DataError(path + ": cannot be written: " + std::strerror(error));
}

// By its contents; a file of one of two names also if it is damaged.
static bool describes_a_folder(const std::string& path) {
  const std::string kind = std::filesystem::path(path).stem().string();
  return kind == "experiment" || kind == "sweep" || describes_runs(path);
}

void open_folder(const std::string& out, const std::string& kind, const Json& description,
                 const Json& earlier) {
  make_directory(out);
  const std::string path = (std::filesystem::path(out) / (kind + ".json")).string();
  const bool begun = std::filesystem::exists(path);
  for (const auto& entry : std::filesystem::directory_iterator(out)) {
    const std::string other = entry.path().string();
    if (!begun && belongs_to_a_folder(entry.path().filename().string())) {
      throw UsageError(other + ": this folder holds a model, a run or data; take another --out");
    }
    if (!other.ends_with(".json") || other == path || !describes_a_folder(other)) continue;
    throw UsageError(other + ": this folder holds another kind of runs; take another --out");
  }
  if (!begun) create_once(path, description.dump(2) + "\n");
  const Json there = Json::parse(read_file(path, 1 << 20), nullptr, false);
  const auto is_object = [&](const char* key) {
    const Json value = there.value(key, Json());
    return value.is_object() || value.is_null();
  };
  if (!there.is_object() || !is_object("settings") || !is_object("data")) {
    throw DataError(path + ": not what heed writes there");
  }
  check_same(out, kind, there, description, earlier);
}

}  // namespace heed
