// Presets of a system: named settings.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace heed {

// The preset of a name. Throws UsageError "preset: expected one of paper, laptop, got 'x'".
template <class Preset>
const Preset& find_preset_in(const std::vector<Preset>& presets, const std::string& name) {
  std::string names;
  for (const Preset& preset : presets) {
    if (preset.name == name) return preset;
    names += (names.empty() ? "" : ", ") + preset.name;
  }
  throw UsageError("preset: expected one of " + names + ", got '" + name + "'");
}

// A line "  name: text(preset)" for each, for --help.
template <class Preset, class Text>
std::string preset_lines(const std::vector<Preset>& presets, const Text& text) {
  std::string lines;
  for (const Preset& preset : presets) {
    lines += (lines.empty() ? "  " : "\n  ") + preset.name + ": " + text(preset);
  }
  return lines;
}

}  // namespace heed
