#pragma once

#include <CLI/App.hpp>
#include <string>
#include <vector>

namespace heed {

// Reads files of options as CLI11 does, but names the line of a key or section that does not exist.
class OptionFile : public CLI::ConfigTOML {
 public:
  explicit OptionFile(const CLI::App& app) : app_(app) {}
  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override;

 private:
  void check(const std::string& text) const;
  void check_key(const std::string& where, const std::string& section,
                 const std::string& key) const;

  const CLI::App& app_;
};

}  // namespace heed
