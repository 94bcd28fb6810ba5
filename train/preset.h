// Presets of a system: named settings.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/list.h"

namespace heed {

// The preset of a name. Throws UsageError "preset: expected one of paper, laptop, got 'x'".
template <class Preset>
const Preset& find_preset_in(const std::vector<Preset>& presets, const std::string& name) {
  for (const Preset& preset : presets) {
    if (preset.name == name) return preset;
  }
  throw UsageError("preset: expected one of " + joined(presets, ", ", &Preset::name) + ", got '" +
                   name + "'");
}

// A line "  name: text(preset)" for each, for --help.
template <class Preset, class Text>
std::string preset_lines(const std::vector<Preset>& presets, const Text& text) {
  return joined(presets, "\n", [&](const Preset& p) { return "  " + p.name + ": " + text(p); });
}

}  // namespace heed
