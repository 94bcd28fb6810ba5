// The common part of the training of all systems.
#pragma once

#include <iterator>
#include <memory>
#include <string>
#include <utility>

#include "dialog/runs_of.h"
#include "train/model_directory.h"

namespace heed {

// S: all settings of training, with visit_settings(), check() and the settings of the loop.
template <class S> class TrainingOf : public Training {
 public:
  explicit TrainingOf(S settings) : s_(std::move(settings)) {}

  AnySettings settings() override { return AnySettings(s_); }
  const S& values() const { return s_; }
  LoopSettings& loop() override {
    if constexpr (requires { s_.loop; }) {
      return s_.loop;
    } else {
      return s_.generator.loop;  // if there are two players
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
  // Throws DataError if the directory holds no run of the system.
  virtual S load(const std::string& run) const = 0;
  virtual void before_going_on(const std::string&, const S&) {}

  S s_;
};

// The training of a system whose runs are RunsOf<Own>.
template <class Own> class SystemTraining : public TrainingOf<typename Own::Settings> {
 public:
  using Runs = RunsOf<Own>;

  explicit SystemTraining(const std::string& preset)
      : TrainingOf<typename Own::Settings>(Runs::preset(preset)) {
    s_.preset = preset;
    if constexpr (requires { s_.vocabulary.reset(); }) s_.vocabulary = s_.model.vocab_size;
  }

  void complete() override {
    if constexpr (requires { s_.vocabulary.reset(); }) s_.model.vocab_size = *s_.vocabulary;
    auto& schedule = s_.loop.schedule;
    if (Own::kNames.rate_ends && !this->given("min-rate")) schedule.min_rate = schedule.rate / 1000;
    s_.check();
  }
  void read(const Paths& data, const std::string& run) override {
    data_ = Own::read(data, s_, run);
    if (run.empty()) return Runs::take(s_, data_);
    check_same_data(s_.data_fingerprint == data_.fingerprint(), data, run);
  }
  void prepare(const Talk&) override { check_memory(Own::size(s_)); }
  void start(const std::string& run, const std::string& made_with) override {
    Runs::start(run, s_, data_, made_with);
  }
  bool train(const std::string& run, Device device, const TrainHooks& hooks) override {
    auto loaded = Runs::first(run, s_);
    if constexpr (requires { loaded.reads_ahead; }) {
      loaded.reads_ahead = [&](int64_t done, int64_t of) {
        this->progress(done, of);
        return hooks.stop == nullptr || !*hooks.stop;
      };
    }
    return Runs::train(std::move(loaded), run, s_, data_, device, hooks);
  }
  std::string step_text(const TrainProgress& p) const override {
    return line_text(Own::kStep, value_of(p.metrics, Own::kStep.metric));
  }
  std::string epoch_text(const EpochLog& e, bool best) const override {
    return epoch_line(e, best, std::begin(Own::kEpoch), std::end(Own::kEpoch));
  }

 protected:
  using TrainingOf<typename Own::Settings>::s_;
  typename Own::Settings load(const std::string& run) const override { return Runs::settings(run); }

  typename Own::Data data_;
};

// Makes a T from the names of a preset and a form, for System::train.
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

template <class Presets>
System::Choice choice_of(const Presets& presets, const std::string& usual,
                         const std::string& help) {
  System::Choice choice{{}, usual, help};
  for (const auto& known : presets) choice.names.emplace_back(known.name);
  return choice;
}

// System::files for settings S.
template <class S, class... Visits> std::function<System::Files()> files_of(Visits... visits) {
  return [=] {
    const auto s = std::make_shared<S>();
    return System::Files{s, {AnySettings(*s, visits)...}};
  };
}

// Adds to a system's row the entries that follow from T, its SystemTraining<Own>.
template <class T, class Own> System trained(System row) {
  row.name = Own::kNames.command;
  row.what = Own::kNames.what;
  row.train = new_training<T>;
  row.files = files_of<typename Own::Settings>([](auto& s, auto& v) { visit_config(s, v); },
                                               [](auto& s, auto& v) { visit_training(s, v); });
  row.presets = [] {
    return choice_of(RunsOf<Own>::presets(), Own::kNames.usual, RunsOf<Own>::preset_table());
  };
  return row;
}

}  // namespace heed
