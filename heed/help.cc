#include "heed/help.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>

#include "base/error.h"
#include "base/list.h"
#include "dialog/text/terminal.h"
#include "heed/checks.h"
#include "heed/messages.h"
#include "heed/system_files.h"
#include "heed/usage.h"

namespace heed {
namespace {

constexpr int kMostColumns = 100;  // longer lines are hard to read
constexpr int kNarrow =
    60;  // from this column on; narrower terminals get descriptions below the names
constexpr int kNames = 24;  // columns for names, beside their descriptions

// Wraps lines. Continuation lines of a line that begins with blanks get `more` additional blanks.
std::vector<std::string> wrap_all(const std::string& text, int width, int more) {
  std::vector<std::string> result;
  for (const std::string& line : split(text, '\n')) {
    if (columns(line) <= width) {  // with its own spaces
      result.push_back(line);
      continue;
    }
    const size_t blanks = std::min(line.find_first_not_of(' '), line.size());
    const int indent = static_cast<int>(blanks) + (blanks > 0 ? more : 0);
    // The first line has the same room as the others, although they are indented.
    const std::vector<std::string> parts = wrap(line.substr(blanks), width - indent);
    for (size_t i = 0; i < parts.size(); ++i) {
      result.push_back(std::string(i == 0 ? blanks : static_cast<size_t>(indent), ' ') + parts[i]);
    }
  }
  return result;
}

std::string text_of_entries(const std::vector<HelpEntry>& entries, int width) {
  size_t longest = 0;
  for (const HelpEntry& e : entries) {
    if (e.name.size() <= kNames) longest = std::max(longest, e.name.size());
  }
  const bool beside = width >= kNarrow;
  const int column = beside ? static_cast<int>(longest) + 4 : 6;
  std::string text;
  for (const HelpEntry& e : entries) {
    std::string line = "  " + e.name;
    for (const std::string& part : wrap_all(e.text, width - column, 2)) {
      const bool fits = beside && !line.empty() && static_cast<int>(line.size()) + 2 <= column;
      if (!fits && !line.empty()) {
        text += line + "\n";
        line.clear();
      }
      text += pad(line, column) + part + "\n";
      line.clear();
    }
    if (!line.empty()) text += line + "\n";
  }
  return text;
}

// A command broken into several lines, as a shell accepts it.
std::string text_of_command(const std::string& command, int width) {
  const std::vector<std::string> parts = wrap_all(command, width - 2, 2);
  std::string text;
  for (size_t i = 0; i < parts.size(); ++i) {
    text += parts[i] + (i + 1 < parts.size() ? " \\\n" : "\n");
  }
  return text;
}

// The column where the text of "  name  text" begins; 0 for other lines.
size_t second_column(const std::string& line) {
  const size_t gap = line.starts_with("  ") ? line.find("  ", 2) : line.npos;
  return gap == line.npos ? 0 : line.find_first_not_of(' ', gap);
}

std::string text_of_footer(const std::string& footer, int width) {
  std::string text;
  for (const std::string& line : split(footer, '\n')) {
    if (line.starts_with("  heed ")) {
      text += text_of_command(line, width);
      continue;
    }
    const size_t column = second_column(line);
    std::string name = line.substr(0, column);
    const int room = width - static_cast<int>(column);
    for (const std::string& part : wrap_all(line.substr(column), room, column > 0 ? 0 : 2)) {
      text += pad(name, static_cast<int>(column)) + part + "\n";
      name.clear();
    }
  }
  return text;
}

// The placeholder of an option that takes a text.
std::string text_name(const CLI::Option& option) {
  static const std::pair<const char*, std::set<std::string>> kNames[] = {
      {"DIR",
       {"a", "b", "baseline", "distance", "judge-encoder", "model", "pretrained", "runs", "tables",
        "tensorboard"}},
      {"FILE",
       {"card", "config", "csv", "dull", "html", "json", "jsonl", "judgements", "key", "latex",
        "lengths", "markdown", "pool", "predictions", "responses", "svg"}},
      {"I/N", {"shard"}},
      {"ID", {"id"}},
      {"NAME", {"device", "metric", "name", "preset", "structure"}},
      {"NAMES", {"only"}},
      {"PATH", {"data", "echo", "in", "out", "pmi"}},
      {"SET", {"test"}}};
  const std::string name = option.get_lnames().empty() ? "" : option.get_lnames()[0];
  for (const auto& [text, options] : kNames) {
    if (options.contains(name)) return text;
  }
  return "TEXT";
}

// "N" for a whole number and "X" for any other, unless the option names its placeholder.
std::string value_name(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";  // a flag
  if (!option.get_option_text().empty()) return option.get_option_text();
  const std::string type = option.get_type_name();
  const size_t open = type.find('{'), close = type.find('}');
  if (open != type.npos && close != type.npos) {
    std::string choices = type.substr(open + 1, close - open - 1);
    std::replace(choices.begin(), choices.end(), ',', '|');
    return choices;
  }
  const std::string basic = type.substr(0, type.find(':'));
  if (basic == "INT" || basic == "UINT") return "N";
  return basic == "FLOAT" ? "X" : text_name(option);
}

// The range of a number, and the default.
std::string remarks(const CLI::Option& option) {
  if (option.get_items_expected_max() == 0) return "";
  const std::string type = option.get_type_name();
  const size_t colon = type.find(':');
  std::string text;
  if (colon != type.npos && type.find('{') == type.npos) text = type.substr(colon + 1);
  const std::string value = option.get_default_str();
  if (!value.empty() && value != "\"\"") text += (text.empty() ? "" : "; ") + ("default " + value);
  return text.empty() ? "" : " (" + text + ")";
}

HelpEntry entry_of(const CLI::Option& option) {
  std::string text = option.get_description();
  text.insert(std::min(text.find('\n'), text.size()), remarks(option));
  if (option.get_positional()) {
    return {option.get_name(true, false) + (option.get_expected_max() > 1 ? " ..." : ""), text};
  }
  const std::string value = value_name(option);
  return {option.get_name(false, true) + (value.empty() ? "" : " " + value), text,
          "--" + option.get_lnames()[0], value};
}

// The group that an option is shown in: --help and --version are among the general ones.
std::string title_of(const CLI::App& app, const CLI::Option& option) {
  if (option.get_required()) return "Required";
  const bool general = &option == app.get_help_ptr() || &option == app.get_version_ptr();
  return general ? kGeneral : option.get_group();
}

}  // namespace

bool takes_path(const CLI::Option& option) {
  const std::string name = value_name(option);
  return name == "DIR" || name == "FILE" || name == "PATH" || name == "RUN";
}

std::vector<HelpSection> help_sections(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  std::stable_partition(options.begin(), options.end(), [&](const CLI::Option* option) {
    return option != app.get_help_ptr() && option != app.get_version_ptr();
  });
  std::vector<std::string> titles = {"Required"};
  for (const std::string& group : app.get_groups()) {
    if (group != kGeneral) titles.push_back(group);
  }
  titles.push_back(kGeneral);
  std::vector<HelpSection> result;
  for (const std::string& title : titles) {
    std::vector<HelpEntry> entries;
    for (const CLI::Option* option : options) {
      if (title_of(app, *option) == title && !title.empty()) entries.push_back(entry_of(*option));
    }
    if (!entries.empty()) result.push_back({title, std::move(entries)});
  }
  return result;
}

std::string usage_line(const CLI::App& app, const std::string& name) {
  std::string text = name;
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_required()) continue;
    text += " " + entry_of(*option).name;
  }
  if (command_names(app).empty()) return text + " [OPTIONS]";
  return text + (app.get_require_subcommand_min() > 0 ? " COMMAND [OPTIONS]" : " [OPTIONS]");
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode) const {
  const int width = std::min(terminal_columns(stdout).value_or(80), kMostColumns);
  std::string text;
  for (const std::string& part : wrap_all(app->get_description(), width, 0)) text += part + "\n";
  text += "\n" + text_of_footer("  Usage: " + usage_line(*app, name), width).substr(2);
  std::vector<HelpEntry> commands;
  for (const CLI::App* command : app->get_subcommands(nullptr)) {
    commands.push_back({command->get_name(), split(command->get_description(), '\n')[0]});
  }
  if (!commands.empty()) text += "\nCommands:\n" + text_of_entries(commands, width);
  for (const auto& [title, entries] : help_sections(*app)) {
    text += "\n" + title + ":\n" + text_of_entries(entries, width);
  }
  if (!app->get_footer().empty()) text += "\n" + text_of_footer(app->get_footer(), width);
  return text;
}

void add_help(CLI::App& app) {
  struct Flags {
    std::vector<std::string> words;
    bool man = false;
    std::string shell;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App* c = app.add_subcommand("help", "Explain a command, as its --help does");
  CLI::Option* words =
      c->add_option("command", flags->words, "The command (default: a list of all commands)");
  const char* files = "System files, on standard output";
  CLI::Option* man = c->add_flag("--man", flags->man, "The manual page of all commands")
                         ->excludes(words)
                         ->group(files);
  c->add_option("--completion", flags->shell,
                "A script that completes commands and options in this shell")
      ->check(one_of({"bash", "zsh", "fish"}))
      ->excludes(man)
      ->excludes(words)
      ->group(files);
  c->footer(
      "Examples:\n  heed help train\n  heed help --man | man -l -\n"
      "  source <(heed help --completion bash)");
  c->fallthrough();
  c->callback([&app, flags] {
    const CLI::App* command = &app;
    for (const std::string& word : flags->words) {
      const auto found = static_cast<const CLI::App*>(command)->get_subcommands(
          [&](const CLI::App* one) { return one->check_name(word); });
      if (found.empty()) throw UsageError(no_such_command(*command, word));
      command = found[0];
    }
    std::string text;
    if (flags->man) {
      text = man_page(app);
    } else if (!flags->shell.empty()) {
      text = completion(app, flags->shell);
    } else {
      text =
          app.get_formatter()->make_help(command, full_name(*command), CLI::AppFormatMode::Normal);
    }
    print_text(text);
  });
}

}  // namespace heed
