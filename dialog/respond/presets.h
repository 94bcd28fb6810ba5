// Sizes and training settings that belong together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/run.h"

namespace heed {

struct Preset {
  std::string name;
  TrainSettings settings;  // all but structure, insertion and seed
  std::string time;        // the duration of training, for people
  // For the structure of that name, if it has its own settings.
  std::optional<TrainSettings> transformer = {};
};
// The list is in presets.cc.
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names
// A preset's settings for a structure. If it has none for a transformer, which has no recurrent
// weights, the transformer learns with a fifth of the rate after a warm-up.
TrainSettings suited_to(const Structure& structure, const Preset& preset);
std::string preset_table();  // a line for each, for --help

}  // namespace heed
