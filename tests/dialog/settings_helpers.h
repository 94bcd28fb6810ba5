// All settings of a system, and for each of them a training that differs in it and nothing else.
#pragma once

#include "dialog/discriminate/settings.h"
#include "dialog/respond/settings.h"
#include "train/settings_json.h"

namespace heed {

inline void change(const Setting&, bool& value) {
  value = !value;
}
inline void change(const Setting&, double& value) {
  value = value / 2 + 0.0625;
}
inline void change(const Setting&, std::vector<ParameterGroup>& groups) {
  groups.push_back({.name = "lstm", .rate = 0.5, .weight_decay = 0.25});
}
inline void change(const Setting& s, std::string& value) {
  value = s.words.empty() ? "x" : s.words[value == s.words[0]];
}
template <class T> void change(const Setting&, T& value) {
  ++value;
}
template <class T> void change(const Setting& s, std::optional<T>& value) {
  value = value.value_or(T{});
  change(s, *value);
}
template <class B> void change(const Setting&, Words<B>& value) {
  value.value = !value.value;
}
template <class B> void change(const Setting&, Unless<B>& value) {
  value.value = !value.value;
}
inline void change(const Setting& s, Named& value) {
  const bool negatives = s.option == "negatives";
  value.set(!s.words.empty() ? s.words.back() : negatives ? "real" : "dynamic");
}

// Changes the setting of this number.
struct Changer {
  size_t number, at = 0;
  Setting changed = {};
  template <class T> void operator()(const Setting& setting, T&& value) {
    if (at++ != number) return;
    change(setting, value);
    changed = setting;
  }
};

template <class S> struct Changed {
  Setting setting;
  S settings;
};

template <class S> std::vector<Changed<S>> all_changes(const S& usual = {}) {
  std::vector<Changed<S>> all;
  for (size_t i = 0;; ++i) {
    S settings = usual;
    Changer changer{.number = i};
    visit_settings(settings, changer);
    if (i == changer.at) return all;
    all.push_back({changer.changed, settings});
  }
}

}  // namespace heed
