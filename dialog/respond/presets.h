// Sizes and ways of training that belong together.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/respond/run.h"

namespace heed {

struct Preset {
  std::string name;
  TrainSettings settings;  // all but structure, insertion and seed
  std::string time;        // how long a training takes, for people
  std::optional<TrainSettings> transformer =
      {};  // for that structure, if it has settings of its own
};
// They stand in presets.cc and nowhere else.
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names
// A preset's settings for a structure. Where it has none of its own for a transformer, which has no
// recurrent weights, that learns with a fifth of the rate after a warm-up.
TrainSettings suited_to(const Structure& structure, const Preset& preset);
std::string preset_table();  // a line for each, for --help

}  // namespace heed
