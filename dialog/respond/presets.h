// Sizes and ways of training that belong together.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/run.h"

namespace heed {

struct Preset {
  std::string name;
  TrainSettings settings;  // all but structure, insertion and seed
  std::string time;        // how long a training takes, for people
};
// paper, laptop, demo and smoke. They stand in presets.cc and nowhere else.
const std::vector<Preset>& presets();
const Preset& find_preset(const std::string& name);  // throws UsageError, with the names
// What of a preset suits the structure: a transformer has no recurrent weights, and learns with a
// fifth of the rate after a warm-up.
TrainSettings suited_to(const Structure& structure, TrainSettings settings);
std::string preset_table();  // a line for each, for --help

}  // namespace heed
