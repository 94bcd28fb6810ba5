// Options of a command that are settings (train/setting.h), by a visitor.
#pragma once

#include <CLI/App.hpp>
#include <any>
#include <charconv>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heed/checks.h"
#include "train/settings_json.h"

namespace heed {

// "lstm:0.5:0.2". Throws UsageError.
ParameterGroup parse_group(const std::string& text);

// Declares an option for each setting with a help text, and keeps what was given until it is known
// which preset it changes:
//   flags.declare(command, TrainSettings{}, kVisitSettings);
//   ... flags.apply(settings, kVisitSettings);
// The object must not move between the two.
class SettingFlags {
 public:
  // `wanted(setting)` leaves others out.
  template <class S, class Visit, class Wanted>
  void declare(CLI::App& command, S settings, const Visit& visit, Wanted wanted) {
    auto visitor = [&](const Setting& setting, auto&& value) {
      if (setting.option.empty() || setting.help.empty() || !wanted(setting)) return;
      declare_one(command, setting, value);
    };
    visit(settings, visitor);
  }

  template <class S, class Visit> void apply(S& settings, const Visit& visit) const {
    auto visitor = [&](const Setting& setting, auto&& value) {
      const auto found = given_.find(setting.option);
      if (found != given_.end()) set(found->second, value);
    };
    visit(settings, visitor);
  }

  bool given(const std::string& option) const {
    const auto found = given_.find(option);
    return found != given_.end() && found->second.option->count() > 0;
  }
  // Null where the option was not given.
  template <class T> std::optional<T> value(const std::string& option) const {
    const auto found = given_.find(option);
    if (found == given_.end()) return {};
    return std::any_cast<const std::optional<T>&>(found->second.value);
  }

 private:
  struct Given {
    std::any value;  // std::optional of what CLI11 reads; of --group all texts
    CLI::Option* option = nullptr;
  };
  using Texts = std::vector<std::string>;

  // What CLI11 reads for a value.
  template <class T> struct Read { using type = T; };
  template <class T> struct Read<std::optional<T>> { using type = T; };
  template <class B> struct Read<Words<B>> { using type = std::string; };
  template <class B> struct Read<Unless<B>> { using type = bool; };
  template <class T, class Parse> struct Read<Named<T, Parse>> { using type = std::string; };
  template <class T> using ReadType = typename Read<T>::type;

  template <class T> static void add_checks(CLI::Option& option, const Setting& s) {
    if (!s.words.empty()) option.check(one_of(s.words));
    const bool below = std::isfinite(s.least), bounded = below && std::isfinite(s.most);
    if constexpr (std::is_floating_point_v<T>) {
      if (bounded)
        option.check(number(s.least, s.most));
      else if (below)
        option.check(s.above ? number_above(s.least) : number_from(s.least));
    } else if (bounded) {
      option.check(whole_number(static_cast<int64_t>(s.least), static_cast<int64_t>(s.most)));
    }
  }

  template <class T> void declare_one(CLI::App& command, const Setting& s, const T&) {
    using R = ReadType<T>;
    Given& given = given_[s.option];
    auto& value = given.value.emplace<std::optional<R>>();
    const std::string name = "--" + s.option;
    if constexpr (std::is_same_v<R, bool>) {
      given.option = command.add_flag(name, value, s.help);
    } else {
      given.option = command.add_option(name, value, s.help);
      add_checks<R>(*given.option, s);
    }
    if (!s.group.empty()) given.option->group(s.group);
    if (!s.takes.empty()) given.option->option_text(s.takes);
    if (!s.usual.empty()) given.option->default_str(s.usual);
  }
  void declare_one(CLI::App& command, const Setting& s, const std::vector<ParameterGroup>&) {
    Given& given = given_[s.option];
    auto& value = given.value.emplace<Texts>();
    given.option = command.add_option("--" + s.option, value, s.help)->group(s.group);
  }

  template <class T> static void set(const Given& given, T& value) {
    const auto& read = std::any_cast<const std::optional<ReadType<T>>&>(given.value);
    if (read) store(*read, value);
  }
  static void set(const Given& given, std::vector<ParameterGroup>& groups) {
    const auto& texts = std::any_cast<const Texts&>(given.value);
    if (!texts.empty()) groups.clear();
    for (const std::string& text : texts) groups.push_back(parse_group(text));
  }
  template <class R, class T> static void store(const R& read, T& value) { value = read; }
  template <class B> static void store(const std::string& read, Words<B>& value) {
    value.value = read == value.yes;
  }
  template <class B> static void store(bool read, Unless<B>& value) { value.value = !read; }
  template <class T, class Parse> static void store(const std::string& read, Named<T, Parse>& v) {
    v.value = v.parse(read);
  }

  std::map<std::string, Given> given_;
};

}  // namespace heed
