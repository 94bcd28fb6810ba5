#include "experiments/engine/runs/evaluation_json.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "train/run_directory.h"

namespace heed {

using Json = nlohmann::ordered_json;

Json program_json(const MadeWith& made_with) {
  Json json = Json::object();
  for (const auto& [key, value] : made_with.program) json[key] = value;
  return json;
}

Json evaluation_head(const PlannedRun& run, const Json& variant, const MadeWith& made_with) {
  Json json = {{"heed", {{"device", made_with.device}, {"matmul", made_with.matmul}}},
               {"run", run.name}};
  json["heed"].update(program_json(made_with));
  json.update(variant);
  json["seed"] = run.seed;
  return json;
}

void add_training(Json& json, const std::string& directory, const std::string& metric) {
  const std::vector<EpochLog> log = load_log(directory);
  const bool knows = !log.empty() && std::ranges::any_of(log[0].metrics, [&](const Metric& m) {
    return m.name == metric;
  });
  const auto best = std::min_element(log.begin(), log.end(), [&](const auto& a, const auto& b) {
    if (!knows) return a.epoch > b.epoch;  // of a model of another kind: the last one
    const double first = value_of(a.metrics, metric), second = value_of(b.metrics, metric);
    return higher_is_better(a.metrics, metric) ? first > second : first < second;
  });
  if (best == log.end()) throw DataError(directory + "/log.jsonl: no epoch");
  json["best_epoch"] = best->epoch;
  json["epochs"] = log.size();
  if (knows) json[metric] = value_of(best->metrics, metric);
}

Json rounded(std::optional<double> value) {
  if (!value || !std::isfinite(*value)) return {};
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", *value);
  return std::strtod(text, nullptr);
}

Json& at(Json& json, const std::string& name) {
  const size_t dot = name.find('.');
  return dot == name.npos ? json[name] : json[name.substr(0, dot)][name.substr(dot + 1)];
}

void put_mean(Json& json, const std::string& name, Json items) {
  double sum = 0, count = 0;
  for (const Json& x : items) {
    if (!x.is_null()) sum += x.get<double>(), ++count;
  }
  at(json, name) = count > 0 ? Json(sum / count) : Json();
  at(json, name + "_items") = std::move(items);
}

}  // namespace heed
