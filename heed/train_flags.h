#pragma once

#include <CLI/App.hpp>
#include <string>

#include "dialog/respond/presets.h"
#include "dialog/respond/settings.h"
#include "heed/setting_flags.h"

namespace heed {

// How a model is trained, as options of a sub-command: all but the seed. The settings and their
// help texts are in dialog/respond/settings.h.
struct TrainFlags {
  std::string structure = "static-ui";
  std::string preset = "laptop";
  SettingFlags flags = {};

  // Declares --structure and --insert-prob, which an experiment varies.
  void declare_model(CLI::App& command);
  void declare(CLI::App& command);
  // Without what declare_model() declares.
  TrainSettings settings(const Structure& structure = {}) const;
  // With it. Throws UsageError.
  TrainSettings model_settings() const;
};

}  // namespace heed
