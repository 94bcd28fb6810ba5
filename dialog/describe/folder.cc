#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/file.h"
#include "dialog/describe/info_json.h"
#include "train/run_json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr const char *kSettings = "settings.json", *kConfig = "config.json",
                     *kEvaluation = "evaluation.json", *kFailed = "failed.json";

// The folders in it that hold a run, a model or an evaluation, by name.
std::vector<fs::path> runs_in(const std::string& folder) {
  std::vector<fs::path> runs;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    for (const char* file : {kSettings, kConfig, kEvaluation}) {
      if (!has_file(at->path(), file)) continue;
      runs.push_back(at->path());
      break;
    }
  }
  if (error) throw DataError(folder + ": cannot be read: " + error.message());
  std::sort(runs.begin(), runs.end());
  return runs;
}

Json status_of(const fs::path& run) {
  if (has_file(run, kSettings)) {
    Json state = state_of_run(run.string());
    if (has_file(run, kEvaluation)) {
      state["status"] = "evaluated";
    } else if (has_file(run, kFailed) && state["status"] != "running") {
      state["status"] = "failed";
      state["problem"] =
          parse_json<Json>(file_inside(run.string(), kFailed)).value("message", Json());
    }
    return state;
  }
  if (!has_file(run, kEvaluation)) return {{"status", "model"}};
  const Json evaluation = parse_json<Json>(file_inside(run.string(), kEvaluation));
  const auto value = [&](const char* key) { return evaluation.value(key, Json()); };
  return {
      {"status", "evaluated"},
      {"epochs", value("epochs")},
      {"best", {{"epoch", value("best_epoch")}, {"valid_perplexity", value("valid_perplexity")}}}};
}

// A run that cannot be read does not hide the others.
Json run_json(const fs::path& path) {
  Json json = {{"name", path.filename().string()}};
  try {
    const Json status = status_of(path);
    for (const char* key : {"status", "epochs", "max_epochs", "problem"}) {
      if (status.contains(key)) json[key] = status[key];
    }
    if (!status.value("best", Json()).is_object()) return json;
    for (const auto& [key, value] : status["best"].items()) {
      json[key == "epoch" ? "best_epoch" : key] = value;
    }
  } catch (const Error& e) {
    json["status"] = "damaged";
    json["problem"] = e.what();
  } catch (const nlohmann::json::exception&) {
    json["status"] = "damaged";
    json["problem"] = "evaluation.json or failed.json: not what heed writes there";
  }
  return json;
}

}  // namespace

bool is_folder_of_runs(const std::string& folder) {
  return !runs_in(folder).empty();
}

Json info_of_folder(const std::string& folder, const std::vector<std::string>& kinds) {
  Json info = {{"kind", "runs"}};
  for (const std::string& kind : kinds) {
    const std::string file = kind + ".json";
    if (!has_file(folder, file)) continue;
    info["kind"] = kind;
    info[kind] = parse_json<Json>(file_inside(folder, file));
  }
  std::map<std::string, int> statuses;
  Json list = Json::array();
  for (const fs::path& path : runs_in(folder)) {
    list.push_back(run_json(path));
    ++statuses[list.back()["status"].get<std::string>()];
  }
  info["counts"] = {{"runs", list.size()}};
  for (const auto& [status, count] : statuses) info["counts"][status] = count;
  info["runs"] = std::move(list);
  return info;
}

}  // namespace heed
