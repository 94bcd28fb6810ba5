#pragma once

#include <CLI/App.hpp>
#include <string>

#include "dialog/discriminate/settings.h"
#include "heed/setting_flags.h"

namespace heed {

// How a discriminator is trained, as options of a sub-command: all but the seed. The settings and
// their help texts are in dialog/discriminate/settings.h.
struct DiscriminatorFlags {
  std::string preset = "laptop", init = {};
  SettingFlags flags = {};

  void declare(CLI::App& command);
  // Throws UsageError.
  discriminate::Settings settings(uint64_t seed) const;
};

}  // namespace heed
