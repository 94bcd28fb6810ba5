#pragma once

#include <CLI/App.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "dialog/respond/settings.h"
#include "dialog/system.h"
#include "heed/setting_flags.h"

namespace heed {

// How a system is trained, as options of a sub-command: all but the seed. The settings and their
// help texts are the system's.
class SystemFlags {
 public:
  explicit SystemFlags(const System& system)
      : system(system), form(system.forms().usual), preset(system.presets().usual) {}

  const System& system;
  std::string form, preset;
  SettingFlags flags = {};

  void declare_form(CLI::App& command);  // --structure
  // --preset, and the settings for which wanted(setting) is true. With `folders`, those that
  // Training::folders() has, too.
  void declare(CLI::App& command, const std::function<bool(const Setting&)>& wanted, bool folders);
  // By the preset and the given options; refers to this object. A form: instead of --structure.
  std::unique_ptr<Training> training(const std::string& its_form = "") const;

 private:
  const CLI::App* command_ = nullptr;  // knows which options were given
  std::map<std::string, std::string> folders_ = {};
};

// The settings of a response model of this form, without the checks of a single training.
TrainSettings response_settings(const SystemFlags& flags, const std::string& form);
// Those of --structure. Throws UsageError for an option that has no effect.
TrainSettings response_settings(const SystemFlags& flags);

}  // namespace heed
