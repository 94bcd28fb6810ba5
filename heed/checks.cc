#include "heed/checks.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "base/number.h"
#include "base/path.h"
#include "experiments/engine/runs/plan.h"
#include "heed/bundled.h"
#include "heed/help.h"
#include "heed/usage.h"
#include "train/folder_of_runs.h"
#include "train/setting_rules.h"

namespace heed {
namespace {

constexpr int64_t kLarge = 1 << 24;  // a bound that --help need not name

// `fits` tests the number; `range` stands in the message, `help` in --help.
template <class Number, class Fits>
CLI::Validator check(const std::string& kind, const std::string& range, const std::string& help,
                     Fits fits) {
  const std::string expected = "expected " + kind + (range.empty() ? "" : " " + range);
  return CLI::Validator(
      [expected, fits](const std::string& text) {
        const auto value = number_in<Number>(text);
        return value && fits(*value) ? "" : expected + ", got '" + text + "'";
      },
      help);
}

}  // namespace

CLI::Validator whole_number(int64_t low, int64_t high) {
  const std::string from = std::to_string(low), to = std::to_string(high);
  return check<int64_t>("a whole number", "from " + from + " to " + to,
                        high < kLarge ? from + " to " + to : "",
                        [=](int64_t value) { return low <= value && value <= high; });
}

CLI::Validator number(double low, double high) {
  return number_of({.least = low, .most = high});
}

CLI::Validator number_of(const Setting& s) {
  const std::string range = permitted_numbers(s);
  constexpr size_t kFrom = 5;  // "from "
  return check<double>("a number", range,
                       !s.above && std::isfinite(s.most) ? range.substr(kFrom) : "",
                       [s](double value) { return permits(s, value); });
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  constexpr size_t kShort = 25;
  const std::string all = joined(words, ",");
  return CLI::Validator(
      [words](const std::string& text) {
        const bool known = std::find(words.begin(), words.end(), text) != words.end();
        return known ? "" : expected_one_of(words, text);
      },
      all.size() <= kShort ? "{" + all + "}" : "");
}

CLI::Validator a_file() {
  return CLI::Validator(
      [](const std::string& name) {
        return std::string(name == "-" ? "expected the name of a file, got -" : "");
      },
      "");
}

void check_numbers(CLI::App& app) {
  const auto any = [](const auto&) { return true; };
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : command->get_options([](CLI::Option*) { return true; })) {
      const std::string type = option->get_type_name();
      if (type.rfind("UINT", 0) == 0) {
        option->check(check<uint64_t>("a whole number", "from 0 on", "", any));
      } else if (type.rfind("INT", 0) == 0) {
        option->check(check<int64_t>("a whole number", "", "", any));
      } else if (type.rfind("FLOAT", 0) == 0) {
        option->check(check<double>("a number", "", "", any));
      }
    }
    check_numbers(*command);
  }
}

namespace {

namespace fs = std::filesystem;

// --key is written by `heed judge export` and `simulate` and read by others; --predictions is
// written by `heed discriminate test` and read by `heed judge score`.
bool is_output(const std::string& option, const CLI::App& command) {
  if (option == "--predictions") return command.get_name() == "test";
  if (option == "--key") return command.get_name() == "export" || command.get_name() == "simulate";
  static const std::set<std::string> kOutputs = {
      "--out", "--json",        "--html",     "--card",  "--csv",   "--jsonl",
      "--svg", "--tensorboard", "--markdown", "--latex", "--tables"};
  return kOutputs.contains(option);
}

bool is_same_file(const fs::path& a, const fs::path& b) {
  std::error_code missing;
  return fs::equivalent(a, b, missing) && !missing;
}

// The files and folders that an option may name: its value, or the items of a list "a,kind:b".
std::vector<std::string> paths_of(const std::string& value) {
  std::vector<std::string> paths = {value};
  for (const std::string& item : split(value, ',')) {
    paths.push_back(item);
    paths.push_back(item.substr(item.find(':') + 1));
  }
  return paths;
}

bool is_model_or_runs(const fs::path& folder) {
  if (has_file(folder, "config.json")) return true;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    const fs::path& file = entry.path();
    if (file.extension() == ".json" && describes_runs(file.string())) return true;
  }
  return false;
}

// "test.jsonl.gz": ".jsonl"
fs::path kind_of_file(fs::path file) {
  if (file.extension() == ".gz") file.replace_extension();
  return file.extension();
}

// Whether a folder of dialogues would be read with this file in it: there are others of its kind,
// or no others.
bool is_one_of_its_kind(const fs::path& file) {
  std::error_code ignored;
  bool alone = true;
  for (const auto& entry : fs::directory_iterator(file.parent_path(), ignored)) {
    if (is_same_file(entry.path(), file) || !entry.is_regular_file(ignored)) continue;
    if (kind_of_file(entry.path()) == kind_of_file(file)) return true;
    alone = false;
  }
  return alone;
}

// Whether a file that is there is a part of a folder that is read. Beside a model, runs or
// dialogues there may be results, which are written anew.
bool is_part_of(const fs::path& output, const fs::path& folder) {
  if (!is_folder(folder)) return false;
  std::error_code ignored;
  const fs::path file = fs::absolute(output, ignored).lexically_normal();
  fs::path above = file.parent_path();
  while (above.has_relative_path() && !is_same_file(above, folder)) above = above.parent_path();
  if (!is_same_file(above, folder)) return false;
  if (!is_model_or_runs(folder)) return is_one_of_its_kind(file);
  if (above != file.parent_path()) {  // of a run, whose model may not be kept
    return is_model_or_runs(file.parent_path()) || has_file(file.parent_path(), kEvaluationFile);
  }
  return file.filename() == "lock" || belongs_to_a_folder(file.filename().string()) ||
         describes_runs(file.string());
}

// The same result for all names of a file, whether or not it exists: links, "./". Standard output
// stays "-".
fs::path name_of_file(const std::string& path) {
  if (path == "-") return path;
  std::error_code failed;
  fs::path file = path;
  for (int links = 0; links < 40 && fs::is_symlink(file, failed);
       ++links) {  // to what need not be there
    file = file.parent_path() / fs::read_symlink(file, failed);
  }
  // Only of an absolute path is the result absolute, too, if nothing of it exists.
  const fs::path name = fs::weakly_canonical(fs::absolute(file, failed), failed);
  return failed ? fs::path(path) : name;
}

// Whether it is a part of the bundled folder that it lies in.
bool is_bundled(const fs::path& output) {
  std::error_code ignored;
  const fs::path folder = fs::absolute(output, ignored).lexically_normal().parent_path();
  const auto holds = [&](const std::optional<std::string>& bundled) {
    return bundled && is_part_of(output, *bundled);
  };
  const std::string name = folder.filename();
  return holds(find_bundled_model(name)) || holds(find_bundled_data(name));
}

void check_output(const std::string& option, const std::string& given, const CLI::App& command) {
  // The folder "new" of "new/../file" need not be there: the command may make it.
  const fs::path output = path_exists(given) ? fs::path(given) : name_of_file(given);
  if (given == "-" || !is_regular(output)) return;
  const std::string text = option + " " + given;
  const auto check = [&](const CLI::Option* input) {
    for (const std::string& value : input->results()) {
      for (const std::string& path : paths_of(value)) {
        if (is_same_file(output, path)) {
          const std::string reader = input->nonpositional() ? input->get_name() : "the command";
          throw UsageError(text + ": would overwrite what " + reader + " reads; give another file");
        }
        if (is_part_of(output, path)) {
          throw UsageError(text + ": is a part of " + path +
                           ", which is read, and would be overwritten; give another file");
        }
      }
    }
  };
  for (const CLI::Option* input : command.get_options()) {
    const std::string name = input->get_name();
    if (input->count() > 0 && !is_output(name, command)) check(input);
    if (input->count() == 0 && (name == "--model" || name == "--data") && is_bundled(output)) {
      throw UsageError(text + ": is bundled, and may be read without " + name +
                       "; give another file");
    }
  }
  const CLI::App* whole = &command;
  while (whole->get_parent()) whole = whole->get_parent();
  check(whole->get_config_ptr());
}

// An empty one is a mistake, such as of a script whose variable is not set, and no option left out.
void refuse_empty_paths(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    if (!takes_path(*option) || option->get_expected_min() == 0) continue;
    for (const std::string& path : option->results()) {
      if (path.empty()) throw UsageError(option->get_name() + ": expected a path, got ''");
    }
  }
}

void check_outputs(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {  // that were given
    refuse_empty_paths(*command);
    std::vector<std::pair<fs::path, std::string>> outputs;
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() == 0 || !is_output(option->get_name(), *command)) continue;
      for (const std::string& path : option->results()) {
        if (path == "-" && option->get_name() == "--out" &&
            option->get_description().find("standard output") == std::string::npos) {
          throw UsageError(option->get_name() + " -: is not for standard output; give a file");
        }
        check_output(option->get_name(), path, *command);
        const fs::path name = name_of_file(path);
        for (const auto& [other, its_option] : outputs) {
          if (other != name && (path == "-" || !is_same_file(other, name))) continue;
          if (path == "-") {
            throw UsageError(its_option + " and " + option->get_name() + " cannot both be -");
          }
          throw UsageError(option->get_name() + " " + path + ": is " + its_option +
                           ", too; give another file");
        }
        outputs.emplace_back(name, option->get_name());
      }
    }
    check_outputs(*command);
  }
}

}  // namespace

// The whole program's callback comes when all is parsed, config files too, and before its
// commands'.
void protect_files(CLI::App& app) {
  app.parse_complete_callback([&app] {
    refuse_empty_paths(app);
    if (app.get_config_ptr()->count() == 0) refuse_options_of_others(app);
    check_outputs(app);
  });
}

void refuse_options_of_others(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {  // that were given
    for (const CLI::App* runs : command->get_subcommands()) {
      for (const CLI::Option* option : command->get_options()) {
        if (option->count() == 0) continue;
        const std::string name = option->get_name(), whole = full_name(*runs);
        if (runs->get_option_no_throw(name)) throw UsageError(name + ": stands behind " + whole);
        throw UsageError(name + ": is an option of " + full_name(*command) + ", not of " + whole +
                         "; " + whole + " --help lists those");
      }
    }
    refuse_options_of_others(*command);
  }
}

}  // namespace heed
