// The common part of both drawings of curves: ranges, ticks and the words of the legend.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "dialog/text/svg.h"
#include "dialog/view/curves.h"

namespace heed {

struct CurveRanges {
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
};
// The ranges of all points; never empty, so that they can be the ranges of a scale.
CurveRanges ranges_of(const CurvePlot& plot);

// Round numbers in the ranges, about `count`: 1, 2, 5, 10, ... for a logarithmic axis, if there are
// at least two; integers for epochs and steps.
std::vector<double> y_ticks(const CurvePlot& plot, const CurveRanges& ranges, int count);
std::vector<double> x_ticks(const CurveRanges& ranges, int count);
std::string tick_text(double value);  // "0.05", "1200", "1e+06"

// "lowest 51.2 at epoch 3, last 52.6"
std::string summary_of(const Curve& curve, const CurvePlot& plot);

}  // namespace heed
