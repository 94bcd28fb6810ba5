#include "heed/sweep_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <sstream>

#include "base/file.h"
#include "base/number.h"
#include "heed/checks.h"
#include "heed/option_file.h"
#include "heed/train_flags.h"
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
  TrainFlags flags;
  CLI::App* command = app.add_subcommand("train", "");

  TrainCommand() {
    flags.declare_model(*command);
    flags.declare(*command);
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
    TrainSettings settings = flags.model_settings();
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

// The line of each key of the file, checked.
std::map<std::string, int> check_lines(SweepFile& file, const std::string& text) {
  std::map<std::string, int> lines;
  for (const OptionLine& line : option_lines(file.path, text)) {
    const std::string where = place(file, line.number);
    if (!section_of(file, line.section)) {
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
    const auto [before, is_new] = lines.emplace(line.section + "." + line.key, line.number);
    if (is_new) continue;
    throw UsageError(where + line.key + " stands in line " + std::to_string(before->second) +
                     " already");
  }
  return lines;
}

std::vector<CLI::ConfigItem> parse(const std::string& path, const std::string& text) {
  std::istringstream input(text);
  try {
    return CLI::ConfigTOML().from_config(input);
  } catch (const CLI::Error& e) {
    throw UsageError(path + ": " + e.what());
  }
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
template <class T>
T number_of(const SweepFile& file, const std::string& name, T otherwise, T low, T high) {
  const GridOption* option = find(file.sweep, name);
  if (!option) return otherwise;
  const std::string& text = only_value(file, *option);
  const auto value = number_in<T>(text);
  if (value && *value >= low && *value <= high) return *value;
  throw UsageError(place(file, option->line) + name + ": expected a whole number from " +
                   std::to_string(low) + " to " + std::to_string(high) + ", got '" + text + "'");
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
    std::string list;
    for (const std::string& value : test->values) list += (list.empty() ? "" : ",") + value;
    try {
      sweep.tests = select_test_sets(list);
    } catch (const UsageError& e) {
      throw UsageError(place(file, test->line) + e.what());
    }
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
  const std::map<std::string, int> lines = check_lines(file, text);
  for (const CLI::ConfigItem& item : parse(path, text)) {
    if (item.name == "++" || item.name == "--") continue;  // a section begins, ends
    const std::string section = item.parents.empty() ? "" : item.parents[0];
    const auto line = lines.find(section + "." + item.name);
    if (line == lines.end() || item.parents.size() != 1) {
      throw UsageError(path + ": \"" + item.fullname() +
                       "\" is no option; a list begins in the line of its key");
    }
    const bool empty =
        item.inputs.empty() || std::any_of(item.inputs.begin(), item.inputs.end(),
                                           [](const std::string& value) { return value.empty(); });
    if (empty) throw UsageError(place(file, line->second) + item.name + ": has no value");
    section_of(file, section)->push_back({item.name, item.inputs, line->second});
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
  sweep.seeds = number_of<int>(file, "seeds", 1, 1, 10000);
  sweep.first_seed = number_of<uint64_t>(file, "seed", 1, 0, uint64_t{1} << 62);
  sweep.test_seed = number_of<uint64_t>(file, "test-seed", 1, 0, uint64_t{1} << 62);
  sweep.test_limit = number_of<size_t>(file, "test-limit", 0, 0, size_t{1} << 40);
  read_tests(file, sweep);
  for (const GridOption& option : training_options(file)) {
    std::string values;
    for (const std::string& v : option.values) values += (values.empty() ? "" : " ") + v;
    sweep.fixed.push_back({option.name, values});
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
