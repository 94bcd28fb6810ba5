#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <thread>

#include "tests/torture/rows.h"

namespace torture {
namespace {

// What /proc tells of a process of one thread, and how far it was.
struct Usage {
  size_t epochs = 0;   // that it has told of
  double mib = 0;      // resident
  double seconds = 0;  // on a processor, to the nanosecond: /proc/PID/stat counts in hundredths
};

Usage usage_of(pid_t id) {
  const std::string folder = "/proc/" + std::to_string(id);
  Usage usage;
  std::istringstream sizes(read_file(folder + "/statm")), times(read_file(folder + "/schedstat"));
  long total = 0, resident = 0, nanoseconds = 0;
  sizes >> total >> resident;
  times >> nanoseconds;
  usage.mib = static_cast<double>(resident * ::sysconf(_SC_PAGESIZE)) / (1 << 20);
  usage.seconds = 1e-9 * static_cast<double>(nanoseconds);
  return usage;
}

size_t epochs_in(const std::string& output) {
  size_t count = 0;
  for (size_t at = output.find("epoch "); at != std::string::npos;
       at = output.find("epoch ", at + 1)) {
    count += at == 0 || output[at - 1] == '\n';
  }
  return count;
}

// The usage at the ends of epochs. On a busy machine some ends are missed.
std::vector<Usage> watch(Process& process) {
  std::vector<Usage> seen;
  while (process.running()) {
    Usage usage = usage_of(process.id());
    usage.epochs = epochs_in(process.output());
    if (usage.epochs > (seen.empty() ? 0 : seen.back().epochs) && usage.mib > 0) {
      seen.push_back(usage);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return seen;
}

// The first that is known from this epoch on.
const Usage& from_epoch(const std::vector<Usage>& seen, size_t epoch) {
  for (const Usage& usage : seen) {
    if (usage.epochs >= epoch) return usage;
  }
  return seen.back();
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

Row long_run(const Settings& settings, const Budget& budget) {
  Row row{.what = "a long run: memory and speed", .expected = 1};
  // The log keeps a line of each epoch, so a longer run has longer epochs, not more than 160.
  constexpr int kBatch = 8;
  const int steps_an_epoch = 25 * std::clamp(budget.steps / 4000, 1, 50);
  const int epochs = std::max(8, budget.steps / steps_an_epoch);
  const Folder folder;
  Process process({settings.heed,   "train",
                   "--data",        settings.data,
                   "--out",         folder / "run",
                   "--preset",      "smoke",
                   "--limit",       std::to_string(kBatch * steps_an_epoch),
                   "--batch",       std::to_string(kBatch),
                   "--vocab",       "300",
                   "--hidden",      "16",
                   "--threads",     "1",
                   "--insert-prob", "0.7",
                   "--examples",    "last",
                   "--patience",    "1000000",
                   "--halve-after", "0",
                   "--epochs",      std::to_string(epochs)},
                  {.seconds = 3600});
  std::vector<Usage> seen = watch(process);
  const Outcome outcome = process.wait();
  row.injected = static_cast<int>(epochs_in(outcome.out)) * steps_an_epoch;
  row.judge("long run", outcome);
  row.resumed = outcome.code == 0;
  if (row.injected != epochs * steps_an_epoch) {
    row.problems.push_back("long run: ended after " + std::to_string(row.injected) + " steps");
  }
  // Warm-up is the first quarter; processor time, so that other programs matter little.
  const auto all = static_cast<size_t>(epochs);
  if (seen.empty()) seen.emplace_back();
  const Usage quarter = from_epoch(seen, all / 4), half = from_epoch(seen, all / 2);
  const Usage end = seen.back();
  if (quarter.epochs == half.epochs || half.epochs == end.epochs) {
    row.problems.push_back("long run: too short to say anything");
    return row;
  }
  const auto epoch_seconds = [](const Usage& from, const Usage& to) {
    return (to.seconds - from.seconds) / static_cast<double>(to.epochs - from.epochs);
  };
  const double early = epoch_seconds(quarter, half), late = epoch_seconds(half, end);
  row.note = number(quarter.mib) + " MiB after a quarter, " + number(end.mib) +
             " MiB at the end; an epoch " + number(1000 * early) + " ms, later " +
             number(1000 * late) + " ms";
  // Who shares a core with it makes a second of processor time worth more or less.
  const double allowed = half.seconds - quarter.seconds < 2 ? 2 : 1.25;
  const bool flat = end.mib <= quarter.mib * 1.02 + 1, steady = late <= early * allowed;
  row.identical = flat && steady;
  if (!flat || !steady) row.problems.push_back("long run: " + row.note);
  return row;
}

Row repeated_evaluation(const Settings& settings, const Budget& budget) {
  Row row{.what = "the same evaluation again", .expected = 0};
  const Training training(settings, "dynamic-ui", 1);
  const Folder folder;
  if (const std::string text = training.resume(folder / "run"); !text.empty()) {
    row.problems.push_back(text);
  }
  std::string first;
  for (int i = 0; i < std::max(3, budget.kills / 10); ++i) {
    const Outcome outcome = run({settings.heed, "evaluate", "--model", folder / "run", "--data",
                                 settings.data, "--limit", "40", "--json", folder / "out.json",
                                 "--threads", std::to_string(1 + i % 3)});
    ++row.injected;
    row.judge("evaluate", outcome);
    std::string json = read_file(folder / "out.json");
    json.erase(0, json.find("\"inputs\""));  // "heed" says when it was, and with how many threads
    if (first.empty()) first = json;
    ++row.expected;
    row.resumed += outcome.code == 0;
    row.identical += json == first && !json.empty();
  }
  return row;
}

Row leaks(const Settings& settings, const std::string& sanitized_heed) {
  Row row{.what = "leaks and bad memory accesses (sanitizers)"};
  const Settings sanitized{sanitized_heed, settings.data, ""};
  const Folder folder;
  const std::string run_folder = folder / "run";
  const Training training(sanitized, "static-ui", 2);
  std::vector<Arguments> commands = {training.command(run_folder), training.command(run_folder)};
  for (const std::string& structure : kStructures) {
    commands.push_back(Training(sanitized, structure, 2).command(folder / structure));
    commands.push_back({sanitized_heed, "evaluate", "--model", folder / structure, "--data",
                        settings.data, "--limit", "10", "--test", "random:0.7"});
    commands.push_back({sanitized_heed, "score", "--model", folder / structure, "--data",
                        settings.data, "--limit", "10", "--json", folder / "score.json"});
  }
  commands.push_back({sanitized_heed, "train", "--data", "missing", "--out", folder / "none"});
  commands.push_back({sanitized_heed, "--help"});
  for (const Arguments& command : commands) {
    const Outcome outcome = run(command, {.seconds = 600});
    ++row.injected;
    row.judge(command[1], outcome);
  }
  return row;
}

// scripts/fuzz.sh prints a line for each target: name, inputs, "inputs," and "good" or what failed.
Row fuzzing(int seconds) {
  Row row{.what = "inputs of the fuzzers, " + std::to_string(seconds) + " s each"};
  const std::string script = HEED_SOURCE_DIR "/scripts/fuzz.sh";
  const Outcome outcome = run({script, std::to_string(seconds)}, {.seconds = 86400});
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string name, word, result;
    int inputs = 0;
    words >> name >> inputs >> word >> result;
    row.injected += inputs;
    if (result == "good") continue;
    ++row.crashed;
    row.problems.push_back(line);
  }
  if (outcome.code != 0 && row.problems.empty()) row.problems.push_back(outcome.text());
  return row;
}

}  // namespace torture
