// How the files of a run look in JSON. Only what reads and writes them looks in here.
#pragma once

#include <zlib.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/file.h"
#include "train/checkpoint.h"
#include "train/run_directory.h"

namespace heed {

constexpr uint64_t kMaxRunFileBytes = 1 << 28;

inline std::string in(const std::string& run, const std::string& file) {
  return (std::filesystem::path(run) / file).string();
}

inline uint32_t checksum(std::string_view bytes, uint32_t crc = 0) {
  return static_cast<uint32_t>(
      crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

// The JSON of a file; throws DataError where it is none, or is nested so deep that to write it
// would take more stack than there is.
template <class Json = nlohmann::json> Json parse_json(const std::string& path) {
  constexpr int kMaxDepth = 100;
  const auto check_depth = [&](int depth, typename Json::parse_event_t, Json&) {
    if (depth > kMaxDepth)
      throw DataError(path + ": nested deeper than " + std::to_string(kMaxDepth));
    return true;
  };
  try {
    return Json::parse(read_file(path, kMaxRunFileBytes), check_depth);
  } catch (const nlohmann::json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
}

// What `use` makes of the JSON of a file of a run; everything that does not fit is a DataError, and
// so is a file of a newer format.
template <class Use> auto with_json(const std::string& path, Use use) {
  try {
    auto json = parse_json(path);
    const int format = json.value("format", 1);
    if (format < 1 || format > kRunFormat) {
      throw DataError(path + ": has format " + std::to_string(format) +
                      "; this program reads up to " + std::to_string(kRunFormat) +
                      ", a newer one wrote it");
    }
    return use(json);
  } catch (const nlohmann::json::exception& e) {
    throw DataError(path + ": not what heed writes there: " + e.what());
  }
}

// The value of a key of the file, of the type of T; throws DataError if there is none.
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

// What stands in the files: the fields, under their own names.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::Options, rate, min_rate, min_improvement,
                                   patience, max_halvings, halve_after)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(HalvingSchedule::State, rate, best, epoch, bad_epochs, halvings,
                                   finished)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterGroup, name, rate, weight_decay)

// What older versions had no other value of is kept only where it is another one.
inline void to_json(nlohmann::json& json, const OptimizerSettings& s) {
  json = {{"name", s.name},
          {"weight_decay", s.weight_decay},
          {"groups", s.groups},
          {"warm_up", s.warm_up}};
  if (s.rate_decay != OptimizerSettings{}.rate_decay) json["rate_decay"] = s.rate_decay;
}

inline void from_json(const nlohmann::json& json, OptimizerSettings& s) {
  s = {};
  json.at("name").get_to(s.name);
  json.at("weight_decay").get_to(s.weight_decay);
  json.at("groups").get_to(s.groups);
  json.at("warm_up").get_to(s.warm_up);
  s.rate_decay = json.value("rate_decay", s.rate_decay);
}

// Of a task's settings, which these keys are a part of. What is missing has its default: runs of
// before there was a choice of optimisers have none.
inline void add_to_json(nlohmann::json& json, const LoopSettings& s) {
  json["batch_size"] = s.batch_size;
  json["optimizer"] = s.optimizer;
  json["max_norm"] = s.max_norm;
  json["max_epochs"] = s.max_epochs;
  json["seed"] = s.seed;
  json["schedule"] = s.schedule;
  if (s.pieces > 1) json["pieces"] = s.pieces;
  if (s.keep_every > 0) json["keep_every"] = s.keep_every;
  if (s.log_steps > 0) json["log_steps"] = s.log_steps;
}

inline void from_json(const nlohmann::json& json, LoopSettings& s) {
  const auto read = [&](const char* name, auto& field) { field = json.value(name, field); };
  s = {};
  read("batch_size", s.batch_size);
  read("optimizer", s.optimizer);
  read("max_norm", s.max_norm);
  read("max_epochs", s.max_epochs);
  read("seed", s.seed);
  read("schedule", s.schedule);
  read("pieces", s.pieces);
  read("keep_every", s.keep_every);
  read("log_steps", s.log_steps);
}

inline void to_json(nlohmann::json& json, const EpochLog& e) {
  json = {{"epoch", e.epoch},         {"loss", e.loss},   {"rate", e.rate},
          {"grad_norm", e.grad_norm}, {"steps", e.steps}, {"tokens", e.tokens}};
  for (const Metric& metric : e.metrics) json[metric.name] = metric.value;
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
}

inline void to_json(nlohmann::json& json, const TrainState& s) {
  json = {{"format", kRunFormat},   {"epoch", s.epoch},       {"step", s.step},
          {"loss_sum", s.loss_sum}, {"norm_sum", s.norm_sum}, {"tokens", s.tokens},
          {"counts", s.counts},     {"schedule", s.schedule}, {"log", s.log}};
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
  if (json.value("format", 1) > 1) {
    json.at("counts").get_to(s.counts);
  } else {  // which had the sums of a response model only
    s.counts = {{"nll", json.at("nll_sum")}, {"predicted", json.at("predicted")}};
  }
}

}  // namespace heed
