// The numbers that the small experiments of the tests had when they were last looked at, in
// tests/golden/NAME.json: whoever changes one on purpose writes the file anew, with
// HEED_WRITE_GOLDEN=1 before the test, and reads the difference. Those that are null there are not
// compared: another order of sums changes them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/paths.h"

namespace heed {

class Golden {
 public:
  // Adds the numbers of a JSON value below a name. Of a list of more than six numbers: how many,
  // their mean, and the mean weighted by place, which tells their order.
  void add(const std::string& name, const nlohmann::json& value) {
    if (value.is_number() || value.is_boolean()) {
      numbers_[name] = {value.is_boolean() ? value.get<bool>() : value.get<double>()};
    } else if (is_long_list(value)) {
      numbers_[name] = summary(value);
    } else if (value.is_structured()) {
      for (const auto& [key, member] : value.items()) {
        if (!is_of_the_machine(key)) add(name.empty() ? key : name + "/" + key, member);
      }
    }
  }
  // What an experiment measured of each run in a folder.
  void add_runs(const std::string& folder) {
    for (const auto& run : std::filesystem::directory_iterator(folder)) {
      for (const char* name : {"evaluation.json", "distances.json", "told.json", "read.json"}) {
        std::ifstream file(run.path() / name);
        if (file) add(run.path().filename().string() + "/" + name, nlohmann::json::parse(file));
      }
    }
    EXPECT_FALSE(numbers_.empty()) << folder;
  }

  // Differences of 3 % or 0.003 are those of another machine: its sums are rounded otherwise, and a
  // comparison may then turn out otherwise.
  void expect(const std::string& name) const {
    const std::string path = source_dir() + "/tests/golden/" + name + ".json";
    std::ifstream file(path);
    const auto kept = file ? nlohmann::ordered_json::parse(file) : nlohmann::ordered_json::object();
    if (std::getenv("HEED_WRITE_GOLDEN")) return write(path, kept);
    ASSERT_FALSE(kept.empty()) << path << ": HEED_WRITE_GOLDEN=1 before the test writes it";
    for (const auto& [key, numbers] : numbers_) {
      EXPECT_TRUE(kept.contains(key)) << name << ": " << key << " is new";
    }
    for (const auto& [key, value] : kept.items()) {
      if (value.is_null()) continue;
      const auto now = numbers_.find(key);
      const auto numbers = value.is_array() ? value.get<Numbers>() : Numbers{value.get<double>()};
      if (now == numbers_.end() || now->second.size() != numbers.size()) {
        ADD_FAILURE() << name << ": " << key << " is gone";
        continue;
      }
      for (size_t i = 0; i < numbers.size(); ++i) {
        EXPECT_NEAR(now->second[i], numbers[i], 0.003 + 0.03 * std::abs(numbers[i]))
            << name << ": " << key;
      }
    }
  }

 private:
  using Numbers = std::vector<double>;

  static bool is_of_the_machine(const std::string& key) {
    return key == "heed" || key.find("second") != key.npos || key.find("time") != key.npos;
  }
  static bool is_long_list(const nlohmann::json& value) {
    return value.is_array() && value.size() > 6 &&
           std::all_of(value.begin(), value.end(),
                       [](const auto& x) { return x.is_number() || x.is_null(); });
  }
  static Numbers summary(const nlohmann::json& list) {
    double count = 0, sum = 0, weighted = 0, weights = 0;
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].is_null()) continue;
      const auto x = list[i].get<double>(), weight = static_cast<double>(i + 1);
      ++count, sum += x, weighted += weight * x, weights += weight;
    }
    if (count == 0) return {0};
    return {count, sum / count, weighted / weights};
  }
  void write(const std::string& path, const nlohmann::ordered_json& before) const {
    std::ofstream file(path);
    const char* line = "{\n";
    for (const auto& [key, numbers] : numbers_) {
      std::string text;
      for (const double number : numbers) {
        char digits[32];
        std::snprintf(digits, sizeof digits, "%s%.4g", text.empty() ? "" : ", ", number);
        text += digits;
      }
      if (numbers.size() > 1) text = "[" + text + "]";
      const bool compared = !before.contains(key) || !before[key].is_null();
      file << line << nlohmann::json(key).dump() << ": " << (compared ? text : "null");
      line = ",\n";
    }
    file << "\n}\n";
  }

  std::map<std::string, Numbers> numbers_;
};

}  // namespace heed
