#pragma once

#include <CLI/App.hpp>
#include <map>
#include <string>
#include <vector>

namespace heed {

// A line "key = value" of a file of options, below its [section].
struct OptionLine {
  std::string section, key;
  int number = 0;
  std::string text = {};  // with the lines over which its list goes on
};
// The sections, with an empty key, and the keys, in the order of the file, by lines as CLI11 reads
// them: [section], key = value, lists that go on over lines, comments. Throws UsageError with
// FILE:LINE for TOML that CLI11 reads as something else.
std::vector<OptionLine> option_lines(const std::string& file, const std::string& text);

// Reads files of options as CLI11 does, but names the line of a key or section that does not exist.
class OptionFile : public CLI::ConfigTOML {
 public:
  explicit OptionFile(const CLI::App& app) : app_(app) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;
  // "my.toml:3: " of an option that a file has given, and not the command line; else empty. Null:
  // of the first option with this name that a file has given, to whatever command.
  std::string place_of(const CLI::Option* option, const std::string& name) const;

 private:
  void check(const std::string& text) const;
  void check_key(const std::string& where, const std::string& section,
                 const std::string& key) const;

  const CLI::App& app_;
  mutable std::map<const CLI::Option*, std::string> places_;  // of the options in a file
};

}  // namespace heed
