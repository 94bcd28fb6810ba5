#include "heed/option_file.h"

#include <sstream>

#include "base/error.h"
#include "base/list.h"
#include "heed/checks.h"
#include "heed/usage.h"

namespace heed {
namespace {

std::vector<std::string> split_dots(const std::string& text) {
  std::vector<std::string> parts = split(text, '.');
  for (std::string& part : parts) part = CLI::detail::remove_quotes(CLI::detail::trim(part));
  return parts;
}

// The command of a section, "prepare.ubuntu"; null if there is none.
const CLI::App* find_command(const CLI::App& app, const std::vector<std::string>& path) {
  const CLI::App* command = &app;
  for (const std::string& name : path) {
    const auto found =
        command->get_subcommands([&](const CLI::App* c) { return c->get_name() == name; });
    if (found.empty()) return nullptr;
    command = found[0];
  }
  return command;
}

}  // namespace

std::vector<CLI::ConfigItem> OptionFile::from_config(std::istream& input) const {
  constexpr std::streamsize kMost = 1 << 20;
  std::string text(kMost + 1, '\0');
  input.read(text.data(), kMost + 1);
  text.resize(static_cast<size_t>(input.gcount()));
  if (input.gcount() > kMost) {
    throw CLI::ConfigError(app_.get_config_ptr()->as<std::string>() + ": larger than 1 MiB");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  check(text);
  refuse_options_of_others(app_);
  std::istringstream again(text);
  return CLI::ConfigTOML::from_config(again);
}

std::string OptionFile::place_of(const CLI::Option* option, const std::string& name) const {
  const auto found = std::find_if(places_.begin(), places_.end(), [&](const auto& place) {
    return option ? place.first == option : place.first->get_name() == name;
  });
  return found == places_.end() ? "" : found->second;
}

// What CLI11 would read as something else: it cuts texts at a #, and knows no escapes. Empty if
// there is nothing.
static std::string misread(const std::string& value) {
  char quote = 0;
  bool begins = true;  // an item: a quote within a word is an apostrophe
  for (const char c : value) {
    if (quote) {
      if (c == '#') return "a text may hold no #, which begins a comment";
      if (c == '\\' && quote == '"') return "a text in \" may hold no \\; one in ' may";
      if (c == quote) quote = 0;
    } else if (c == '#') {
      break;
    } else if (begins && (c == '"' || c == '\'')) {
      quote = c;
    }
    if (c != ' ' && c != '\t') begins = c == '[' || c == ',';
  }
  return quote ? "a text ends with the " + std::string(1, quote) + " that it begins with" : "";
}

std::vector<OptionLine> option_lines(const std::string& file, const std::string& text) {
  std::vector<OptionLine> found;
  std::istringstream lines(text);
  std::string section;
  int number = 0;
  bool in_list = false;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    CLI::detail::trim(line);
    const auto refuse = [&](const std::string& reason) {
      if (!reason.empty()) throw UsageError(file + ":" + std::to_string(number) + ": " + reason);
    };
    if (in_list) {
      refuse(line.find('#') != line.npos ? "a list over several lines may hold no #" : "");
      found.back().text += "\n" + line;
      in_list = !line.ends_with(']');
      continue;
    }
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = line.substr(1, line.size() - 2);
      found.push_back({section, "", number});
      continue;
    }
    if (line[0] == '[') refuse("behind a [section] there may be nothing, not even a comment");
    const size_t equals = std::min(line.find('='), line.size());
    refuse(equals == 0 ? "there is no key before the =" : "");
    found.push_back({section, CLI::detail::trim_copy(line.substr(0, equals)), number, line});
    const std::string value = equals < line.size() ? line.substr(equals + 1) : "";
    refuse(misread(value));
    const std::string bare = CLI::detail::trim_copy(value.substr(0, value.find('#')));
    refuse(bare == "[" ? "a list begins with a value in the line of its key" : "");
    in_list = bare.starts_with('[') && !bare.ends_with(']');
  }
  return found;
}

void OptionFile::check(const std::string& text) const {
  const std::string file = app_.get_config_ptr()->as<std::string>();
  for (const OptionLine& line : option_lines(file, text)) {
    const std::string where = file + ":" + std::to_string(line.number) + ": ";
    if (!line.key.empty()) {
      check_key(where, line.section, line.key);
    } else if (line.section.find_first_of(" \t") != std::string::npos) {  // CLI11 takes none
      throw CLI::ConfigError(where + "[" + line.section + "] must have no spaces");
    } else if (!find_command(app_, split_dots(line.section))) {
      throw CLI::ConfigError(where + "there is no command for [" + line.section + "]" +
                             did_you_mean(line.section, command_names(app_), "'"));
    }
  }
}

void OptionFile::check_key(const std::string& where, const std::string& section,
                           const std::string& key) const {
  std::vector<std::string> path = split_dots(section);
  for (const std::string& part : split_dots(key)) path.push_back(part);
  const std::string name = path.empty() ? "" : path.back();
  if (!path.empty()) path.pop_back();
  const CLI::App* command = find_command(app_, path);
  if (!command || command == &app_) {
    throw CLI::ConfigError(where + "\"" + key +
                           "\" must stand under the name of its command, such as [train]");
  }
  for (const std::string& option : {"--" + name, name}) {
    const CLI::Option* found = command->get_option_no_throw(option);
    if (!found || !found->get_configurable()) continue;
    const bool is_new = places_.emplace(found, found->count() == 0 ? where : "").second;
    if (is_new) return;
    throw CLI::ConfigError(where + "\"" + key + "\" is given twice");
  }
  std::string meant = nearest("--" + name, option_names(*command));
  if (!meant.empty()) meant = "; did you mean \"" + meant.substr(2) + "\"?";
  std::string name_of_command = full_name(*command);  // "heed train"
  throw CLI::ConfigError(where + "[" + name_of_command.erase(0, name_of_command.find(' ') + 1) +
                         "] has no option \"" + name + "\"" + meant);
}

}  // namespace heed
