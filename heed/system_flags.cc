#include "heed/system_flags.h"

#include <cmath>

#include "dialog/respond/system.h"
#include "dialog/respond/training.h"
#include "heed/command.h"

namespace heed {

ParameterGroup parse_group(const std::string& text) {
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  ParameterGroup group{.name = text.substr(0, first)};
  const auto number = [&](const std::string& part, double& value) {
    const char* end = part.data() + part.size();
    const auto [stopped, error] = std::from_chars(part.data(), end, value);
    return error == std::errc() && stopped == end && value >= 0 && std::isfinite(value);
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
    const std::string before = text(run.at(name));
    throw UsageError("--" + name + " " + text(value) + ": the run " + out + " was started " +
                     (before.empty() ? "without it" : "with " + before) +
                     "; leave the option out, or take another --out");
  }
}

static void declare_choice(CLI::App& c, const char* name, const System::Choice& choice,
                           std::string& value, const std::string& help) {
  if (!choice.names.empty()) option(c, name, value, help + choice.help, one_of(choice.names));
}

void SystemFlags::declare_form(CLI::App& c) {
  declare_choice(c, "--structure", system.forms(), form, "The model: ");
}

void SystemFlags::declare(CLI::App& c, const std::function<bool(const Setting&)>& wanted,
                          bool folders) {
  command_ = &c;
  const System::Choice presets = system.presets();
  declare_choice(c, "--preset", presets, preset, "Sizes and an optimiser that go together\n");
  const std::unique_ptr<Training> usual = system.train(presets.usual, form);
  for (const Training::Folder& folder : usual->folders()) {
    if (!folders) break;
    c.add_option("--" + folder.option, folders_[folder.option], folder.help)->option_text("DIR");
  }
  flags.declare(c, usual->settings(), wanted, !presets.names.empty());
}

std::unique_ptr<Training> SystemFlags::training(const std::string& its_form) const {
  std::unique_ptr<Training> training = system.train(preset, its_form.empty() ? form : its_form);
  training->given = [c = command_](const std::string& option) {
    const auto* found = c->get_option_no_throw("--" + option);
    return found && found->count() > 0;
  };
  for (const Training::Folder& folder : training->folders()) {
    if (folders_.contains(folder.option)) *folder.path = folders_.at(folder.option);
  }
  AnySettings settings = training->settings();
  flags.apply_to_preset(settings, training->loop());
  return training;
}

TrainSettings response_settings(const SystemFlags& flags, const std::string& form) {
  const std::unique_ptr<Training> training = flags.training(form);
  TrainSettings s = dynamic_cast<const TrainingOf<TrainSettings>&>(*training).values();
  complete_settings(s, training->given);
  return s;
}

TrainSettings response_settings(const SystemFlags& flags) {
  const TrainSettings s = response_settings(flags, flags.form);
  refuse_without_effect(s, [&](const std::string& option) { return flags.flags.given(option); });
  flags.flags.refuse_idle(s);
  return s;
}

}  // namespace heed
