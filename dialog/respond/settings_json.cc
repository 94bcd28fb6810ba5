#include "dialog/respond/settings_json.h"

#include "dialog/respond/settings.h"

namespace heed {

namespace {

// Calls use(setting, value) for all options.
template <class Use> void each_option(TrainSettings settings, Use use) {
  settings.model.attention = settings.model.attention_score();  // said or not
  OptionVisitor visitor(use);
  visit_settings(settings, visitor);
}

}  // namespace

nlohmann::ordered_json as_options(const TrainSettings& settings) {
  nlohmann::ordered_json options;
  each_option(settings,
              [&](const Setting& setting, const auto& value) { options[setting.option] = value; });
  return options;
}

nlohmann::ordered_json options_before(const Structure& structure) {
  nlohmann::ordered_json options;
  each_option({.model = {.structure = structure}}, [&](const Setting& setting, const auto& value) {
    if (setting.later) options[setting.option] = value;
  });
  return options;
}

std::vector<std::string> options_that(bool Setting::*is) {
  std::vector<std::string> names;
  each_option({}, [&](const Setting& setting, const auto&) {
    if (setting.*is) names.push_back(setting.option);
  });
  return names;
}

}  // namespace heed
