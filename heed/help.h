#pragma once

#include <CLI/App.hpp>
#include <CLI/FormatterFwd.hpp>
#include <string>
#include <vector>

namespace heed {

// The group of options that are said last: where and with which numbers a command runs.
constexpr const char* kGeneral = "General";

// The text of --help: what the command is for, then required options, then the others in their
// groups, then the footer. As wide as the terminal, from 40 columns on (or 80, where it goes to a
// file). In descriptions and footers a line that begins with blanks goes on with more of them; one
// that begins with "  heed " goes on behind a backslash, as a shell takes it.
class HelpFormatter : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
};

// Something with a name and a description: an option or a command.
struct HelpEntry {
  std::string name, text;
};
struct HelpSection {
  std::string title;
  std::vector<HelpEntry> entries;
};
// The options of a command in the order in which they are shown.
std::vector<HelpSection> help_sections(const CLI::App& app);
// "heed train --data PATH --out PATH [OPTIONS]".
std::string usage_line(const CLI::App& app, const std::string& name);

void add_help(CLI::App& app);  // heed help COMMAND

}  // namespace heed
