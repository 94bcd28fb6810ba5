#include <algorithm>
#include <tuple>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/engine/report/page.h"
#include "experiments/probes/additions.h"
#include "experiments/probes/page.h"

namespace heed {
namespace {

struct Cloud {
  std::vector<Point> points;
  std::vector<size_t> labels;  // places in the texts; their number: none of them
  double share_x = 0, share_y = 0;
};

std::vector<std::string> texts_of(const Numbers& numbers) {
  std::vector<std::string> texts;
  while (numbers.has_text("components.labels." + std::to_string(texts.size()))) {
    texts.push_back(numbers.text("components.labels." + std::to_string(texts.size())));
  }
  return texts;
}

// Empty if the file lacks it or a part of it; points that are not numbers are left out.
std::optional<Cloud> cloud_of(const Numbers& numbers, const std::string& checkpoint, size_t texts) {
  const std::string x = components_key(checkpoint, "x"), y = components_key(checkpoint, "y"),
                    share = components_key(checkpoint, "share"), label = "components.label";
  for (const std::string& name : {x, y, share, label}) {
    if (!numbers.has_series(name)) return std::nullopt;
  }
  const Series &xs = numbers.series(x), &ys = numbers.series(y), &labels = numbers.series(label),
               &shares = numbers.series(share);
  if (xs.size() != ys.size() || xs.size() != labels.size()) return std::nullopt;
  Cloud cloud;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!xs[i] || !ys[i] || !labels[i] || !(*labels[i] >= 0)) continue;
    cloud.points.push_back({*xs[i], *ys[i]});
    cloud.labels.push_back(*labels[i] < static_cast<double>(texts) ? static_cast<size_t>(*labels[i])
                                                                   : texts);
  }
  if (cloud.points.empty()) return std::nullopt;
  if (!shares.empty()) cloud.share_x = shares[0].value_or(0);
  if (shares.size() > 1) cloud.share_y = shares[1].value_or(0);
  return cloud;
}

LegendEntry style_of_label(size_t label, const std::vector<std::string>& texts) {
  if (label == texts.size()) return {0, "rest", "", "others"};
  return {static_cast<int>(label % Svg::kMarks), "c" + std::to_string(label % 5), "", texts[label]};
}

// With room for marks, and for points that all coincide.
std::pair<double, double> range_of(const std::vector<Point>& points, double Point::*axis) {
  double low = points[0].*axis, high = low;
  for (const Point& point : points) {
    low = std::min(low, point.*axis);
    high = std::max(high, point.*axis);
  }
  const double margin = high > low ? 0.05 * (high - low) : 1;
  return {low - margin, high + margin};
}

Panel panel_of(const Cloud& cloud, const std::string& title,
               const std::vector<std::string>& texts) {
  Panel panel{title, "First two principal components: " + title};
  for (size_t k = texts.size() + 1; k-- > 0;) {  // the others lie below
    const LegendEntry style = style_of_label(k, texts);
    PlotLine marks{style.css, "", style.mark, {}};
    for (size_t i = 0; i < cloud.points.size(); ++i) {
      if (cloud.labels[i] != k) continue;
      marks.points.push_back({cloud.points[i].first, cloud.points[i].second, style.text});
    }
    panel.lines.push_back(std::move(marks));
  }
  PanelAxes axes;
  std::tie(axes.x_low, axes.x_high) = range_of(cloud.points, &Point::first);
  std::tie(axes.y_low, axes.y_high) = range_of(cloud.points, &Point::second);
  const auto xs = ticks(axes.x_low, axes.x_high, 4);
  const auto digits = [](const std::vector<double>& at) {
    return at.size() > 1 && at[1] - at[0] >= 1 ? 0 : digits_of_ticks(at);
  };
  for (const double at : xs) axes.x_ticks.emplace_back(at, decimal(at, digits(xs)));
  axes.y_ticks = ticks(axes.y_low, axes.y_high, 4);
  axes.y_digits = digits(axes.y_ticks);
  panel.axes = axes;
  return panel;
}

std::string figure_of(const RunResult& run, const std::string& model) {
  const std::vector<std::string> texts = texts_of(run.numbers);
  std::vector<Panel> panels;
  bool others = false;  // points without one of the texts
  for (const char* checkpoint : kCheckpoints) {
    const auto cloud = cloud_of(run.numbers, checkpoint, texts.size());
    if (!cloud) continue;
    panels.push_back(panel_of(*cloud,
                              std::string(checkpoint) + " (" + decimal(100 * cloud->share_x, 0) +
                                  " and " + decimal(100 * cloud->share_y, 0) + " %)",
                              texts));
    others = others || std::count(cloud->labels.begin(), cloud->labels.end(), texts.size()) > 0;
  }
  if (panels.empty()) return "";
  std::vector<LegendEntry> legend;
  for (size_t k = 0; k < texts.size() + others; ++k) legend.push_back(style_of_label(k, texts));
  const std::string task = run.numbers.has_text("components.task")
                               ? run.numbers.text("components.task")
                               : std::string("its label");
  return "<h3>" + escape(model) + ", by " + escape(task) + "</h3>\n" +
         panels_html({}, panels, legend);
}

}  // namespace

std::string components_figure(const ProbesResults& results) {
  std::string html;
  for (size_t v = 0; v < results.variants.size(); ++v) {
    const auto runs = results.of(v);
    if (!runs.empty()) html += figure_of(*runs[0], results.variants[v].label);
  }
  if (html.empty()) return "";
  return note_html(
             "The sum over layers or positions (the raw reading) of training examples, the first "
             "seed of each model; in brackets the components' shares of the variance. Every panel "
             "has axes of its own: compare their ranges, which the paper calls the size of the "
             "manifold. The most frequent labels have colours and marks.") +
         html;
}

}  // namespace heed
