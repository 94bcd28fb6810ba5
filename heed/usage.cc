#include "heed/usage.h"

#include <algorithm>
#include <regex>

#include "base/list.h"
#include "heed/option_file.h"

namespace heed {
namespace {

// Optimal string alignment distance (Damerau 1964): d(i, j) between the first i and j letters.
size_t distance(const std::string& a, const std::string& b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> d((a.size() + 1) * width);
  const auto at = [&](size_t i, size_t j) -> size_t& { return d[i * width + j]; };
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        at(i, j) = i + j;
        continue;
      }
      const size_t changed = at(i - 1, j - 1) + (a[i - 1] != b[j - 1]);
      at(i, j) = std::min({changed, at(i - 1, j) + 1, at(i, j - 1) + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return d.back();
}

// The command that was given, or the app where there was none.
const CLI::App& chosen_command(const CLI::App& app) {
  const CLI::App* command = &app;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

// "--limit: expected a number" -> "--limit"
std::string begin_of(const std::string& message) {
  return message.substr(0, message.find(':'));
}

// "my.toml:2: " of an option that stands in the file of --config.
std::string place_of(const CLI::App& app, const CLI::Option* option, const std::string& name = "") {
  const auto* file = dynamic_cast<const OptionFile*>(app.get_config_formatter().get());
  return file ? file->place_of(option, name) : "";
}

// "--limt=3" -> "--limt"
std::string option_of(const std::string& word) {
  return word.substr(0, word.find('='));
}

bool takes_words(const CLI::App& command) {
  const std::vector<const CLI::Option*> options = command.get_options();
  return std::any_of(options.begin(), options.end(),
                     [](const CLI::Option* option) { return option->get_positional(); });
}

// What an option of earlier versions is called now; empty for others.
std::string renamed(const std::string& option) {
  return option == "--f64" ? "--dtype f64" : "";
}

// Words that no option and no command took, in the order in which they were typed. The word after
// an unknown option may be its value, so only the options are named then.
std::string unexpected(const CLI::App& app, const CLI::App& command,
                       const std::vector<std::string>& words) {
  if (words[0][0] != '-' && !command_names(command).empty() && !takes_words(command)) {
    return no_such_command(command, words[0]);
  }
  std::vector<std::string> options;
  for (const std::string& word : words) {
    if (word.size() > 1 && word[0] == '-') options.push_back(option_of(word));
  }
  if (options.empty()) {
    return "unexpected: " + joined(words, " ") +
           (takes_words(command) ? "" : "; every value must follow its option");
  }
  const std::string& first = options[0];
  if (&command != &app && command.get_option_no_throw(first) != nullptr) {
    return first + " must follow the command, as in " + full_name(command) + " " + first;
  }
  const std::string now = renamed(first);
  if (!now.empty() && command.get_option_no_throw(now.substr(0, now.find(' '))) != nullptr) {
    return first + " is now " + now;
  }
  const std::string who = &command == &app ? "there is" : full_name(command) + " has";
  return who + " no option " + joined(options) + did_you_mean(first, option_names(command));
}

std::string missing_command(const CLI::App& app, const CLI::App& command) {
  if (&command != &app) {
    return full_name(command) + " needs one of: " + joined(command_names(command));
  }
  return "which command? To begin: heed train --data data/ubuntu-sample --out runs/first "
         "--preset smoke";
}

// CLI11's messages in our words; empty for all others.
std::string in_our_words(const std::string& text) {
  std::smatch found;
  const auto matches = [&](const char* pattern) {
    return std::regex_match(text, found, std::regex(pattern));
  };
  if (text.size() > 1000) return "";  // std::regex takes a stack frame a character
  if (matches(R"((.+?): At Most 1 required but received (\d+))")) {
    return found[1].str() + ": takes one value, got " + found[2].str();
  }
  if (matches(R"((.+?): At (least|Most) (\d+) required but received (\d+))")) {
    return found[1].str() + ": at " + (found[2] == "Most" ? "most " : "least ") + found[3].str() +
           " are needed, got " + found[4].str();
  }
  if (matches(R"(Could not convert: (.+?) = (.*))")) {
    return found[1].str() + ": cannot take '" + found[2].str() + "'";
  }
  if (matches(R"((.*) was not readable \(missing\?\))")) {
    return "--config: " + found[1].str() + " cannot be read";
  }
  return "";
}

std::string message(const CLI::App& app, const CLI::App& command, const CLI::ParseError& error) {
  std::vector<std::string> words = app.remaining();
  std::erase(words, "--");
  if (!words.empty()) return unexpected(app, command, words);
  const bool needs_command = command.get_require_subcommand_min() > 0;
  if (error.get_name() == "RequiredError" && needs_command) return missing_command(app, command);
  const std::string text = error.what();
  if (error.get_name() == "ArgumentMismatch" && text.ends_with(" missing")) {
    return text.substr(0, text.find(':')) + ": its value is missing";
  }
  const std::string ours = in_our_words(text);
  return ours.empty() ? text : ours;
}

}  // namespace

// The option that has words of this one, as --rate has of --learning-rate; empty where no
// word of four letters or more is shared. Words at the same place count more, and so
// do names without other words; then shorter names.
static std::string nearest_by_words(const std::string& option,
                                    const std::vector<std::string>& candidates) {
  const auto words_of = [](const std::string& name) {
    std::vector<std::string> words = split(name, '-');
    std::erase(words, "");
    return words;
  };
  const std::vector<std::string> asked = words_of(option);
  std::string best;
  int most = 0;
  for (const std::string& candidate : candidates) {
    const std::vector<std::string> words = words_of(candidate);
    int shared = 0;
    size_t found = 0;
    for (size_t i = 0; i < asked.size(); ++i) {
      for (size_t j = 0; j < words.size(); ++j) {
        const bool same = std::min(asked[i].size(), words[j].size()) >= 4 &&
                          (asked[i].starts_with(words[j]) || words[j].starts_with(asked[i]));
        if (same) shared += i == j ? 3 : 2, ++found;
      }
    }
    if (found >= words.size()) shared += 2;
    if (shared < most || shared == 0) continue;
    if (shared == most && candidate.size() >= best.size()) continue;
    most = shared;
    best = candidate;
  }
  return best;
}

std::string nearest(const std::string& word, const std::vector<std::string>& candidates) {
  const std::string bare = word.substr(std::min(word.find_first_not_of('-'), word.size()));
  constexpr size_t kLongest = 40;  // a longer word was not meant as a name
  if (bare.size() > kLongest) return "";
  const size_t most = bare.size() < 5 ? 1 : 1 + bare.size() / 4;
  std::string best;
  size_t least = most + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = bare.size() >= 3 && candidate.starts_with(word);
    const size_t d = begins ? 1 : distance(word, candidate);
    if (d >= least) continue;
    least = d;
    best = candidate;
  }
  return best.empty() && word.find('-') != word.npos ? nearest_by_words(word, candidates) : best;
}

std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates,
                         const std::string& quote) {
  const std::string meant = nearest(word, candidates);
  return meant.empty() ? "" : "; did you mean " + quote + meant + quote + "?";
}

std::string expected_one_of(const std::vector<std::string>& words, const std::string& got) {
  const std::vector<std::string> first(words.begin(), words.end() - 1);
  return "expected " + joined(first) + (first.empty() ? "" : " or ") + words.back() + ", got '" +
         got + "'" + did_you_mean(got, words);
}

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands(nullptr)) names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return (parent ? full_name(*parent) + " " : "") + command.get_name();
}

std::string no_such_command(const CLI::App& app, const std::string& word) {
  const std::vector<std::string> names = command_names(app);
  const std::string meant = did_you_mean(word, names, "'");
  return "there is no command '" + (app.get_parent() ? app.get_name() + " " : "") + word + "'" +
         (meant.empty() ? "; there are: " + joined(names) : meant);
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& command = chosen_command(app);
  const std::string text = message(app, command, error), name = begin_of(text);
  const CLI::Option* option = command.get_option_no_throw(name);
  if (option && option->count() == 0) option = nullptr;  // it stands in the section of another one
  return place_of(app, option, name) + text + " (see " + full_name(command) + " --help)";
}

std::string usage_message(const CLI::App& app, const UsageError& error) {
  const std::string text = error.what(), name = begin_of(text);
  const CLI::App& command = chosen_command(app);
  for (const CLI::Option* option : command.get_options()) {
    const auto given = option->results();
    if (std::find(given.begin(), given.end(), name) != given.end()) return text;
  }
  for (const char* dashes : {"", "--"}) {
    const CLI::Option* option = command.get_option_no_throw(dashes + name);
    if (option) return place_of(app, option) + dashes + text;
  }
  return text;
}

}  // namespace heed
