// The JSON of a run's files. Only code that reads and writes them includes this header.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>

#include "base/file.h"
#include "base/json.h"
#include "train/checkpoint.h"
#include "train/run_directory.h"
#include "train/settings_json.h"
#include "train/strict_json.h"

namespace heed {

constexpr uint64_t kMaxRunFileBytes = 1 << 28;           // of JSON
constexpr uint64_t kMaxWeightBytes = uint64_t{1} << 36;  // as of nn/safetensors.h

inline std::string in(const std::string& run, const std::string& file) {
  return (std::filesystem::path(run) / file).string();
}

// Puts a file of a model, such as its weights, into a run.
inline void copy_model_file(const std::string& from, const std::string& to) {
  write_file(to, read_file(from, kMaxWeightBytes));
}

inline uint32_t checksum(std::string_view bytes, uint32_t crc = 0) {
  if (bytes.empty()) return crc;  // zlib takes a null pointer for a new beginning
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The JSON of a file. Throws DataError if it is not JSON, if a key is given twice, or if it is
// nested so deep that writing it would overflow the stack.
template <class Json = nlohmann::json> Json parse_json(const std::string& path) {
  const auto fail = [&](const std::string& rule) { throw DataError(path + ": " + rule); };
  try {
    return Json::parse(read_file(path, kMaxRunFileBytes), strict<Json>(fail, /*depth=*/100));
  } catch (const nlohmann::json::exception& e) {
    throw damaged(path, e.what());
  }
}

// Returns use(json) for the JSON of a run's file. Whatever is wrong with the file, and a newer
// format, is a DataError.
template <class Use> auto with_json(const std::string& path, Use use) {
  try {
    auto json = parse_json(path);
    if (!json.is_object())
      throw DataError(path + ": not what heed writes there: not a JSON object");
    const int format = json.value("format", 1);
    if (format < 1 || format > kRunFormat) {
      throw DataError(path + ": has format " + std::to_string(format) +
                      "; this program reads up to " + std::to_string(kRunFormat) +
                      ", a newer one wrote it");
    }
    return use(json);
  } catch (const UsageError& e) {
    throw DataError(path + ": " + e.what());
  } catch (const nlohmann::json::exception& e) {
    throw damaged(path, e.what());
  }
}

// The value of a key of the file. Throws DataError if it is missing or not of the type T.
template <class T>
T typed_value(const std::string& path, const nlohmann::json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) throw DataError(path + ": '" + key + "' is missing");
  const bool fits = std::is_same_v<T, bool>          ? found->is_boolean()
                    : std::is_same_v<T, std::string> ? found->is_string()
                    : std::is_same_v<T, double>      ? found->is_number()
                                                     : found->is_number_integer();
  if (!fits) throw DataError(path + ": '" + key + "' has the wrong type");
  return found->get<T>();
}

// Writes settings.json with the settings of `json`. `made_with` is a JSON object, kept under the
// key "heed", that says which program began the run; it may be empty.
inline void write_settings(const std::string& run, nlohmann::json json,
                           const std::string& made_with) {
  json["format"] = kRunFormat;
  if (!made_with.empty()) json["heed"] = nlohmann::json::parse(made_with);
  write_file(in(run, "settings.json"), json.dump(2) + "\n");
}

// Throws DataError unless the settings of a run equal those that were asked for.
inline void check_same_settings(const std::string& run, const nlohmann::json& there,
                                const nlohmann::json& asked) {
  if (there != asked) throw DataError(run + ": holds a run with other settings; move it away");
}

// The files hold the fields under their own names.
inline void to_json(nlohmann::json& json, const HalvingSchedule::State& s) {
  json = {{"rate", s.rate},
          {"best", in_file(s.best)},
          {"epoch", s.epoch},
          {"halvings", s.halvings},
          {"bad_epochs", s.bad_epochs},
          {"finished", s.finished},
          {"since_best", s.since_best}};
}

inline void from_json(const nlohmann::json& json, HalvingSchedule::State& s) {
  s = {};
  json.at("rate").get_to(s.rate);
  json.at("epoch").get_to(s.epoch);
  json.at("bad_epochs").get_to(s.bad_epochs);
  json.at("halvings").get_to(s.halvings);
  json.at("finished").get_to(s.finished);
  // older versions wrote 0 before the first epoch, and did not count since_best
  if (s.epoch > 0 && !json.at("best").is_null()) s.best = json.at("best").get<double>();
  s.since_best = json.value("since_best", s.bad_epochs);
}

inline void to_json(nlohmann::json& json, const EpochLog& e) {
  json = {{"epoch", e.epoch},         {"loss", e.loss},   {"rate", e.rate},
          {"grad_norm", e.grad_norm}, {"steps", e.steps}, {"tokens", e.tokens}};
  std::set<std::string> rising;
  for (const Metric& metric : e.metrics) {
    json[metric.name] = metric.value;
    if (metric.higher_is_better) rising.insert(metric.name);
  }
  if (!rising.empty()) json["higher_is_better"] = rising;
}

inline void from_json(const nlohmann::json& json, EpochLog& e) {
  e = {};
  json.at("epoch").get_to(e.epoch);
  json.at("loss").get_to(e.loss);
  json.at("rate").get_to(e.rate);
  json.at("grad_norm").get_to(e.grad_norm);
  json.at("steps").get_to(e.steps);
  json.at("tokens").get_to(e.tokens);
  for (const auto& [name, value] : json.items()) {
    const bool own = name == "epoch" || name == "loss" || name == "rate" || name == "grad_norm" ||
                     name == "steps" || name == "tokens";
    if (!own && value.is_number()) e.metrics.push_back({name, value.get<double>()});
  }
  for (const nlohmann::json& name : json.value("higher_is_better", nlohmann::json::array())) {
    for (Metric& metric : e.metrics) {
      if (name == metric.name) metric.higher_is_better = true;
    }
  }
}

inline void to_json(nlohmann::json& json, const TrainState& s) {
  json = {{"format", kRunFormat},   {"epoch", s.epoch},       {"step", s.step},
          {"loss_sum", s.loss_sum}, {"norm_sum", s.norm_sum}, {"tokens", s.tokens},
          {"counts", s.counts},     {"schedule", s.schedule}, {"log", s.log}};
  for (const auto& [task, schedule] : s.schedules) json["schedules"][task] = schedule;
}

inline void from_json(const nlohmann::json& json, TrainState& s) {
  s = {};
  json.at("epoch").get_to(s.epoch);
  json.at("step").get_to(s.step);
  json.at("loss_sum").get_to(s.loss_sum);
  json.at("norm_sum").get_to(s.norm_sum);
  json.at("tokens").get_to(s.tokens);
  json.at("schedule").get_to(s.schedule);
  json.at("log").get_to(s.log);
  if (json.contains("schedules")) json.at("schedules").get_to(s.schedules);
  if (json.value("format", 1) > 1) {
    json.at("counts").get_to(s.counts);
  } else {  // format 1 had the sums of response models only
    s.counts = {{"nll", json.at("nll_sum")}, {"predicted", json.at("predicted")}};
  }
}

}  // namespace heed
