#include "experiments/sweep/grid.h"

#include <algorithm>
#include <cctype>
#include <cinttypes>
#include <cstdio>
#include <set>

#include "base/error.h"

namespace heed {
namespace {

constexpr size_t kLongestName = 90;  // with the seed it still fits wherever names are shown

std::string as_file_name(const std::string& text) {
  std::string name = text;
  for (char& c : name) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '+' || c == '-';
    if (!plain) c = '_';
  }
  return name;
}

void check(const std::vector<GridOption>& options) {
  size_t points = 1;
  for (const GridOption& option : options) {
    const std::set<std::string> different(option.values.begin(), option.values.end());
    if (option.values.empty()) throw UsageError("grid: " + option.name + " has no value");
    if (different.size() < option.values.size()) {
      throw UsageError("grid: " + option.name + " has a value twice");
    }
    points *= option.values.size();
    if (points > kMaxGridPoints) {
      throw UsageError("grid: more than " + std::to_string(kMaxGridPoints) + " combinations");
    }
  }
}

std::string name_of(const std::vector<GridOption>& options, const GridPoint& point) {
  std::string name;
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i].values.size() < 2) continue;
    const auto& [option, value] = point.settings[i];
    name += (name.empty() ? "" : "-") + (option == "structure" ? "" : option) + as_file_name(value);
  }
  return name.empty() ? "run" : name;
}

// Of the values that a name tells, whatever other points there are: the 64-bit FNV-1a hash.
std::string number_of(const std::vector<GridOption>& options, const GridPoint& point) {
  uint64_t hash = 14695981039346656037u;
  for (size_t i = 0; i < options.size(); ++i) {
    if (options[i].values.size() < 2) continue;
    const auto& [option, value] = point.settings[i];
    for (const char c : option + "=" + value + "\n") {
      hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
    }
  }
  char text[17];
  std::snprintf(text, sizeof text, "%016" PRIx64, hash);
  return text;
}

}  // namespace

std::vector<GridPoint> grid_points(const std::vector<GridOption>& options) {
  check(options);
  std::vector<GridPoint> points = {{}};
  for (const GridOption& option : options) {
    std::vector<GridPoint> more;
    for (const GridPoint& point : points) {
      for (const std::string& value : option.values) {
        more.push_back(point);
        more.back().settings.emplace_back(option.name, value);
      }
    }
    points = std::move(more);
  }
  std::set<std::string> names;
  for (GridPoint& point : points) {
    point.name = name_of(options, point);
    const bool good = point.name.size() <= kLongestName && names.insert(point.name).second;
    if (!good) point.name = "point-" + number_of(options, point);
  }
  return points;
}

}  // namespace heed
