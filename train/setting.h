// A setting is one line of a visit_settings(), beside the struct that it belongs to:
//
//   template <class S, class V> void visit_settings(S& s, V& v) {  // S may be const
//     v(setting("dropout", "dropout", "Dropout probability", {.least = 0, .most = 1}), s.dropout);
//
// Everything else is a visitor: reading and writing files (train/settings_json.h), the options of a
// command and of a sweep (heed/setting_flags.h), the check of values (train/setting_rules.h), the
// settings that a resumed run may not contradict, and an experiment's description of itself.
#pragma once

#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace heed {

struct Setting {
  // "max-norm": --max-norm, and the key in option files, sweeps and descriptions. Empty: the
  // setting cannot be chosen.
  std::string option = "";
  std::string key = "";   // its place in the run's file: "schedule/rate"; empty: not kept
  std::string help = "";  // if empty, the commands declare the option, if there is one
  std::string group = "";
  std::string takes = "";  // the name of the value in --help
  std::string usual = "";  // shown by --help as the default
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool above = false;                   // more than `least`
  bool below = false;                   // less than `most`
  std::vector<std::string> words = {};  // the permitted values
  bool required = false;    // a file without it is refused; else a missing value is the default
  bool later = false;       // added in a later version: written only if it is not the default
  bool may_change = false;  // a run may be resumed with another value
  bool of_data = false;     // decides which examples are made
  bool of_variant = false;  // an experiment varies it
  // Settings, by their options, that must have one of these values for this one to have an effect:
  //   setting("steps", ...).only_with("output", {"energy"})
  // Of a flag it is "true" or "false".
  struct Condition {
    std::string option;
    std::vector<std::string> values;
  };
  std::vector<Condition> conditions = {};

  Setting only_with(std::string other, std::vector<std::string> values) const {
    Setting result = *this;
    result.conditions.push_back({std::move(other), std::move(values)});
    return result;
  }
};

inline Setting setting(std::string option, std::string key, std::string help, Setting rest = {}) {
  rest.option = std::move(option);
  rest.key = std::move(key);
  rest.help = std::move(help);
  return rest;
}

// How values that are not numbers, flags or texts are shown.
//
// A bool whose option takes one of two words: `no` or `yes`.
template <class B> struct Words {
  B& value;
  const char *no, *yes;
};
template <class B> Words(B&, const char*, const char*) -> Words<B>;

// A bool that is true unless its option, a flag, is given.
template <class B> struct Unless { B& value; };
template <class B> Unless(B&) -> Unless<B>;

// A value with a name. An empty name means that there is no value; then `in_effect` names the value
// that applies. parse(name) throws UsageError.
struct Named {
  template <class T, class Parse>
  Named(T& value, std::string its_name, Parse parse, std::string effect = "")
      : name(std::move(its_name)), in_effect(std::move(effect)) {
    if constexpr (!std::is_const_v<T>) {
      set = [&value, parse](const std::string& text) { value = parse(text); };
    }
  }
  std::string name, in_effect;
  std::function<void(const std::string& name)> set;  // empty for a const value
};

// Settings that are kept in two files.
template <class S, class V> void visit_settings(S& s, V& v) requires requires {
  visit_config(s, v);
  visit_training(s, v);
}
{
  visit_config(s, v);
  visit_training(s, v);
}

}  // namespace heed
