// What the figures have in common.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/distraction/inference.h"
#include "experiments/engine/svg.h"

namespace heed {

// The frame of a plot: axes, ticks and a title, and the scales to draw with.
struct Plot {
  Svg svg;
  Scale x, y;
  double left, right, top, bottom;  // pixels

  Plot(double width, double height, const std::string& label, const std::string& title)
      : svg(width, height, label), left(44), right(width - 10), top(28), bottom(height - 30) {
    svg.text({left, 16}, title, "title");
    x.from = left, x.to = right;
    y.from = bottom, y.to = top;
  }
  void y_axis(const std::vector<double>& at, int digits) {
    for (double value : at) {
      svg.line({left, y(value)}, {right, y(value)}, "grid");
      svg.text({left - 6, y(value) + 4}, decimal(value, digits), "tick", Svg::Anchor::kEnd);
    }
    svg.line({left, bottom}, {right, bottom}, "axis");
  }
  void x_label(double at, const std::string& text) {
    svg.text({at, bottom + 16}, text, "tick", Svg::Anchor::kMiddle);
  }
  // A DAS ratio of 1: distractions get as much as the history.
  void line_at_one() {
    if (y.low < 1 && y.high > 1) svg.line({left, y(1)}, {right, y(1)}, "one");
  }
};

// "0.72 [0.70, 0.74], 744 conversations"
inline std::string with_interval(double value, const std::optional<Estimate>& e) {
  std::string text = decimal(value, 3);
  if (e) {
    text += " [" + decimal(e->interval.low, 3) + ", " + decimal(e->interval.high, 3) + "], " +
            std::to_string(e->clusters) + " conversations";
  }
  return text;
}

// The interval of an estimate as a vertical line.
inline void whisker(Plot& plot, double x, const std::optional<Estimate>& e,
                    const std::string& css) {
  if (!e) return;
  const double low = plot.y(std::clamp(e->interval.low, plot.y.low, plot.y.high)),
               high = plot.y(std::clamp(e->interval.high, plot.y.low, plot.y.high));
  plot.svg.line({x, low}, {x, high}, css);
}

// "random:0.5" -> "random, p = 0.5"
inline std::string set_label(size_t set) {
  const std::string name(kTestSets[set]);
  const size_t colon = name.find(':');
  const bool random = name.rfind("random", 0) == 0;
  return name.substr(0, colon) + (random ? ", p = " : ", ") + name.substr(colon + 1);
}

// An entry of a legend: a mark, on a line if there is one.
inline std::string legend_entry(int mark, const std::string& css, const std::string& line,
                                const std::string& text) {
  Svg key(34, 14, text);
  if (!line.empty()) key.line({1, 7}, {33, 7}, css + " " + line);
  key.mark(mark, {17, 7}, css);
  return "<li>" + key.str() + escape(text) + "</li>\n";
}

}  // namespace heed
