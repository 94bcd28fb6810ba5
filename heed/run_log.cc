#include "heed/run_log.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/path.h"
#include "train/run_directory.h"
#include "train/step_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

constexpr size_t kColumnLimit = 1000;  // heed writes about ten

// Rows of named numbers as a table: the columns of all of them, in the order of their appearance.
RunLog table_of(const std::string& run, const char* file, const std::vector<Metrics>& rows) {
  RunLog log{(fs::path(run) / file).string(), {}, {}};
  for (const Metrics& row : rows) {
    std::vector<double> numbers(log.columns.size(), NAN);
    for (const Metric& metric : row) {
      const auto found = std::find(log.columns.begin(), log.columns.end(), metric.name);
      const auto at = static_cast<size_t>(found - log.columns.begin());
      if (found == log.columns.end()) {
        log.columns.push_back(metric.name);
        numbers.push_back(NAN);
      }
      numbers[at] = metric.value;
    }
    if (log.columns.size() > kColumnLimit) {
      throw DataError(log.file + ": has more than " + std::to_string(kColumnLimit) + " columns");
    }
    log.rows.push_back(std::move(numbers));
  }
  for (std::vector<double>& row : log.rows) row.resize(log.columns.size(), NAN);
  return log;
}

void check_is_run(const std::string& run) {
  std::error_code ignored;
  if (!fs::is_directory(run, ignored)) throw DataError(run + ": no such directory");
  if (!fs::exists(fs::path(run) / "log.jsonl", ignored) &&
      !fs::exists(fs::path(run) / "settings.json", ignored)) {
    throw DataError(run + ": holds no run: neither log.jsonl nor settings.json");
  }
}

template <class Integer> Metric whole(const char* name, Integer value) {
  return {name, static_cast<double>(value)};
}

}  // namespace

bool RunLog::has(const std::string& wanted) const {
  return std::find(columns.begin(), columns.end(), wanted) != columns.end();
}

size_t RunLog::column(const std::string& wanted) const {
  const auto found = std::find(columns.begin(), columns.end(), wanted);
  if (found != columns.end()) return static_cast<size_t>(found - columns.begin());
  std::string all;
  for (const std::string& column : columns) all += (all.empty() ? "" : ", ") + column;
  throw DataError(file + ": has no column '" + wanted + "'; there are: " + all);
}

RunLog epochs_of(const std::string& run) {
  check_is_run(run);
  std::vector<Metrics> rows;
  std::error_code ignored;
  const bool any = fs::exists(fs::path(run) / "log.jsonl", ignored);
  for (const EpochLog& e : any ? load_log(run) : std::vector<EpochLog>{}) {
    Metrics row = {whole("epoch", e.epoch), {"loss", e.loss}};
    row.insert(row.end(), e.metrics.begin(), e.metrics.end());
    for (const Metric& last : {Metric{"rate", e.rate}, Metric{"grad_norm", e.grad_norm},
                               whole("steps", e.steps), whole("tokens", e.tokens)}) {
      row.push_back(last);
    }
    rows.push_back(std::move(row));
  }
  return table_of(run, "log.jsonl", rows);
}

RunLog steps_of(const std::string& run) {
  check_is_run(run);
  std::vector<Metrics> rows;
  std::vector<double> times;
  for (const StepRecord& s : load_steps(run)) {
    Metrics row = {whole("step", s.step), whole("epoch", s.epoch), {"loss", s.loss}};
    row.insert(row.end(), s.metrics.begin(), s.metrics.end());
    for (const Metric& last :
         {Metric{"rate", s.rate}, Metric{"grad_norm", s.grad_norm}, whole("tokens", s.tokens),
          Metric{"tokens_per_s", s.tokens_per_s}, Metric{"time", s.time}}) {
      row.push_back(last);
    }
    rows.push_back(std::move(row));
    times.push_back(s.time);
  }
  RunLog log = table_of(run, kStepsFile, rows);
  log.times = std::move(times);
  return log;
}

RunLog log_of(const std::string& run, bool steps) {
  RunLog log = steps ? steps_of(run) : epochs_of(run);
  if (!log.rows.empty()) return log;
  throw DataError(log.file + (steps ? ": holds no steps; heed train --log-steps N writes every N-th"
                                    : ": no epoch has ended yet"));
}

nlohmann::ordered_json json_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  const bool whole = value == std::round(value) && std::abs(value) < 1e15;
  return whole ? nlohmann::ordered_json(static_cast<int64_t>(value))
               : nlohmann::ordered_json(value);
}

std::vector<std::string> run_names(const std::vector<std::string>& paths) {
  for (int parts = 1; parts <= 8; ++parts) {
    std::vector<std::string> names;
    for (const std::string& path : paths) names.push_back(last_part(path, parts));
    if (std::set<std::string>(names.begin(), names.end()).size() == names.size()) return names;
  }
  return paths;
}

}  // namespace heed
