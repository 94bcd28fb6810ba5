// Settings in JSON: the visitors for visit_settings() (train/setting.h).
#pragma once

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "train/settings.h"

namespace heed {

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(ParameterGroup, name, rate, weight_decay)

// ---- the form of a value in the file of a run, and as an option

template <class T> nlohmann::ordered_json in_file(const T& value) {
  return value;
}
template <class T> nlohmann::ordered_json in_file(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}
template <class B> nlohmann::ordered_json in_file(const Words<B>& value) {
  return value.value;
}
template <class B> nlohmann::ordered_json in_file(const Unless<B>& value) {
  return value.value;
}
inline nlohmann::ordered_json name_or_null(const std::string& name) {
  return name.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(name);
}
inline nlohmann::ordered_json in_file(const Named& value) {
  return name_or_null(value.name);
}
inline nlohmann::ordered_json in_file(const std::vector<ParameterGroup>& groups) {
  return nlohmann::json(groups);
}

template <class T> nlohmann::ordered_json as_option(const T& value) {
  return in_file(value);
}
template <class B> nlohmann::ordered_json as_option(const Words<B>& value) {
  return value.value ? value.yes : value.no;
}
template <class B> nlohmann::ordered_json as_option(const Unless<B>& value) {
  return !value.value;
}
inline nlohmann::ordered_json as_option(const Named& value) {
  return name_or_null(value.in_effect.empty() ? value.name : value.in_effect);
}
// "0.5", with as many digits as it takes to read the same number again.
inline std::string shortest_text(double value) {
  char text[32];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    if (std::strtod(text, nullptr) == value) break;
  }
  return text;
}
// "lstm:0.5:0.2 combine:1:0"
inline nlohmann::ordered_json as_option(const std::vector<ParameterGroup>& groups) {
  std::ostringstream text;
  for (const ParameterGroup& g : groups) {
    text << (text.tellp() > 0 ? " " : "") << g.name << ":" << shortest_text(g.rate) << ":"
         << shortest_text(g.weight_decay);
  }
  return text.str();
}

template <class T> void from_file(const nlohmann::json& json, T& value) {
  json.get_to(value);
}
template <class B> void from_file(const nlohmann::json& json, Words<B>& value) {
  json.get_to(value.value);
}
template <class B> void from_file(const nlohmann::json& json, Unless<B>& value) {
  json.get_to(value.value);
}
inline void from_file(const nlohmann::json& json, Named& value) {
  value.set(json.get<std::string>());
}

// ---- the visitors

template <class Json = nlohmann::json> auto place_of(const std::string& key) {
  return typename Json::json_pointer("/" + key);
}

class SettingWriter {
 public:
  template <class T> void operator()(const Setting& setting, const T& value) {
    const nlohmann::ordered_json shown = in_file(value);
    if (setting.key.empty() || shown.is_null()) return;
    json[place_of<nlohmann::ordered_json>(setting.key)] = shown;
    if (setting.later) later.push_back(setting.key);
  }

  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  std::vector<std::string> later;
};

class SettingReader {
 public:
  explicit SettingReader(const nlohmann::json& json) : json_(json) {}

  // Throws UsageError if a required key is missing or a value has another type.
  template <class T> void operator()(const Setting& setting, T&& value) const {
    if (setting.key.empty()) return;
    const auto place = place_of(setting.key);
    if (!json_.contains(place)) {
      if (setting.required) throw UsageError("'" + setting.key + "' is missing");
    } else if constexpr (requires { value.has_value(); }) {
      read(setting, json_.at(place), value.emplace());
    } else {
      read(setting, json_.at(place), value);
    }
  }

 private:
  template <class T>
  static void read(const Setting& setting, const nlohmann::json& found, T& value) {
    const auto wrong = [&](const char* what) { throw UsageError("'" + setting.key + "' " + what); };
    if (in_file(value).is_number_integer() && !found.is_number_integer()) {
      wrong("has the wrong type");
    }
    try {
      from_file(found, value);
    } catch (const nlohmann::json::exception&) {
      wrong("has the wrong type");
    }
    if (found.is_number_integer() && in_file(value).is_number_integer() &&
        in_file(value).dump() != found.dump()) {
      wrong("is out of range");
    }
  }

  const nlohmann::json& json_;
};

// Calls use(setting, value as an option) for all settings that can be chosen.
template <class S, class Use> void each_option(const S& settings, const Use& use) {
  const auto visitor = [&](const Setting& setting, const auto& value) {
    if (!setting.option.empty()) use(setting, as_option(value));
  };
  visit_settings(settings, visitor);
}

// The settings of a run by the names of their options. A setting that an older version did not keep
// is null.
template <class S> nlohmann::ordered_json as_options(const S& settings) {
  nlohmann::ordered_json options;
  each_option(settings, [&](const Setting& s, const auto& value) { options[s.option] = value; });
  return options;
}
// All values as texts, the form that some experiments keep.
inline nlohmann::ordered_json as_texts(nlohmann::ordered_json options) {
  for (const auto& [option, value] : options.items()) {
    if (!value.is_string()) value = value.dump();
  }
  return options;
}
// The first condition of a setting that does not hold with these values, as texts; null if it has
// an effect. What has no value here holds.
inline const Setting::Condition* unmet_condition(const Setting& setting,
                                                 const nlohmann::ordered_json& texts) {
  for (const Setting::Condition& condition : setting.conditions) {
    const auto found = texts.find(condition.option);
    if (found == texts.end()) continue;
    const auto& values = condition.values;
    if (std::find(values.begin(), values.end(), *found) == values.end()) return &condition;
  }
  return nullptr;
}
// The settings that older versions did not have, with the value that was fixed then.
template <class S> nlohmann::ordered_json options_before(const S& usual = {}) {
  nlohmann::ordered_json options;
  each_option(usual, [&](const Setting& setting, const auto& value) {
    if (setting.later) options[setting.option] = value;
  });
  return options;
}
// The options for which the member is true: options_that<TrainSettings>(&Setting::may_change).
template <class S> std::vector<std::string> options_that(bool Setting::*is) {
  std::vector<std::string> names;
  each_option(S{}, [&](const Setting& setting, const auto&) {
    if (setting.*is) names.push_back(setting.option);
  });
  return names;
}

inline void erase_key(auto& json, const std::string& key) {
  const auto place = place_of<std::decay_t<decltype(json)>>(key);
  if (json.contains(place)) json.at(place.parent_pointer()).erase(place.back());
}

// The settings as a file holds them. Those of later versions are left out if they have the default.
template <class S, class Visit>
nlohmann::ordered_json settings_to_json(const S& settings, const S& defaults, const Visit& visit) {
  SettingWriter here, usual;
  visit(settings, here);
  visit(defaults, usual);
  for (const std::string& key : here.later) {
    const auto place = place_of<nlohmann::ordered_json>(key);
    if (!usual.json.contains(place) || usual.json.at(place) != here.json.at(place)) continue;
    erase_key(here.json, key);
  }
  return here.json;
}
template <class S, class Visit>
nlohmann::ordered_json settings_to_json(const S& settings, const Visit& visit) {
  return settings_to_json(settings, S{}, visit);
}

template <class S, class Visit>
S settings_from_json(const nlohmann::json& json, const Visit& visit) {
  S settings;
  const SettingReader reader(json);
  visit(settings, reader);
  return settings;
}

inline constexpr auto kVisitSettings = [](auto& s, auto& v) { visit_settings(s, v); };

}  // namespace heed
