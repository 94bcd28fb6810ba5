// What the trainings of all systems say alike.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "dialog/system.h"

namespace heed {

// S: all settings of a training, with visit_settings(), check() and the settings of the loop.
template <class S> class TrainingOf : public Training {
 public:
  explicit TrainingOf(S settings) : s_(std::move(settings)) {}

  AnySettings settings() override { return AnySettings(s_); }
  LoopSettings& loop() override {
    if constexpr (requires { s_.loop; }) {
      return s_.loop;
    } else {
      return s_.generator.loop;  // of two players
    }
  }
  void go_on(const std::string& run, const Take& take) override {
    S of_run = load(run);
    if (take) take(AnySettings(s_), AnySettings(of_run));
    before_going_on(run, of_run);
    s_ = std::move(of_run);
    s_.check();
  }

 protected:
  // Throws DataError where the directory holds no run of the system.
  virtual S load(const std::string& run) const = 0;
  virtual void before_going_on(const std::string&, const S&) {}

  S s_;
};

// The settings of a preset, which say so, and which size of the vocabulary is asked for.
template <class Preset> auto settings_of(const Preset& preset) {
  auto s = preset.settings;
  s.preset = preset.name;
  s.vocabulary = s.model.vocab_size;
  return s;
}

template <class Presets>
System::Choice choice_of(const Presets& presets, const std::string& usual,
                         const std::string& help) {
  System::Choice choice{{}, usual, help};
  for (const auto& known : presets) choice.names.emplace_back(known.name);
  return choice;
}

// Throws UsageError for another epoch of a model than those that are kept of all.
inline void check_epoch(const std::string& epoch, const std::string& what) {
  if (epoch == "best" || epoch == "untrained") return;
  throw UsageError("epoch: of " + what + " best or untrained, got '" + epoch + "'");
}

// Makes a T from the names of a preset and a form, as System::train does.
template <class T>
std::unique_ptr<Training> new_training(const std::string& preset, const std::string& form) {
  if constexpr (std::is_constructible_v<T, std::string, std::string>) {
    return std::make_unique<T>(preset, form);
  } else if constexpr (std::is_constructible_v<T, std::string>) {
    return std::make_unique<T>(preset);
  } else {
    return std::make_unique<T>();
  }
}

}  // namespace heed
