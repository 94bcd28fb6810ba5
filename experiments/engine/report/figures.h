// The figures of a report, as SVG inside HTML, from lists of values. Series differ in colour and in
// shape or pattern.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dialog/text/svg.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

// An entry of a legend: a mark, on a line if there is one.
struct LegendEntry {
  int mark = 0;
  std::string css, line, text;
};

// ---- panels of lines

struct PlotPoint {
  double x = 0, y = 0;
  std::string title = {};                 // shown under the pointer; without one it has no mark
  std::optional<Interval> interval = {};  // a vertical line
};
struct PlotLine {
  std::string css, line;  // colour and kind of line: "c0", "dash"; without a kind marks only
  int mark = 0;           // Svg::mark()
  std::vector<PlotPoint> points = {};
};
// For all panels. Values above them, and ends of intervals beyond them, are drawn at their edge.
struct PanelAxes {
  double width = 300, height = 220;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  bool logarithmic = false;  // the y axis
  std::vector<std::pair<double, std::string>> x_ticks = {};
  std::vector<double> y_ticks = {};  // without any, five or so
  std::optional<int> y_digits = {};  // else those that tell the ticks apart
  bool line_at_one = false;
};
struct Panel {
  std::string title, label;  // visible, and for screen readers
  std::vector<PlotLine> lines = {};
  std::optional<PanelAxes> axes = {};  // instead of the common ones
};
std::string panels_html(const PanelAxes& axes, const std::vector<Panel>& panels,
                        const std::vector<LegendEntry>& legend);

// The lowest and highest of the values, with room for marks, and 1 between them.
std::pair<double, double> range_around_one(const std::vector<double>& values);
PanelAxes x_axis_around_one(const std::vector<double>& values);
int digits_of_ticks(const std::vector<double>& ticks);

// ---- bars

struct Bar {
  std::optional<double> value = {}, paper = {};  // the paper's as a diamond
  std::optional<Interval> interval = {};
  std::string title = {};
};
struct BarGroup {
  std::string name;
  std::vector<Bar> bars;  // one for each series
};
struct BarSeries {
  std::string css, text;  // "bar0"
};
// Bars from 0 to the highest value, and at least to `high`; beside a paper's values the line at 1.
std::string bars_html(const std::string& title, const std::string& label, double high,
                      const std::vector<BarSeries>& series, const std::vector<BarGroup>& groups);

// ---- agreement

// A number in the paper and here.
struct Pair {
  double paper = 0, ours = 0;
  int mark = 0;
  std::string css, title;
};
// The pairs, with the diagonal of equal values, and the agreement of the two orders. `number`:
// "DAS ratio".
std::string agreement_html(const std::string& number, const std::vector<Pair>& pairs, double low,
                           double high);

}  // namespace heed
