#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <string>
#include <vector>

namespace heed {

// The group of options that --help shows last: where a command runs, and with which arithmetic.
constexpr const char* kGeneral = "General";

// The text of --help: the purpose of the command, its required options, the other options in
// groups, and the footer. As wide as the terminal if that has at least 40 columns (80 in a file).
// In descriptions and footers, the continuation of a line that begins with blanks gets more of
// them; a line that begins with "  heed " is broken with a backslash, as a shell accepts it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// Something with a name and a description: an option or a command.
struct HelpEntry {
  std::string name, text;
  // Of an option: "--dtype" and what it takes, "f32|f64"; empty of an argument, and of a flag.
  std::string option = {}, value = {};
};
struct HelpSection {
  std::string title;
  std::vector<HelpEntry> entries;
};
// The options of a command in the order of --help.
std::vector<HelpSection> help_sections(const CLI::App& app);
bool takes_path(const CLI::Option& option);  // as --help says
// "heed train --data PATH --out PATH [OPTIONS]".
std::string usage_line(const CLI::App& app, const std::string& name);

void add_help(CLI::App& app);  // heed help COMMAND

}  // namespace heed
