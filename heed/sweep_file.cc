#include "heed/sweep_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "base/file.h"
#include "base/list.h"
#include "heed/checks.h"
#include "heed/option_file.h"
#include "heed/system_flags.h"
#include "heed/usage.h"

namespace heed {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

std::string place(const SweepFile& file, int line) {
  return file.path + ":" + std::to_string(line) + ": ";
}

// The options of heed train that a run of a sweep may have.
struct TrainCommand {
  CLI::App app{"", "heed"};
  SystemFlags flags{systems()[0]};
  CLI::App* command = app.add_subcommand("train", "");

  TrainCommand() {
    flags.declare_form(*command);
    flags.declare(*command, flags.system.is_option, /*folders=*/false);
    check_numbers(app);
  }
  // Throws UsageError for a value that the option does not accept, and for values that cannot train
  // together.
  TrainSettings settings(const std::vector<GridOption>& options) {
    std::vector<std::string> arguments = {"train"};
    for (const GridOption& option : options) {
      for (const std::string& value : option.values) {
        arguments.push_back("--" + option.name + "=" + value);
      }
    }
    std::reverse(arguments.begin(), arguments.end());  // as CLI11 takes them
    try {
      app.parse(arguments);
    } catch (const CLI::ParseError& e) {
      std::string text = usage_message(app, e);
      throw UsageError(text.substr(0, text.rfind(" (see ")));
    }
    TrainSettings settings = response_settings(flags);
    settings.check();
    return settings;
  }
};

std::vector<std::string> names_in(const std::string& section) {
  if (section == "sweep") return {"seeds", "seed", "test", "test-seed", "test-limit", "best"};
  std::vector<std::string> names;
  for (const std::string& name : option_names(*TrainCommand().command)) {
    names.push_back(name.substr(2));
  }
  std::erase(names, "help");
  if (section == "train") names.push_back("data");
  return names;
}

std::vector<GridOption>* section_of(SweepFile& file, const std::string& name) {
  if (name == "train") return &file.train;
  if (name == "grid") return &file.grid;
  return name == "sweep" ? &file.sweep : nullptr;
}

// The values of a key. Throws UsageError if there is none.
std::vector<std::string> values_of(const std::string& where, const OptionLine& line) {
  std::vector<std::string> values;
  std::istringstream input(line.text);
  try {
    for (const CLI::ConfigItem& item : CLI::ConfigTOML().from_config(input)) values = item.inputs;
  } catch (const CLI::Error& e) {
    throw UsageError(where + e.what());
  }
  if (values.empty() || std::find(values.begin(), values.end(), "") != values.end()) {
    throw UsageError(where + line.key + ": has no value");
  }
  return values;
}

// An option in both sections would have two meanings.
void check_sections(const SweepFile& file) {
  for (const GridOption& option : file.grid) {
    for (const GridOption& fixed : file.train) {
      if (fixed.name != option.name) continue;
      throw UsageError(place(file, option.line) + option.name +
                       " stands in [train] already, line " + std::to_string(fixed.line));
    }
  }
}

// ---- the contents

const GridOption* find(const std::vector<GridOption>& options, const std::string& name) {
  for (const GridOption& option : options) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

const std::string& only_value(const SweepFile& file, const GridOption& option) {
  if (option.values.size() == 1) return option.values[0];
  throw UsageError(place(file, option.line) + option.name + ": takes one value, got " +
                   std::to_string(option.values.size()));
}

// A value of [sweep] that is one number.
int64_t number_of(const SweepFile& file, const std::string& name, int64_t otherwise, int64_t low,
                  int64_t high) {
  const GridOption* option = find(file.sweep, name);
  if (!option) return otherwise;
  std::string text = only_value(file, *option);
  const std::string problem = whole_number(low, high)(text);
  if (!problem.empty()) throw UsageError(place(file, option->line) + name + ": " + problem);
  return std::stoll(text);
}

std::vector<GridOption> training_options(const SweepFile& file) {
  std::vector<GridOption> options = file.train;
  std::erase_if(options, [](const GridOption& option) { return option.name == "data"; });
  return options;
}

// The reason why these options cannot train; empty if they can.
std::string problem_of(const std::vector<GridOption>& options) {
  try {
    TrainCommand().settings(options);
    return "";
  } catch (const UsageError& e) {
    return e.what();
  }
}

// Throws UsageError if the fixed options alone have this problem. Names the line of an option
// without which the others work, or else of one that fails alone.
void check_fixed(const SweepFile& file, const std::string& problem) {
  const std::vector<GridOption> fixed = training_options(file);
  if (problem_of(fixed) != problem) return;
  for (const GridOption& option : fixed) {
    std::vector<GridOption> others = fixed;
    std::erase_if(others, [&](const GridOption& other) { return other.name == option.name; });
    if (problem_of(others).empty()) throw UsageError(place(file, option.line) + problem);
  }
  for (const GridOption& option : fixed) {
    const std::string alone = problem_of({option});
    if (!alone.empty()) throw UsageError(place(file, option.line) + alone);
  }
  throw UsageError(file.path + ": " + problem);
}

void read_tests(const SweepFile& file, Sweep& sweep) {
  std::vector<std::string> known = {"valid_perplexity"};
  if (const GridOption* test = find(file.sweep, "test")) {
    try {
      sweep.tests = select_test_sets(joined(test->values, ","));
    } catch (const UsageError& e) {
      throw UsageError(place(file, test->line) + e.what());
    }
  }
  for (const char* name : {"test-seed", "test-limit"}) {
    const GridOption* option = find(file.sweep, name);
    if (!option || !sweep.tests.empty()) continue;
    throw UsageError(place(file, option->line) + name + ": only applies with test");
  }
  for (const TestSet& set : sweep.tests) known.push_back(set.name);
  const GridOption* best = find(file.sweep, "best");
  const std::string name = best ? only_value(file, *best) : known[0];
  if (std::find(known.begin(), known.end(), name) == known.end()) {
    throw UsageError(place(file, best->line) +
                     "best: expected valid_perplexity or one of the sets "
                     "of test, got '" +
                     name + "'");
  }
  sweep.best = sweep_key(name);
}

// The message about a mistake names the line of the option that makes it, or, of values that do not
// fit together, the point.
SweepPoint make_point(const SweepFile& file, const GridPoint& grid) {
  const std::vector<GridOption> fixed = training_options(file);
  std::vector<GridOption> options = fixed;
  for (const auto& [name, value] : grid.settings) options.push_back({name, {value}});
  try {
    TrainCommand command;
    SweepPoint point{grid, command.settings(options)};
    point.batch_given = command.flags.flags.given("batch");
    return point;
  } catch (const UsageError& e) {
    check_fixed(file, e.what());
    for (const auto& [name, value] : grid.settings) {
      options = fixed;
      options.push_back({name, {value}});
      if (problem_of(options) == e.what())
        throw UsageError(place(file, find(file.grid, name)->line) + e.what());
    }
    throw UsageError(file.path + ": " + grid.name + ": " + e.what());
  }
}

}  // namespace

SweepFile read_sweep_file(const std::string& path) {
  SweepFile file{path, {}, {}, {}};
  std::string text = read_file(path, kMaxFileBytes);
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  for (const OptionLine& line : option_lines(path, text)) {
    const std::string where = place(file, line.number);
    std::vector<GridOption>* section = section_of(file, line.section);
    if (!section) {
      throw UsageError(where +
                       (line.section.empty() ? "\"" + line.key + "\"" : "[" + line.section + "]") +
                       ": a sweep has the sections [train], [grid] and [sweep]");
    }
    if (line.key.empty()) continue;
    const std::vector<std::string> names = names_in(line.section);
    if (std::find(names.begin(), names.end(), line.key) == names.end()) {
      throw UsageError(where + "[" + line.section + "] has no \"" + line.key + "\"" +
                       did_you_mean(line.key, names, "\""));
    }
    if (const GridOption* before = find(*section, line.key)) {
      throw UsageError(where + line.key + " stands in line " + std::to_string(before->line) +
                       " already");
    }
    section->push_back({line.key, values_of(where, line), line.number});
  }
  check_sections(file);
  return file;
}

Sweep read_sweep(const std::string& path) {
  const SweepFile file = read_sweep_file(path);
  Sweep sweep;
  sweep.file = path;
  const GridOption* data = find(file.train, "data");
  if (!data) throw UsageError(path + ": [train] has no data, the directory of the dialogues");
  sweep.data = only_value(file, *data);
  sweep.seeds = static_cast<int>(number_of(file, "seeds", 1, 1, 10000));
  sweep.first_seed = static_cast<uint64_t>(number_of(file, "seed", 1, 0, int64_t{1} << 62));
  sweep.test_seed = static_cast<uint64_t>(number_of(file, "test-seed", 1, 0, int64_t{1} << 62));
  sweep.test_limit = static_cast<size_t>(number_of(file, "test-limit", 0, 0, int64_t{1} << 40));
  read_tests(file, sweep);
  for (const GridOption& option : training_options(file)) {
    sweep.fixed.push_back({option.name, joined(option.values, " ")});
  }
  sweep.grid = file.grid;
  std::vector<GridPoint> points;
  try {
    points = grid_points(file.grid);
  } catch (const UsageError& e) {
    throw UsageError(path + ": " + e.what());
  }
  for (const GridPoint& grid : points) sweep.points.push_back(make_point(file, grid));
  return sweep;
}

}  // namespace heed
