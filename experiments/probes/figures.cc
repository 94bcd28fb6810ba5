#include <algorithm>

#include "dialog/text/format.h"
#include "experiments/probes/page.h"

namespace heed {
namespace {

// Mean over the seeds that have an epoch; as many as the longest training has.
std::vector<std::optional<double>> mean_curve(const ProbesResults& results, size_t variant,
                                              const std::string& key) {
  std::vector<std::vector<double>> of_epochs;
  for (const RunResult* run : results.of(variant)) {
    if (!run->numbers.has_series(key)) continue;
    const Series& series = run->numbers.series(key);
    of_epochs.resize(std::max(of_epochs.size(), series.size()));
    for (size_t e = 0; e < series.size(); ++e) {
      if (series[e]) of_epochs[e].push_back(*series[e]);
    }
  }
  std::vector<std::optional<double>> means;
  for (const auto& values : of_epochs) {
    const auto mean = spread(values);
    means.push_back(mean ? std::optional(mean->mean) : std::nullopt);
  }
  return means;
}

PlotLine line_of(const ProbesResults& results, size_t variant, const std::string& task,
                 const std::string& reading) {
  const LegendEntry style = style_of(variant);
  PlotLine line{style.css, style.line, style.mark, {}};
  const auto means = mean_curve(results, variant, curve_key(reading, task));
  for (size_t epoch = 0; epoch < means.size(); ++epoch) {
    if (!means[epoch]) continue;
    line.points.push_back({static_cast<double>(epoch), *means[epoch],
                           style.text + ", " + task + ", epoch " + std::to_string(epoch) + ": " +
                               decimal(100 * *means[epoch], 2)});
  }
  return line;
}

}  // namespace

LegendEntry style_of(size_t variant) {
  const std::string css = "c" + std::to_string(variant % 5);
  return {static_cast<int>(variant % 5), css, variant < kPaperModels ? "solid" : "thin",
          std::string(probed_structures()[variant].name)};
}

std::string epochs_figure(const ProbesResults& results, const std::string& reading) {
  std::vector<Panel> panels;
  double last = 1, high = 0.1;
  for (const std::string& task : results.tasks) {
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
  axes.y_ticks = ticks(0, axes.y_high, 5);
  axes.y_digits = digits_of_ticks(axes.y_ticks);
  std::vector<LegendEntry> legend;
  for (size_t v = 0; v < probed_structures().size(); ++v) {
    if (!results.of(v).empty()) legend.push_back(style_of(v));
  }
  return panels_html(axes, panels, legend);
}

}  // namespace heed
