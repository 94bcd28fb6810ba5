// Options of a command that are settings (train/setting.h), by a visitor.
#pragma once

#include <CLI/App.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/list.h"
#include "heed/checks.h"
#include "train/any_settings.h"
#include "train/settings_json.h"

namespace heed {

// Parses "lstm:0.5:0.2". Throws UsageError.
ParameterGroup parse_group(const std::string& text);

// Throws UsageError for the first given option that contradicts the run in `out`, which is being
// resumed: the option would otherwise be ignored. Null: an older version did not keep the setting.
void refuse_changed(const CLI::App& command, const std::string& out,
                    const nlohmann::ordered_json& asked, const nlohmann::ordered_json& run);

// The given options that a resumed run takes: those that may change. Throws UsageError for others
// that contradict it.
template <class S>
void take_given(const CLI::App& command, const std::string& out, const S& asked, S& run) {
  SettingWriter given;
  visit_settings(asked, given);
  const nlohmann::json json = given.json;
  const SettingReader reader(json);
  const auto take = [&](const Setting& setting, auto&& value) {
    const auto* option = command.get_option_no_throw("--" + setting.option);
    if (setting.may_change && option && option->count() > 0) reader(setting, value);
  };
  visit_settings(run, take);
  refuse_changed(command, out, as_options(asked), as_options(run));
}

// Gives an option for a T what the setting says: its checks, its group, and what --help shows.
template <class T> void take_setting(CLI::Option& option, const Setting& s) {
  if (!s.words.empty()) option.check(one_of(s.words));
  const bool bounded = std::isfinite(s.least) && std::isfinite(s.most);
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isfinite(s.least)) option.check(number_of(s));
  } else if (bounded) {
    option.check(whole_number(static_cast<int64_t>(s.least), static_cast<int64_t>(s.most)));
  }
  if (!s.group.empty()) option.group(s.group);
  if (!s.takes.empty()) option.option_text(s.takes);
  if (!s.usual.empty()) option.default_str(s.usual);
}

// Declares an option for each setting with a help text, and keeps what was given until it is known
// which preset it changes:
//   flags.declare(command, TrainSettings{}, [](const Setting&) { return true; });
//   ... flags.apply(settings);
class SettingFlags {
 public:
  // `wanted(setting)` leaves settings out. Without presets the values are the defaults that --help
  // shows.
  template <class S, class Wanted>
  void declare(CLI::App& command, const S& settings, Wanted wanted, bool presets = true) {
    declare_all(command, settings, wanted, [&](Setting& setting, const auto& value) {
      if (presets) return;
      say_no_preset(setting);
      setting.usual = as_option(value).dump();
    });
  }
  // In a group whose title says what the values are if they are not given.
  template <class S, class Wanted>
  void declare_in(CLI::App& command, const S& settings, Wanted wanted, const char* group) {
    declare_all(command, settings, wanted, [&](Setting& setting, const auto&) {
      say_no_preset(setting);
      setting.group = group;
    });
  }

  template <class S> void apply(S& settings) const {
    const auto visitor = [&](const Setting& setting, auto&& value) {
      const auto found = options_.find(setting.option);
      if (found != options_.end()) set(*found->second, value);
    };
    visit_settings(settings, visitor);
  }
  // Applies the options to a preset: with another optimiser, none of the preset's optimiser
  // settings hold; embeddings are as wide as --hidden.
  template <class S> void apply_to_preset(S& settings, LoopSettings& loop) const {
    std::string optimizer = loop.optimizer.name;
    if (given("optimizer")) set(*options_.at("optimizer"), optimizer);
    if (optimizer != loop.optimizer.name) {
      loop.optimizer = {};
      loop.schedule = {.rate = default_rate(optimizer)};
      loop.max_norm = LoopSettings{}.max_norm;
    }
    apply(settings);
    if (!given("hidden") || given("embed")) return;
    const auto as_wide = [&](const Setting& setting, auto&& value) {
      using T = std::remove_reference_t<decltype(value)>;
      if constexpr (std::is_same_v<T, int64_t>) {
        if (setting.option == "embed") set(*options_.at("hidden"), value);
      }
    };
    visit_settings(settings, as_wide);
  }

  // Throws UsageError "--steps: only applies with --output energy" for an option that was given and
  // has no effect. `settings`: all that are in effect, as other values may come from a preset.
  template <class S> void refuse_idle(const S& settings) const {
    const std::vector<std::string> all = idle(settings);
    if (!all.empty()) throw UsageError(all[0]);
  }
  // The messages about all such options.
  template <class S> std::vector<std::string> idle(const S& settings) const {
    const nlohmann::ordered_json in_effect = as_texts(as_options(settings));
    std::vector<std::string> all;
    each_option(settings, [&](const Setting& setting, const auto&) {
      const auto* const unmet =
          given(setting.option) ? unmet_condition(setting, in_effect) : nullptr;
      if (unmet) all.push_back(text_of_unmet(setting, *unmet));
    });
    return all;
  }

  bool given(const std::string& option) const {
    const auto found = options_.find(option);
    return found != options_.end() && found->second->count() > 0;
  }

 private:
  template <class S, class Wanted, class Adapt>
  void declare_all(CLI::App& command, const S& settings, Wanted wanted, Adapt adapt) {
    const auto visitor = [&](Setting setting, const auto& value) {
      if (setting.option.empty() || setting.help.empty() || !wanted(setting)) return;
      adapt(setting, value);
      declare_one(command, setting, value);
    };
    visit_settings(settings, visitor);
  }
  static std::string text_of_unmet(const Setting& setting, const Setting::Condition& unmet) {
    const std::string with = "with --" + unmet.option + " " + joined(unmet.values, " or ");
    return "--" + setting.option + ": only applies " +
           (unmet.values[0] == "false" ? "without --" + unmet.option : with);
  }
  static void say_no_preset(Setting& setting) {
    const std::string remark = " (instead of the preset's)";
    for (std::string* text : {&setting.help, &setting.group}) {
      if (text->ends_with(remark)) text->resize(text->size() - remark.size());
    }
  }

  using Texts = std::vector<std::string>;

  // The type that CLI11 reads for a value.
  template <class T> struct Read {
    using Text = std::conditional_t<std::is_same_v<T, Named>, std::string, T>;
    using type = std::conditional_t<std::is_same_v<T, std::vector<ParameterGroup>>, Texts, Text>;
  };
  template <class T> struct Read<std::optional<T>> { using type = T; };
  template <class B> struct Read<Words<B>> { using type = std::string; };
  template <class B> struct Read<Unless<B>> { using type = bool; };
  template <class T> using ReadType = typename Read<T>::type;

  // The option keeps what was given.
  template <class T> void declare_one(CLI::App& command, const Setting& s, const T&) {
    using R = ReadType<T>;
    const std::string name = "--" + s.option;
    CLI::Option* option = nullptr;
    if constexpr (std::is_same_v<R, bool>) {
      option = command.add_flag(name, s.help);
    } else {
      const auto keep = [](const R&) {};
      option = command.add_option_function<R>(name, keep, s.help);
    }
    take_setting<R>(*option, s);
    options_[s.option] = option;
  }

  template <class T> static void set(const CLI::Option& option, T& value) {
    if (option.count() > 0) store(option.as<ReadType<T>>(), value);
  }
  template <class R, class T> static void store(const R& read, T& value) { value = read; }
  template <class B> static void store(const std::string& read, Words<B>& value) {
    value.value = read == value.yes;
  }
  template <class B> static void store(bool read, Unless<B>& value) { value.value = !read; }
  static void store(const std::string& read, Named& value) { value.set(read); }
  static void store(const Texts& read, std::vector<ParameterGroup>& groups) {
    groups.clear();
    for (const std::string& text : read) groups.push_back(parse_group(text));
  }

  std::map<std::string, const CLI::Option*> options_;
};

}  // namespace heed
