// The points of a grid: every combination of the values that some options have.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace heed {

struct GridOption {
  std::string name;  // of an option of `heed train`: "rate"
  std::vector<std::string> values;
  int line = 0;  // of the file that it stands in
};

struct GridPoint {
  std::string name;  // for the directories of its runs: "static-ui-rate0.003"
  std::vector<std::pair<std::string, std::string>> settings;  // a value for each option
};

constexpr size_t kMaxGridPoints = 10000;

// In the order of the options, the last one changing fastest. A name tells the values of the
// options that have several: the structure by itself, others behind their names; a long one, or one
// that another point has, is "point-" and a number of these values. So points keep their names
// where values are added. Throws UsageError for more points than kMaxGridPoints, and for a value
// that an option has twice.
std::vector<GridPoint> grid_points(const std::vector<GridOption>& options);

}  // namespace heed
