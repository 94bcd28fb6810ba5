#include <cmath>
#include <cstdio>
#include <filesystem>

#include "base/file.h"
#include "dialog/text/terminal.h"
#include "heed/commands.h"
#include "heed/declare.h"
#include "heed/results.h"
#include "heed/run_log.h"
#include "heed/text_table.h"
#include "train/event_file.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

struct Options {
  std::string run, csv, jsonl, tensorboard;
  bool steps = false;
};

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

std::string to_csv(const RunLog& log) {
  std::string text;
  for (size_t c = 0; c < log.columns.size(); ++c) text += (c ? "," : "") + quoted(log.columns[c]);
  text += "\n";
  for (const std::vector<double>& row : log.rows) {
    for (size_t c = 0; c < row.size(); ++c) text += (c ? "," : "") + exact(row[c]);
    text += "\n";
  }
  return text;
}

std::string to_json_lines(const RunLog& log) {
  std::string text;
  for (const std::vector<double>& row : log.rows) {
    Json line;
    for (size_t c = 0; c < row.size(); ++c) {
      if (std::isfinite(row[c])) line[log.columns[c]] = json_number(row[c]);
    }
    text += json_text(line) + "\n";
  }
  return text;
}

// The lines as the curves PREFIX/COLUMN over their first column.
void add_points(EventFile& file, const std::string& prefix, const RunLog& log,
                const std::vector<double>& times) {
  for (size_t r = 0; r < log.rows.size(); ++r) {
    const std::vector<double>& row = log.rows[r];
    for (size_t c = 1; c < row.size(); ++c) {
      if (!std::isfinite(row[c]) || log.columns[c] == "time") continue;
      file.add(prefix + "/" + log.columns[c], static_cast<int64_t>(row[0]), row[c], times[r]);
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

void write_events(const std::string& run, const std::string& folder) {
  const RunLog steps = steps_of(run),
               epochs = steps.rows.empty() ? log_of(run, false) : epochs_of(run);
  EventFile file(steps.times.empty() ? 0 : steps.times[0]);
  add_points(file, "epoch", epochs, times_of(epochs, steps));
  add_points(file, "step", steps, steps.times);
  make_directory(folder);
  const std::string path = (fs::path(folder) / "events.out.tfevents.heed").string();
  write_file(path, file.bytes());
  std::printf("%s is written\n", printable(path).c_str());
}

// Six digits, and all of a whole number.
std::string short_text(double value) {
  const std::string all = exact(value);
  if (all.find_first_of(".e") == std::string::npos) return all.empty() ? "-" : all;
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string text_of(const RunLog& log) {
  std::vector<std::vector<std::string>> columns;
  for (size_t c = 0; c < log.columns.size(); ++c) {
    if (log.columns[c] == "time") continue;
    columns.push_back({printable(log.columns[c])});
    for (const std::vector<double>& row : log.rows) {
      columns.back().push_back(short_text(row[c]));
    }
  }
  return text_table(std::move(columns), results_width());
}

void run(const Options& o) {
  const int wanted = !o.csv.empty() + !o.jsonl.empty() + !o.tensorboard.empty();
  if (wanted > 1) throw UsageError("--csv, --jsonl, --tensorboard: one at a time");
  if (!o.tensorboard.empty()) {
    if (o.steps) throw UsageError("--steps: --tensorboard writes epochs and steps");
    return write_events(o.run, o.tensorboard);
  }
  const JsonOutput output(o.csv.empty() ? o.jsonl : o.csv);
  const RunLog log = log_of(o.run, o.steps);
  if (output.wanted()) {
    output.write_text(o.csv.empty() ? to_json_lines(log) : to_csv(log));
  } else {
    std::fputs(text_of(log).c_str(), stdout);
  }
}

}  // namespace

void add_log(CLI::App& app) {
  const auto [c, o] = declare<Options>(
      app, "log", "Show the log of a run, or write it as CSV, JSON Lines or for TensorBoard",
      "A line for each epoch; with --steps for each step that heed train --log-steps N kept. "
      "TensorBoard shows both, as epoch/NAME and step/NAME.\n"
      "Examples:\n"
      "  heed log runs/first --csv epochs.csv\n"
      "  heed log runs/first --steps --jsonl -\n"
      "  heed log runs/first --tensorboard board/first",
      {.device = false, .seed = ""}, run);
  c.add_option("run", o.run, "Directory of a run")->required();
  c.add_flag("--steps", o.steps, "The lines of steps.jsonl instead of those of log.jsonl");
  c.add_option("--csv", o.csv, "Write comma-separated values to this file, - for standard output")
      ->option_text("FILE");
  c.add_option("--jsonl", o.jsonl, "Write a JSON object a line to this file, - for standard output")
      ->option_text("FILE");
  c.add_option("--tensorboard", o.tensorboard,
               "Write an event file into this directory, made if missing")
      ->option_text("DIR");
}

}  // namespace heed
