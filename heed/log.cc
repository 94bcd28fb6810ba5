#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "dialog/text/text_table.h"
#include "heed/command.h"
#include "train/number_json.h"
#include "train/run_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

struct LogOptions : CommandOptions {
  std::string run, csv, jsonl, tensorboard;
  bool steps = false;
};

// Six digits; whole numbers in full.
std::string short_text(double value) {
  const std::string all = std::isfinite(value) ? json_number(value).dump() : "";
  if (all.find_first_of(".e") == std::string::npos) return all.empty() ? "-" : all;
  return six_digits(value);
}

std::string text_of(const RunLog& log) {
  ColumnsOf<std::vector<double>> table(log.rows);
  for (size_t c = 0; c < log.columns.size(); ++c) {
    if (log.columns[c] == "time") continue;
    table.add(printable(log.columns[c]),
              [c](const std::vector<double>& row) { return short_text(row[c]); });
  }
  if (!log.tasks.empty()) {
    table.add("task", [&](const std::vector<double>& row) {
      return printable(log.tasks[static_cast<size_t>(&row - log.rows.data())]);
    });
  }
  return table.text(results_width());
}

void run(const LogOptions& o) {
  const int wanted = !o.csv.empty() + !o.jsonl.empty() + !o.tensorboard.empty();
  if (wanted > 1) throw UsageError("--csv, --jsonl, --tensorboard: one at a time");
  if (!o.tensorboard.empty()) {
    if (o.steps) throw UsageError("--steps: --tensorboard writes epochs and steps");
    const std::string path = (fs::path(o.tensorboard) / "events.out.tfevents.heed").string();
    const std::string bytes = event_file_of(o.run);
    make_directory(o.tensorboard);
    write_file(path, bytes);
    std::printf("%s is written\n", printable(path).c_str());
    return;
  }
  const JsonOutput output(o.csv.empty() ? o.jsonl : o.csv);
  const RunLog log = log_of(o.run, o.steps);
  if (output.wanted()) {
    output.write_text(o.csv.empty() ? to_json_lines(log) : to_csv(log));
  } else {
    print_text(text_of(log));
  }
}

}  // namespace

void add_log(CLI::App& app) {
  const auto [c, o] = declare<LogOptions>(
      app, "log", "Show the log of a run, or write it as CSV, JSON Lines or for TensorBoard",
      "There is a line for each epoch, or with --steps for each step that heed train "
      "--log-steps N kept. TensorBoard shows both, as epoch/NAME and step/NAME, of several models "
      "that train together step/MODEL/NAME.\n"
      "Examples:\n  heed log runs/first --csv epochs.csv\n"
      "  heed log runs/first --steps --jsonl -\n"
      "  heed log runs/first --tensorboard board/first",
      {.device = false, .seed = ""}, run);
  c.add_option("run", o.run, "Directory of a run")->required();
  c.add_flag("--steps", o.steps, "Show the lines of steps.jsonl instead of log.jsonl");
  c.add_option("--csv", o.csv, "Write comma-separated values to this file, - for standard output");
  c.add_option("--jsonl", o.jsonl,
               "Write one JSON object a line to this file, - for standard output");
  c.add_option("--tensorboard", o.tensorboard,
               "Write an event file into this directory, made if missing");
}

}  // namespace heed
