// heed_torture: kills, starves and misleads heed, and prints a table of what it did. Exit code 1 if
// a row falls short. `make torture` runs it, and a short version is one of the tests.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <thread>

#include "tests/torture/rows.h"

namespace torture {
namespace {

struct Options {
  Settings settings{HEED_PROGRAM, HEED_SOURCE_DIR "/data/ubuntu-sample", HEED_FAULT_LIBRARY};
  Budget budget;
  bool quick = false;
  std::string report, sanitized, only;
  int fuzz_seconds = 0;
};

// All structures, with one thread and with two; the quick version takes one of each.
Trainings make_trainings(const Options& o) {
  Trainings trainings;
  trainings.reserve(2 * kStructures.size());
  for (size_t i = 0; i < kStructures.size(); ++i) {
    for (const int threads : {1, 2}) {
      const bool chosen = !o.quick || (threads == 1 ? i == 2 : i == 3);
      if (chosen) trainings.emplace_back(o.settings, kStructures[i], threads);
    }
  }
  return trainings;
}

std::string line(const Row& row) {
  char text[400];
  const auto of = [&](int count) {
    return row.expected ? std::to_string(count) + " of " + std::to_string(row.expected)
                        : std::string("-");
  };
  std::snprintf(text, sizeof text, "| %-44s | %8d | %12s | %12s | %7d | %4d | %-4s |\n",
                row.what.c_str(), row.injected, of(row.resumed).c_str(), of(row.identical).c_str(),
                row.crashed, row.hung, row.good() ? "good" : "BAD");
  return text;
}

class Table {
 public:
  Table() {
    add_text(
        "| what | injected | resumed | identical | crashes | hangs | |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | --- |\n");
  }
  void add(const Row& row) {
    add_text(line(row));
    if (!row.note.empty()) notes_ += "- " + row.what + ": " + row.note + "\n";
    for (const std::string& problem : row.problems) {
      std::fprintf(stderr, "%s: %s\n", row.what.c_str(), problem.c_str());
    }
    good_ = good_ && row.good();
  }
  bool good() const { return good_; }
  std::string text() const { return text_ + (notes_.empty() ? "" : "\n" + notes_); }

 private:
  void add_text(const std::string& text) {
    std::fputs(text.c_str(), stdout);
    std::fflush(stdout);
    text_ += text;
  }
  std::string text_, notes_;
  bool good_ = true;
};

std::string machine() {
  std::istringstream lines(read_file("/proc/cpuinfo"));
  for (std::string text; std::getline(lines, text);) {
    if (text.rfind("model name", 0) != 0) continue;
    return std::to_string(std::thread::hardware_concurrency()) + " cores, " +
           text.substr(text.find(':') + 2);
  }
  return std::to_string(std::thread::hardware_concurrency()) + " cores";
}

void write_report(const Options& o, const Table& table, const std::string& command, long seconds) {
  write_file(o.report, "# Reliability: what was tried\n\n`" + command + "` made this table (" +
                           std::to_string(seconds / 60) + " minutes, seed " +
                           std::to_string(o.budget.seed) + ", " + machine() +
                           "). Single runs are not kept. [reliability.md](../reliability.md) "
                           "explains the rows.\n\n" +
                           table.text());
}

int run_all(Options o, const std::string& command) {
  const std::time_t begin = std::time(nullptr);
  const Trainings trainings = make_trainings(o);
  const Budget& b = o.budget;
  Table table;
  const auto wanted = [&](const char* group) { return o.only.empty() || o.only == group; };
  if (wanted("kill")) {
    table.add(random_kills(trainings, b));
    table.add(kills_at_calls(trainings, b));
    table.add(signals(trainings, b));
    table.add(killed_ranks(o.settings, b));
  }
  if (wanted("fault")) {
    for (const Row& row : failing_calls(trainings, b)) table.add(row);
    table.add(full_disk(trainings, b));
    table.add(vanishing_folder(trainings, b));
    table.add(damaged_checkpoints(trainings, b));
    table.add(synced_files(trainings));
  }
  if (wanted("memory")) table.add(little_memory(o.settings, b));
  if (wanted("lock")) table.add(two_at_once(trainings));
  if (wanted("long")) {
    table.add(long_run(o.settings, b));
    table.add(repeated_evaluation(o.settings, b));
  }
  if (!o.sanitized.empty()) table.add(leaks(o.settings, o.sanitized));
  if (o.fuzz_seconds > 0) table.add(fuzzing(o.fuzz_seconds));
  std::fputs(table.good() ? "all rows are good\n" : "some rows fall short, see above\n", stdout);
  if (!o.report.empty()) write_report(o, table, command, std::time(nullptr) - begin);
  return table.good() ? 0 : 1;
}

}  // namespace
}  // namespace torture

int main(int argc, char** argv) {
  torture::Options o;
  CLI::App app("Kills, starves and misleads heed, and prints a table of what it did",
               "heed_torture");
  app.add_option("--kills", o.budget.kills, "Processes killed at random instants")
      ->capture_default_str();
  app.add_option("--stride", o.budget.stride, "Put a fault into every N-th call of a training")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--steps", o.budget.steps, "Steps of the long run")->capture_default_str();
  app.add_option("--seed", o.budget.seed, "Seed of the random instants")->capture_default_str();
  app.add_option("--only", o.only, "One group: kill, fault, memory, lock or long");
  app.add_option("--sanitized", o.sanitized, "heed, built with the address sanitizer");
  app.add_option("--fuzz-seconds", o.fuzz_seconds,
                 "Also fuzz, so long for each target; `make fuzz` first")
      ->capture_default_str();
  app.add_option("--report", o.report, "Markdown file for the table");
  app.add_flag("--quick", o.quick, "Some seconds: two trainings, few faults");
  CLI11_PARSE(app, argc, argv);
  if (o.quick) o.budget = {.kills = 6, .stride = 37, .steps = 500, .seed = o.budget.seed};
  std::string command = "make torture ARGS=\"";
  for (int i = 1; i < argc; ++i) command += (i > 1 ? " " : "") + std::string(argv[i]);
  try {
    return torture::run_all(o, command + "\"");
  } catch (const std::exception& e) {
    std::fprintf(stderr, "heed_torture: %s\n", e.what());
    return 1;
  }
}
