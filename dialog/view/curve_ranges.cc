#include "dialog/view/curve_ranges.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/error.h"

namespace heed {
namespace {

// A range of some width around what has none.
void widen(double& low, double& high, bool logarithmic) {
  const double size = std::max(std::abs(low), std::abs(high));
  if (high - low > 1e-9 * size) return;
  const double middle = low / 2 + high / 2;
  const double room = size > 0 ? 0.05 * size : 0.5;
  low = logarithmic ? middle / 1.05 : middle - room;
  high = logarithmic ? middle * 1.05 : middle + room;
}

}  // namespace

CurvePlot drawable(const CurvePlot& plot) {
  constexpr double kMost = 1e300;
  CurvePlot kept{plot.x, plot.y, plot.logarithmic};
  bool any = false;
  for (const Curve& curve : plot.curves) {
    kept.curves.push_back({curve.name, {}});
    for (const auto& [x, y] : curve.points) {
      const bool ok = std::abs(x) < kMost && std::abs(y) < kMost && (y > 0 || !plot.logarithmic);
      if (ok) kept.curves.back().points.push_back({x, y});
      any = any || ok;
    }
  }
  if (!any) {
    throw DataError(plot.y + ": no number that can be drawn" +
                    (plot.logarithmic ? " on a logarithmic axis" : ""));
  }
  return kept;
}

CurveRanges ranges_of(const CurvePlot& plot) {
  CurveRanges r;
  bool first = true;
  for (const Curve& curve : plot.curves) {
    for (const auto& [x, y] : curve.points) {
      if (first) r = {x, x, y, y};
      first = false;
      r.x_low = std::min(r.x_low, x), r.x_high = std::max(r.x_high, x);
      r.y_low = std::min(r.y_low, y), r.y_high = std::max(r.y_high, y);
    }
  }
  widen(r.x_low, r.x_high, false);
  widen(r.y_low, r.y_high, plot.logarithmic);
  return r;
}

std::vector<double> y_ticks(const CurvePlot& plot, const CurveRanges& r, int count) {
  std::vector<double> found;
  if (plot.logarithmic) found = log_ticks(r.y_low, r.y_high);
  if (found.size() < 2) found = ticks(r.y_low, r.y_high, count);
  const size_t most = static_cast<size_t>(std::max(count, 1)) + 1;
  const size_t every = (found.size() + most - 1) / most;
  std::vector<double> kept;
  for (size_t i = 0; i < found.size(); i += every) kept.push_back(found[i]);
  return kept;
}

std::vector<double> x_ticks(const CurveRanges& r, int count) {
  std::vector<double> kept;
  for (const double x : ticks(r.x_low, r.x_high, count)) {
    if (x == std::round(x)) kept.push_back(x);
  }
  return kept;
}

std::string tick_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", std::abs(value) < 1e-12 ? 0.0 : value);
  return text;
}

std::string summary_of(const Curve& curve, const CurvePlot& plot) {
  if (curve.points.empty()) return "nothing to draw";
  const auto lowest =
      std::min_element(curve.points.begin(), curve.points.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  char text[120];
  std::snprintf(text, sizeof text, "lowest %.4g at %s %.10g, last %.4g", lowest->second,
                plot.x.c_str(), lowest->first, curve.points.back().second);
  return text;
}

}  // namespace heed
