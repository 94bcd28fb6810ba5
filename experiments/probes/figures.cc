#include "experiments/engine/report/figures.h"

#include <algorithm>
#include <tuple>

#include "dialog/text/format.h"
#include "dialog/text/html_page.h"
#include "experiments/engine/report/page.h"
#include "experiments/probes/report.h"

namespace heed {

namespace {

// How a model is drawn: the paper's models have full lines and a mark each, the others thin ones.
LegendEntry style_of(size_t variant) {
  const std::string css = "c" + std::to_string(variant % 5);
  return {static_cast<int>(variant % 5), css, variant < kPaperModels ? "solid" : "thin",
          std::string(probed_structures()[variant].name)};
}

// ---- F1 by epoch

// Of each epoch of the longest training the mean over the seeds that have it.
PlotLine line_of(const Results& results, size_t variant, const std::string& task,
                 const std::string& reading) {
  const std::string key = curve_key(reading, task);
  std::vector<std::vector<double>> of_epochs;
  for (const RunResult* run : results.of(variant)) {
    if (!run->numbers.has_series(key)) continue;
    const Series& series = run->numbers.series(key);
    of_epochs.resize(std::max(of_epochs.size(), series.size()));
    for (size_t e = 0; e < series.size(); ++e) {
      if (series[e]) of_epochs[e].push_back(*series[e]);
    }
  }
  const LegendEntry style = style_of(variant);
  PlotLine line{style.css, style.line, style.mark, {}};
  for (size_t epoch = 0; epoch < of_epochs.size(); ++epoch) {
    const auto f1 = spread(of_epochs[epoch]);
    if (!f1) continue;
    line.points.push_back({static_cast<double>(epoch), f1->mean,
                           style.text + ", " + task + ", epoch " + std::to_string(epoch) + ": " +
                               decimal(100 * f1->mean, 2)});
  }
  return line;
}

}  // namespace

std::string epochs_figure(const Results& results, const std::string& reading) {
  std::vector<Panel> panels;
  double last = 1, high = 0.1;
  for (const std::string& task : measured_tasks(results)) {
    Panel panel{task, "F1 by epoch: " + task, {}};
    for (size_t v = 0; v < probed_structures().size(); ++v) {
      panel.lines.push_back(line_of(results, v, task, reading));
      for (const PlotPoint& p : panel.lines.back().points) {
        last = std::max(last, p.x);
        high = std::max(high, p.y);
      }
    }
    panels.push_back(std::move(panel));
  }
  PanelAxes axes{.x_low = -0.1, .x_high = last + 0.1, .y_high = std::min(1.0, 1.05 * high)};
  const auto step = std::max(1, static_cast<int>(last) / 5);
  for (int epoch = 0; epoch <= static_cast<int>(last); epoch += step) {
    axes.x_ticks.push_back({epoch, std::to_string(epoch)});
  }
  std::vector<LegendEntry> legend;
  for (size_t v = 0; v < probed_structures().size(); ++v) {
    if (!results.of(v).empty()) legend.push_back(style_of(v));
  }
  return panels_html(axes, panels, legend);
}

// ---- F1 by DAS ratio

namespace {

// There are no lines, which distinguish the paper's models elsewhere, so each model has its own
// shape and colour.
LegendEntry mark_of(size_t variant) {
  LegendEntry style = style_of(variant);
  if (variant >= kPaperModels) style.mark = variant < 2 * kPaperModels ? 5 : 4;
  return {style.mark, style.css, "", style.text};
}

}  // namespace

std::string attention_figure(const Results& results) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  std::vector<double> ratios = {1}, scores = {0};
  const std::vector<std::string> tasks = measured_tasks(results);
  for (const std::string& reading : measured_readings(results)) {
    Panel panel{reading, "F1, mean of all tasks, by DAS ratio: " + reading_title(reading)};
    for (const RunResult& run : results.runs) {
      const auto ratio = run.numbers.value(das_key(kDas[0].set)), f1 = mean_f1(run, reading, tasks);
      if (!ratio || !f1) continue;
      ratios.push_back(*ratio);
      scores.push_back(*f1);
      const LegendEntry style = mark_of(run.run.variant);
      panel.lines.push_back({style.css,
                             "",
                             style.mark,
                             {{*ratio, *f1,
                               run.run.name + ": DAS ratio " + decimal(*ratio, 3) + ", F1 " +
                                   decimal(100 * *f1, 2)}}});
      const bool is_new = std::none_of(legend.begin(), legend.end(),
                                       [&](const LegendEntry& e) { return e.text == style.text; });
      if (is_new) legend.push_back(style);
    }
    panels.push_back(std::move(panel));
  }
  PanelAxes axes = x_axis_around_one(ratios);
  axes.y_high = 1.05 * *std::max_element(scores.begin(), scores.end());
  return panels_html(axes, panels, legend);
}

// ---- principal components

namespace {

// The most frequent labels, by which points are coloured.
std::vector<std::string> labels_of(const Numbers& numbers) {
  std::vector<std::string> texts;
  while (numbers.has_text("components.labels." + std::to_string(texts.size()))) {
    texts.push_back(numbers.text("components.labels." + std::to_string(texts.size())));
  }
  return texts;
}

LegendEntry style_of_label(size_t label, const std::vector<std::string>& texts) {
  if (label == texts.size()) return {0, "rest", "", "others"};
  return {static_cast<int>(label % Svg::kMarks), "c" + std::to_string(label % 5), "", texts[label]};
}

// With room for marks, and for points that all coincide.
std::pair<double, double> range_of(const Panel& panel, double PlotPoint::*axis) {
  double low = INFINITY, high = -INFINITY;
  for (const PlotLine& line : panel.lines) {
    for (const PlotPoint& point : line.points) {
      low = std::min(low, point.*axis);
      high = std::max(high, point.*axis);
    }
  }
  const double margin = high > low ? 0.05 * (high - low) : 1;
  return {low - margin, high + margin};
}

PanelAxes axes_around(const Panel& panel) {
  PanelAxes axes;
  std::tie(axes.x_low, axes.x_high) = range_of(panel, &PlotPoint::x);
  std::tie(axes.y_low, axes.y_high) = range_of(panel, &PlotPoint::y);
  const auto digits = [](const std::vector<double>& at) {
    return at.size() > 1 && at[1] - at[0] >= 1 ? 0 : digits_of_ticks(at);
  };
  const auto xs = ticks(axes.x_low, axes.x_high, 4);
  for (const double at : xs) axes.x_ticks.emplace_back(at, decimal(at, digits(xs)));
  axes.y_ticks = ticks(axes.y_low, axes.y_high, 4);
  axes.y_digits = digits(axes.y_ticks);
  return axes;
}

// A line of marks for each label, the last one for all others. Nothing if the file lacks the
// checkpoint or a part of it; points that are not numbers are left out.
std::optional<Panel> cloud_of(const Numbers& numbers, const std::string& checkpoint,
                              const std::vector<std::string>& texts) {
  const std::string names[] = {components_key(checkpoint, "x"), components_key(checkpoint, "y"),
                               components_key(checkpoint, "share"), "components.label"};
  for (const std::string& name : names) {
    if (!numbers.has_series(name)) return std::nullopt;
  }
  const Series &xs = numbers.series(names[0]), &ys = numbers.series(names[1]),
               &shares = numbers.series(names[2]), &labels = numbers.series(names[3]);
  if (xs.size() != ys.size() || xs.size() != labels.size()) return std::nullopt;
  const auto share = [&](size_t k) {
    return decimal(k < shares.size() ? 100 * shares[k].value_or(0) : 0, 0);
  };
  Panel panel{checkpoint + " (" + share(0) + " and " + share(1) + " %)", "", {}};
  panel.label = "First two principal components: " + panel.title;
  for (size_t k = 0; k <= texts.size(); ++k) {
    const LegendEntry style = style_of_label(k, texts);
    panel.lines.push_back({style.css, "", style.mark, {}});
  }
  size_t points = 0;
  for (size_t i = 0; i < xs.size(); ++i) {
    if (!xs[i] || !ys[i] || !labels[i] || !(*labels[i] >= 0)) continue;
    const auto label = static_cast<size_t>(std::min(*labels[i], static_cast<double>(texts.size())));
    panel.lines[label].points.push_back({*xs[i], *ys[i], style_of_label(label, texts).text});
    ++points;
  }
  if (points == 0) return std::nullopt;
  panel.axes = axes_around(panel);
  return panel;
}

std::string figure_of(const RunResult& run, const std::string& model) {
  const std::vector<std::string> texts = labels_of(run.numbers);
  std::vector<Panel> panels;
  bool others = false;  // points without one of the texts
  for (const char* checkpoint : kCheckpoints) {
    auto cloud = cloud_of(run.numbers, checkpoint, texts);
    if (!cloud) continue;
    others = others || !cloud->lines.back().points.empty();
    std::reverse(cloud->lines.begin(), cloud->lines.end());  // the others lie below
    panels.push_back(std::move(*cloud));
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

std::string components_figure(const Results& results) {
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
