// What both drawings of curves have in common: ranges, ticks and the words of the legend.
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
// Of all points; never empty, so that a scale can be made of it.
CurveRanges ranges_of(const CurvePlot& plot);

// Round numbers in the ranges, about `count`: of a logarithmic axis 1, 2, 5, 10, ..., where they
// are two or more; of epochs and steps whole ones.
std::vector<double> y_ticks(const CurvePlot& plot, const CurveRanges& ranges, int count);
std::vector<double> x_ticks(const CurveRanges& ranges, int count);
std::string tick_text(double value);  // "0.05", "1200", "1e+06"

// "lowest 51.2 at epoch 3, last 52.6"
std::string summary_of(const Curve& curve, const CurvePlot& plot);

}  // namespace heed
