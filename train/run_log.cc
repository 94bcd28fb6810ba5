#include "train/run_log.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "base/path.h"
#include "train/event_file.h"
#include "train/number_json.h"
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
  if (!is_folder(run)) throw DataError(run + ": no such directory");
  if (!has_file(run, "log.jsonl") && !has_file(run, "settings.json")) {
    throw DataError(run + ": holds no run: neither log.jsonl nor settings.json");
  }
}

template <class Integer> Metric whole(const char* name, Integer value) {
  return {name, static_cast<double>(value)};
}

// To the last digit; nothing where there is no number.
std::string exact(double value) {
  return std::isfinite(value) ? json_number(value).dump() : "";
}

// A field of RFC 4180.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

// The lines as curves over their first column.
void add_points(EventFile& file, const std::string& prefix, const RunLog& log,
                const std::vector<double>& times) {
  for (size_t r = 0; r < log.rows.size(); ++r) {
    const std::vector<double>& row = log.rows[r];
    const std::string task = log.task_of(r).empty() ? "" : log.task_of(r) + "/";
    for (size_t c = 1; c < row.size(); ++c) {
      if (!std::isfinite(row[c]) || log.columns[c] == "time") continue;
      file.add(prefix + task + log.columns[c], static_cast<int64_t>(row[0]), row[c], times[r]);
    }
  }
}

// When an epoch ended: with the last of its steps, where they were logged.
std::vector<double> times_of(const RunLog& epochs, const RunLog& steps) {
  std::vector<double> times;
  size_t s = 0;
  for (const std::vector<double>& epoch : epochs.rows) {
    double time = times.empty() ? 0 : times.back();
    for (; s < steps.rows.size() && steps.rows[s][1] <= epoch[0]; ++s) time = steps.times[s];
    times.push_back(time);
  }
  return times;
}

}  // namespace

bool RunLog::has(const std::string& wanted) const {
  return std::find(columns.begin(), columns.end(), wanted) != columns.end();
}

size_t RunLog::column(const std::string& wanted) const {
  const auto found = std::find(columns.begin(), columns.end(), wanted);
  if (found != columns.end()) return static_cast<size_t>(found - columns.begin());
  throw DataError(file + ": has no column '" + wanted + "'; there are: " + joined(columns));
}

RunLog epochs_of(const std::string& run) {
  check_is_run(run);
  std::vector<Metrics> rows;
  const bool any = has_file(run, "log.jsonl");
  for (const EpochLog& e : any ? load_log(run) : std::vector<EpochLog>{}) {
    Metrics row = {whole("epoch", e.epoch), {"loss", e.loss}};
    row.insert(row.end(), e.metrics.begin(), e.metrics.end());
    row.insert(row.end(), {{"rate", e.rate},
                           {"grad_norm", e.grad_norm},
                           whole("steps", e.steps),
                           whole("tokens", e.tokens)});
    rows.push_back(std::move(row));
  }
  return table_of(run, "log.jsonl", rows);
}

RunLog steps_of(const std::string& run) {
  check_is_run(run);
  std::vector<Metrics> rows;
  std::vector<double> times;
  std::vector<std::string> tasks;
  for (const StepRecord& s : load_steps(run)) {
    Metrics row = {whole("step", s.step), whole("epoch", s.epoch), {"loss", s.loss}};
    row.insert(row.end(), s.metrics.begin(), s.metrics.end());
    row.insert(row.end(), {{"rate", s.rate},
                           {"grad_norm", s.grad_norm},
                           whole("tokens", s.tokens),
                           {"tokens_per_s", s.tokens_per_s},
                           {"time", s.time}});
    rows.push_back(std::move(row));
    times.push_back(s.time);
    if (!s.task.empty() || !tasks.empty()) {
      tasks.resize(rows.size() - 1);
      tasks.push_back(s.task);
    }
  }
  RunLog log = table_of(run, kStepsFile, rows);
  log.times = std::move(times);
  log.tasks = std::move(tasks);
  return log;
}

RunLog log_of(const std::string& run, bool steps) {
  RunLog log = steps ? steps_of(run) : epochs_of(run);
  if (!log.rows.empty()) return log;
  throw DataError(log.file + (steps ? ": holds no steps; heed train --log-steps N writes every N-th"
                                    : ": no epoch has ended yet"));
}

std::vector<RunLog> logs_of_tasks(const RunLog& log) {
  if (log.tasks.empty()) return {log};
  std::vector<RunLog> logs;
  for (size_t r = 0; r < log.rows.size(); ++r) {
    auto of = std::find_if(logs.begin(), logs.end(),
                           [&](const RunLog& each) { return each.tasks[0] == log.tasks[r]; });
    if (of == logs.end()) of = logs.insert(of, {log.file, log.columns, {}});
    of->rows.push_back(log.rows[r]);
    of->times.push_back(log.times[r]);
    of->tasks.push_back(log.tasks[r]);
  }
  return logs;
}

std::string to_csv(const RunLog& log) {
  std::string text;
  for (size_t c = 0; c < log.columns.size(); ++c) text += (c ? "," : "") + quoted(log.columns[c]);
  text += log.tasks.empty() ? "\n" : ",task\n";
  for (size_t r = 0; r < log.rows.size(); ++r) {
    const std::vector<double>& row = log.rows[r];
    for (size_t c = 0; c < row.size(); ++c) text += (c ? "," : "") + exact(row[c]);
    text += log.tasks.empty() ? "\n" : "," + quoted(log.tasks[r]) + "\n";
  }
  return text;
}

std::string to_json_lines(const RunLog& log) {
  std::string text;
  for (size_t r = 0; r < log.rows.size(); ++r) {
    const std::vector<double>& row = log.rows[r];
    nlohmann::ordered_json line;
    for (size_t c = 0; c < row.size(); ++c) {
      if (std::isfinite(row[c])) line[log.columns[c]] = json_number(row[c]);
    }
    if (!log.tasks.empty()) line["task"] = log.tasks[r];
    text += line.dump() + "\n";
  }
  return text;
}

std::string event_file_of(const std::string& run) {
  const RunLog steps = steps_of(run),
               epochs = steps.rows.empty() ? log_of(run, false) : epochs_of(run);
  EventFile file(steps.times.empty() ? 0 : steps.times[0]);
  add_points(file, "epoch/", epochs, times_of(epochs, steps));
  add_points(file, "step/", steps, steps.times);
  return file.bytes();
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
