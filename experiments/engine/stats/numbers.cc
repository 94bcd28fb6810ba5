#include "experiments/engine/stats/numbers.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace heed {
namespace {

using Json = nlohmann::ordered_json;

bool is_number(const Json& json) {
  return json.is_number() || json.is_null();
}

std::optional<double> number(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<double>());
}

void collect(const Json& json, const std::string& name, Numbers& numbers) {
  const auto below = [&](const std::string& key) { return name.empty() ? key : name + "." + key; };
  if (json.is_object()) {
    for (const auto& [key, value] : json.items()) collect(value, below(key), numbers);
  } else if (json.is_array() && std::all_of(json.begin(), json.end(), is_number)) {
    Series series;
    for (const Json& element : json) series.push_back(number(element));
    numbers.set_series(name, std::move(series));
  } else if (json.is_array()) {
    for (size_t i = 0; i < json.size(); ++i) collect(json[i], below(std::to_string(i)), numbers);
  } else if (is_number(json)) {
    numbers.set(name, number(json));
  } else if (json.is_string()) {
    numbers.set_text(name, json.get<std::string>());
  }
}

void read_numbers(const std::string& path, const std::string& name, Numbers& numbers) {
  try {
    const Json json = Json::parse(read_file(path, 1 << 30));
    if (!json.is_object()) throw DataError(path + ": not what heed writes there: no object");
    collect(json, name, numbers);
  } catch (const Json::exception& e) {
    throw damaged(path, e.what());
  }
}

template <class Map> const auto& find_in(const Map& map, const std::string& name) {
  const auto found = map.find(name);
  if (found == map.end()) throw DataError("there is no \"" + name + "\"");
  return found->second;
}

std::optional<double> finite(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace

void Numbers::set(const std::string& name, std::optional<double> value) {
  const auto [place, is_new] = places_.try_emplace(name, entries_.size());
  if (is_new) {
    entries_.push_back({name, value});
  } else {
    entries_[place->second].value = value;
  }
}

std::optional<double> Numbers::value(const std::string& name) const {
  if (name.find('*') == name.npos) {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : finite(entries_[found->second].value);
  }
  double sum = 0, count = 0;
  for (const Entry& entry : entries_) {
    if (::fnmatch(name.c_str(), entry.name.c_str(), 0) != 0) continue;
    const auto value = finite(entry.value);
    if (!value) return std::nullopt;
    sum += *value, ++count;
  }
  return count == 0 ? std::nullopt : std::optional(sum / count);
}

const Series& Numbers::series(const std::string& name) const {
  return find_in(series_, name);
}

const std::string& Numbers::text(const std::string& name) const {
  return find_in(texts_, name);
}

std::vector<std::string> Numbers::names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) names.push_back(entry.name);
  return names;
}

Numbers load_numbers(const std::string& path) {
  Numbers numbers;
  read_numbers(path, "", numbers);
  return numbers;
}

void add_numbers(const std::string& path, Numbers& numbers) {
  read_numbers(path, std::filesystem::path(path).stem().string(), numbers);
}

// ---- of variants

void VariantNumbers::set(size_t variant, const std::string& name, std::optional<double> value) {
  if (value) {
    numbers_[name][variant].value = *value;
  } else {
    numbers_[name].erase(variant);
  }
}

void VariantNumbers::set_doubtful(size_t variant, const std::string& name) {
  if (find(variant, name)) numbers_[name][variant].doubtful = true;
}

const VariantNumbers::Number* VariantNumbers::find(size_t variant, const std::string& name) const {
  const auto of_name = numbers_.find(name);
  if (of_name == numbers_.end()) return nullptr;
  const auto found = of_name->second.find(variant);
  return found == of_name->second.end() ? nullptr : &found->second;
}

std::optional<double> VariantNumbers::get(size_t variant, const std::string& name) const {
  const Number* number = find(variant, name);
  return number ? std::optional(number->value) : std::nullopt;
}

std::vector<double> VariantNumbers::all(const std::string& name) const {
  std::vector<double> values;
  const auto of_name = numbers_.find(name);
  if (of_name == numbers_.end()) return values;
  for (const auto& [variant, number] : of_name->second) values.push_back(number.value);
  return values;
}

bool VariantNumbers::is_doubtful(size_t variant, const std::string& name) const {
  const Number* number = find(variant, name);
  return number && number->doubtful;
}

VariantNumbers printed_numbers(const std::string& json, const std::vector<std::string>& variants) {
  const Json paper = Json::parse(json);
  VariantNumbers printed;
  const auto place_of = [&](const std::string& row) {
    const auto found = std::find(variants.begin(), variants.end(), row);
    check_internal(found != variants.end(), "a paper's numbers name a variant that there is not");
    return static_cast<size_t>(found - variants.begin());
  };
  for (const auto& [row, its] : paper.at("numbers").items()) {
    Numbers numbers;
    collect(its, "", numbers);
    for (const std::string& name : numbers.names()) {
      const auto value = numbers.value(name);
      const bool percent = value && name.ends_with(" %");
      printed.set(place_of(row), percent ? name.substr(0, name.size() - 2) : name,
                  percent ? 0.01 * *value : value);
    }
  }
  const Json doubtful = paper.value("doubtful", Json::object());
  for (const auto& [row, names] : doubtful.items()) {
    for (const std::string name : names) printed.set_doubtful(place_of(row), name);
  }
  return printed;
}

}  // namespace heed
