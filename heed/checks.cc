#include "heed/checks.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>

#include "base/error.h"
#include "heed/usage.h"
#include "train/folder_of_runs.h"
#include "train/setting_rules.h"

namespace heed {
namespace {

constexpr int64_t kLarge = 1 << 24;  // a bound that --help need not name

template <class Number> std::optional<Number> parse(const std::string& text) {
  Number value = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return value;
}

// `fits` tests the number; `range` stands in the message, `help` in --help.
template <class Number, class Fits>
CLI::Validator check(const std::string& kind, const std::string& range, const std::string& help,
                     Fits fits) {
  const std::string expected = "expected " + kind + (range.empty() ? "" : " " + range);
  return CLI::Validator(
      [expected, fits](const std::string& text) {
        const auto value = parse<Number>(text);
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

CLI::Validator number_from(double low) {
  return number_of({.least = low});
}

CLI::Validator number_of(const Setting& s) {
  const std::string range = permitted_numbers(s);
  constexpr size_t kFrom = 5;  // "from "
  return check<double>("a number", range,
                       !s.above && std::isfinite(s.most) ? range.substr(kFrom) : "",
                       [s](double value) { return permits(s, value); });
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  constexpr size_t kShort = 22;
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
  return CLI::Validator(
      [words](const std::string& text) {
        const bool known = std::find(words.begin(), words.end(), text) != words.end();
        return known ? "" : expected_one_of(words, text);
      },
      all.size() <= kShort ? "{" + all + "}" : "");
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

void check_output(const std::string& option, const fs::path& output, const CLI::App& command) {
  std::error_code ignored;
  if (output == "-" || !fs::is_regular_file(output, ignored)) return;
  const std::string text = option + " " + output.string();
  for (const CLI::Option* input : command.get_options()) {
    if (input->count() == 0 || is_output(input->get_name(), command)) continue;
    for (const std::string& value : input->results()) {
      if (is_same_file(output, value)) {
        const std::string reader = input->nonpositional() ? input->get_name() : "the command";
        throw UsageError(text + ": would overwrite what " + reader + " reads; give another file");
      }
      if (is_same_file(output.parent_path().empty() ? "." : output.parent_path(), value) &&
          belongs_to_a_folder(output.filename().string())) {
        throw UsageError(text + ": is a part of " + value +
                         ", which is read, and would be overwritten; give another file");
      }
    }
  }
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

void check_outputs(const CLI::App& app) {
  for (const CLI::App* command : app.get_subcommands()) {  // that were given
    std::vector<std::pair<fs::path, std::string>> outputs;
    for (const CLI::Option* option : command->get_options()) {
      if (option->count() == 0 || !is_output(option->get_name(), *command)) continue;
      for (const std::string& path : option->results()) {
        if (path.empty()) throw UsageError(option->get_name() + ": expected a path, got ''");
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
  app.parse_complete_callback([&app] { check_outputs(app); });
}

}  // namespace heed
