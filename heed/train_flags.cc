#include "heed/train_flags.h"
#include "heed/command.h"

#include <cmath>

#include "base/number.h"
#include "dialog/respond/settings.h"
#include "dialog/respond/system.h"

namespace heed {

ParameterGroup parse_group(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  ParameterGroup group{.name = text.substr(0, first)};
  const auto number = [&](const std::string& part, double& value) {
    value = number_in<double>(part).value_or(-1);
    return value >= 0 && std::isfinite(value);
  };
  if (group.name.empty() || second == std::string::npos ||
      !number(text.substr(first + 1, second - first - 1), group.rate) ||
      !number(text.substr(second + 1), group.weight_decay)) {
    throw UsageError("--group: expected NAME:RATE:DECAY, as lstm:0.5:0.2, got '" + text + "'");
  }
  return group;
}

void refuse_changed(const CLI::App& command, const std::string& out,
                    const nlohmann::ordered_json& asked, const nlohmann::ordered_json& run) {
  const auto text = [](const nlohmann::ordered_json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
  };
  for (const auto& [name, value] : asked.items()) {
    const auto* option = command.get_option_no_throw("--" + name);
    const bool given = option && option->count() > 0;
    if (!given || run.at(name).is_null() || run.at(name) == value) continue;
    throw UsageError("--" + name + " " + text(value) + ": the run " + out + " was started with " +
                     text(run.at(name)) + "; leave the option out, or take another --out");
  }
}

void TrainFlags::declare_model(CLI::App& c) {
  add_structure(
      c, structure,
      ". A transformer takes adam, a warm-up of 200 steps and a fifth of the preset's rate");
  flags.declare(c, TrainSettings{}, [](const Setting& setting) { return setting.of_variant; });
}

void TrainFlags::declare(CLI::App& c) {
  std::vector<std::string> names;
  for (const Preset& known : presets()) names.push_back(known.name);
  option(c, "--preset", preset, "Sizes and an optimiser that go together\n" + preset_table(),
         one_of(names));
  flags.declare(c, TrainSettings{}, [](const Setting& setting) { return !setting.of_variant; });
}

TrainSettings TrainFlags::settings(const Structure& of) const {
  TrainSettings s = suited_to(of, find_preset(preset));
  s.preset = preset;
  s.limit = 0;
  s.vocabulary = s.model.vocab_size;
  flags.apply_to_preset(s, s.loop);
  complete_settings(s, [&](const std::string& option) { return flags.given(option); });
  return s;
}

TrainSettings TrainFlags::model_settings() const {
  const TrainSettings s = settings(Structure::parse(structure));
  refuse_without_effect(s, [&](const std::string& option) { return flags.given(option); });
  flags.refuse_idle(s);
  return s;
}

}  // namespace heed
