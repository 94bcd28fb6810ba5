#include "experiments/engine/report/figures.h"

#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/engine/stats/correlation.h"

namespace heed {
namespace {

void line_at_one(SvgPlot& plot) {
  const Scale& y = plot.y;
  if (y.low < 1 && y.high > 1) plot.svg.line({plot.left, y(1)}, {plot.right, y(1)}, "one");
}

// An interval as a vertical line.
void whisker(SvgPlot& plot, double at, const std::optional<Interval>& interval,
             const std::string& css) {
  if (!interval) return;
  const Scale& y = plot.y;
  const double low = y(std::clamp(interval->low, y.low, y.high)),
               high = y(std::clamp(interval->high, y.low, y.high));
  plot.svg.line({at, low}, {at, high}, css);
}

std::string legend_html(const LegendEntry& entry) {
  Svg key(34, 14, entry.text);
  if (!entry.line.empty()) key.line({1, 7}, {33, 7}, entry.css + " " + entry.line);
  key.mark(entry.mark, {17, 7}, entry.css);
  return "<li>" + key.str() + escape(entry.text) + "</li>\n";
}

void draw(SvgPlot& plot, const PlotLine& line) {
  std::vector<Point> points;
  for (const PlotPoint& p : line.points) {
    points.push_back({plot.x(p.x), plot.y(std::min(p.y, plot.y.high))});
    whisker(plot, points.back().first, p.interval, line.css + " thin");
  }
  if (!line.line.empty()) plot.svg.polyline(points, line.css + " " + line.line);
  for (size_t i = 0; i < points.size(); ++i) {
    const std::string& title = line.points[i].title;
    if (!title.empty()) plot.svg.mark(line.mark, points[i], line.css, title);
  }
}

}  // namespace

std::string panels_html(const PanelAxes& common, const std::vector<Panel>& panels,
                        const std::vector<LegendEntry>& legend) {
  std::string html = "<div class=\"panels\">\n";
  for (const Panel& panel : panels) {
    const PanelAxes& axes = panel.axes ? *panel.axes : common;
    SvgPlot plot(axes.width, axes.height, panel.label, panel.title);
    plot.x.low = axes.x_low, plot.x.high = axes.x_high;
    plot.y.low = axes.y_low, plot.y.high = axes.y_high;
    plot.y.logarithmic = axes.logarithmic;
    const auto y_ticks = axes.y_ticks.empty() ? ticks(axes.y_low, axes.y_high, 5) : axes.y_ticks;
    plot.y_axis(y_ticks, axes.y_digits.value_or(digits_of_ticks(y_ticks)));
    if (axes.line_at_one) line_at_one(plot);
    for (const auto& [at, text] : axes.x_ticks) plot.x_label(plot.x(at), text);
    for (const PlotLine& line : panel.lines) draw(plot, line);
    html += plot.svg.str();
  }
  html += "</div>\n<ul class=\"legend\">\n";
  for (const LegendEntry& entry : legend) html += legend_html(entry);
  return html + "</ul>\n";
}

std::pair<double, double> range_around_one(const std::vector<double>& values) {
  double low = 1, high = 1;
  for (const double value : values) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double margin = std::max(0.02, 0.06 * (high - low));
  return {std::max(0.0, low - margin), high + margin};
}

PanelAxes x_axis_around_one(const std::vector<double>& values) {
  const auto [low, high] = range_around_one(values);
  PanelAxes axes{.x_low = low, .x_high = high};
  for (const double at : ticks(low, high, 5)) axes.x_ticks.emplace_back(at, decimal(at, 2));
  return axes;
}

int digits_of_ticks(const std::vector<double>& ticks) {
  return ticks.size() > 1 && ticks[1] - ticks[0] < 0.0999 ? 2 : 1;
}

std::string bars_html(const std::string& title, const std::string& label, double high,
                      const std::vector<BarSeries>& series, const std::vector<BarGroup>& groups) {
  SvgPlot plot(940, 330, label, title);
  plot.y.low = 0;
  plot.y.high = high;
  bool has_paper = false;
  for (const BarGroup& group : groups) {
    for (const Bar& bar : group.bars) {
      has_paper = has_paper || bar.paper;
      plot.y.high =
          std::max({plot.y.high, 1.06 * bar.value.value_or(0), 1.06 * bar.paper.value_or(0)});
    }
  }
  plot.y_axis(ticks(0, plot.y.high, 6), 1);
  const double width = (plot.right - plot.left) / static_cast<double>(groups.size()),
               step = width / (static_cast<double>(series.size()) + 0.9);
  for (size_t g = 0; g < groups.size(); ++g) {
    const double begin = plot.left + static_cast<double>(g) * width;
    for (size_t b = 0; b < groups[g].bars.size(); ++b) {
      const Bar& bar = groups[g].bars[b];
      const double x = begin + (static_cast<double>(b) + 0.45) * step, middle = x + (step - 3) / 2;
      if (bar.value) {
        const double top = plot.y(std::max(0.0, *bar.value));
        plot.svg.rect({x, top}, step - 3, plot.bottom - top, series[b].css, bar.title);
        whisker(plot, middle, bar.interval, "whisker");
      }
      if (!bar.paper) continue;
      plot.svg.mark(2, {middle, plot.y(*bar.paper)}, "paper", "paper: " + decimal(*bar.paper, 2));
    }
    plot.x_label(begin + width / 2, groups[g].name);
  }
  if (has_paper) line_at_one(plot);
  std::string html = "<ul class=\"legend\">\n";
  for (const BarSeries& s : series) {
    Svg key(22, 14, s.text);
    key.rect({1, 1}, 20, 12, s.css);
    html += "<li>" + key.str() + escape(s.text) + "</li>\n";
  }
  if (has_paper) html += legend_html({2, "paper", "", "the paper's value"});
  return scroll_html(title, plot.svg.str(), "wide") + html + "</ul>\n";
}

std::string agreement_html(const std::string& number, const std::vector<Pair>& pairs, double low,
                           double high) {
  SvgPlot plot(460, 420, number + "s in the paper and here", number + " here");
  plot.x.low = plot.y.low = std::max(0.0, low - 0.05);
  plot.x.high = plot.y.high = high + 0.05;
  const auto at = ticks(plot.x.low, plot.x.high, 6);
  plot.y_axis(at, 1);
  for (double t : at) plot.x_label(plot.x(t), decimal(t, 1));
  plot.svg.text({plot.right, plot.bottom - 6}, number + " in the paper", "title",
                Svg::Anchor::kEnd);
  plot.svg.line({plot.left, plot.bottom}, {plot.right, plot.top}, "one");
  std::vector<std::pair<double, double>> values;
  for (const Pair& p : pairs) {
    plot.svg.mark(p.mark, {plot.x(p.paper), plot.y(p.ours)}, p.css + " faint", p.title);
    values.push_back({p.paper, p.ours});
  }
  const auto correlation = rank_correlation(values);
  const std::string text = correlation ? "Spearman's rank correlation of the " +
                                             std::to_string(pairs.size()) +
                                             " pairs: " + decimal(*correlation, 2) + "."
                                       : "Too few pairs for a rank correlation.";
  return scroll_html(number + "s in the paper and here", plot.svg.str(), "wide square") +
         "<p class=\"note\">" + escape(text) + "</p>\n";
}

}  // namespace heed
