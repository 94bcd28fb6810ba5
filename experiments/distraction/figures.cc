#include <algorithm>
#include <cmath>

#include "dialog/respond/run.h"
#include "dialog/text/format.h"
#include "experiments/distraction/experiment.h"
#include "experiments/engine/report/figures.h"

namespace heed {
namespace {

constexpr double kProbabilities[] = {0.0, 0.5, 0.7, 1.0};

std::string das(size_t set) {
  return key_of(set, "das_ratio");
}

// "random:0.5" -> "random, p = 0.5"
std::string set_label(size_t set) {
  return kind_of(set) + ", " + place_of(set);
}

// "0.72 [0.70, 0.74], 744 conversations"
std::string with_interval(double value, const std::optional<Estimate>& e) {
  std::string text = decimal(value, 3);
  if (e) {
    text += " [" + decimal(e->interval.low, 3) + ", " + decimal(e->interval.high, 3) + "], " +
            std::to_string(e->clusters) + " conversations";
  }
  return text;
}

std::optional<Interval> interval_of(const std::optional<Estimate>& e) {
  return e ? std::optional(e->interval) : std::nullopt;
}

// A colour for each structure; without the loss another line and mark.
LegendEntry style_of(const Variant& variant) {
  const auto& all = paper_structures();
  const auto structure = std::find_if(
      all.begin(), all.end(), [&](const Structure& s) { return s.name == variant.structure.name; });
  const auto place = static_cast<int>(structure - all.begin());
  return {variant.attention_loss ? place : 5, "c" + std::to_string(place),
          variant.attention_loss ? "solid" : "dash", variant.name.label};
}

template <class Visit> void each_point(const std::vector<Panel>& panels, const Visit& visit) {
  for (const Panel& panel : panels) {
    for (const PlotLine& line : panel.lines) {
      for (const PlotPoint& point : line.points) visit(point);
    }
  }
}

}  // namespace

std::string bars_figure(const DistractionFound& found) {
  const std::vector<BarSeries> series = {{"bar0", "no distractions in training (p = 0)"},
                                         {"bar1", "p = 0.7 without the attention loss"},
                                         {"bar2", "p = 0.7 with the attention loss"}};
  const size_t variants[] = {*find_variant("static-ui", 0, true),
                             *find_variant("static-ui", 0.7, false),
                             *find_variant("static-ui", 0.7, true)};
  std::vector<BarGroup> groups;
  for (size_t s = 1; s < kSets; ++s) {
    BarGroup& group = groups.emplace_back(BarGroup{set_name(s), {}});
    std::replace(group.name.begin(), group.name.end(), ':', ' ');
    for (size_t b = 0; b < series.size(); ++b) {
      const auto value = found.ours.get(variants[b], das(s));
      const auto& estimate = found.inference.value(das(s), variants[b]);
      group.bars.push_back(
          {value, paper_numbers().numbers.get(variants[b], das(s)), interval_of(estimate),
           value ? series[b].text + ", " + set_label(s) + ": " + with_interval(*value, estimate)
                 : ""});
    }
  }
  return bars_html("DAS ratio of static-ui",
                   "DAS ratios of three static-ui variants on nine test sets", 1.1, series, groups);
}

std::string agreement_figure(const DistractionFound& found) {
  std::vector<Pair> pairs;
  double low = 1, high = 1;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const LegendEntry style = style_of(all_variants()[v]);
    for (size_t s = 1; s < kSets; ++s) {
      const auto paper = paper_numbers().numbers.get(v, das(s)), our = found.ours.get(v, das(s));
      for (const auto& ratio : {paper, our}) {
        low = std::min(low, ratio.value_or(low));
        high = std::max(high, ratio.value_or(high));
      }
      if (!paper || !our) continue;
      pairs.push_back({*paper, *our, style.mark, style.css,
                       all_variants()[v].name.name + ", " + set_label(s) + ": " +
                           decimal(*paper, 2) + " in the paper, " + decimal(*our, 2) + " here"});
    }
  }
  return agreement_html("DAS ratio", pairs, low, high);
}

// ---- learning curves

namespace {

// The lines of the learning curves: one for each probability, and without the loss.
struct LearningLine {
  double p;
  bool loss;
  LegendEntry style;
};
const LearningLine kLearningLines[] = {
    {0, true, {0, "c0", "solid", "p = 0"}},
    {0.5, true, {1, "c1", "dash", "p = 0.5"}},
    {0.7, true, {2, "c2", "dots", "p = 0.7"}},
    {1.0, true, {3, "c3", "mixed", "p = 1.0"}},
    {0.5, false, {4, "c1", "thin", "p = 0.5, no attention loss"}},
    {0.7, false, {4, "c2", "thin", "p = 0.7, no attention loss"}},
    {1.0, false, {4, "c3", "thin", "p = 1.0, no attention loss"}}};

// First epochs can be far off; perplexities above this multiple of the lowest are drawn at the
// edge.
constexpr double kHighest = 5;

// The mark is at the best epoch.
PlotLine learning_line(const RunResult& run, const LegendEntry& style) {
  PlotLine line{style.css, style.line, style.mark};
  for (const EpochLog& e : run.log) {
    line.points.push_back({static_cast<double>(e.epoch), valid_perplexity(e)});
  }
  if (line.points.empty()) return line;  // the log was not kept
  const int last = static_cast<int>(run.log.size()) - 1,
            best = static_cast<int>(run.numbers.value("best_epoch").value_or(1));
  PlotPoint& point = line.points.at(static_cast<size_t>(std::clamp(best - 1, 0, last)));
  point.title = run.run.name + ": " + decimal(point.y, 1) + " after epoch " +
                std::to_string(static_cast<int>(point.x));
  return line;
}

PanelAxes learning_axes(const std::vector<Panel>& panels) {
  double low = INFINITY, high = 0, epochs = 1;
  each_point(panels, [&](const PlotPoint& point) {
    low = std::min(low, point.y);
    high = std::max(high, point.y);
    epochs = std::max(epochs, point.x);
  });
  high = std::min(high, kHighest * low);
  PanelAxes axes{.height = 230,
                 .x_low = 0.7,
                 .x_high = std::max(epochs + 0.3, 2.0),
                 .y_low = 0.96 * low,
                 .y_high = 1.04 * high,
                 .logarithmic = true,
                 .y_digits = 0};
  axes.y_ticks = log_ticks(axes.y_low, axes.y_high);
  if (axes.y_ticks.size() < 3) axes.y_ticks.clear();
  for (const double e : ticks(1, epochs, 6)) {
    if (e == std::floor(e) && e >= 1) axes.x_ticks.push_back({e, decimal(e, 0)});
  }
  return axes;
}

}  // namespace

std::string learning_figure(const DistractionFound& found) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  for (const LearningLine& line : kLearningLines) legend.push_back(line.style);
  for (const Structure& structure : paper_structures()) {
    const std::string name(structure.name);
    Panel& panel = panels.emplace_back(Panel{name, "Validation perplexity by epoch, " + name});
    for (const LearningLine& line : kLearningLines) {
      const auto variant = find_variant(name, line.p, line.loss);
      if (!variant) continue;
      for (const RunResult* run : found.results.of(*variant))
        panel.lines.push_back(learning_line(*run, line.style));
    }
  }
  return panels_html(learning_axes(panels), panels, legend);
}

// ---- DAS ratio by insertion probability

namespace {

// The line of a variant's structure. Without the loss it begins at the same baseline.
PlotLine probability_line(size_t set, const Variant& of, const DistractionFound& found) {
  const LegendEntry style = style_of(of);
  PlotLine line{style.css, style.line, style.mark};
  for (const double p : kProbabilities) {
    const auto variant = find_variant(of.structure.name, p, of.attention_loss || p == 0);
    const auto ratio = variant ? found.ours.get(*variant, das(set)) : std::nullopt;
    if (!ratio) continue;
    const auto& estimate = found.inference.value(das(set), *variant);
    const bool marked = of.attention_loss || !line.points.empty();
    line.points.push_back({p, *ratio,
                           marked ? all_variants()[*variant].name.name + ", " + set_label(set) +
                                        ": " + with_interval(*ratio, estimate)
                                  : "",
                           interval_of(estimate)});
  }
  return line;
}

// All panels have the same scale.
PanelAxes probability_axes(const std::vector<Panel>& panels) {
  std::vector<double> values;
  each_point(panels, [&](const PlotPoint& point) {
    values.push_back(point.y);
    if (point.interval) values.insert(values.end(), {point.interval->low, point.interval->high});
  });
  const auto [low, high] = range_around_one(values);
  PanelAxes axes{.x_low = -0.08, .x_high = 1.08, .y_low = low, .y_high = high, .line_at_one = true};
  for (const double p : kProbabilities)
    axes.x_ticks.push_back({p, p == 0 ? "p = 0" : decimal(p, 1)});
  return axes;
}

}  // namespace

std::string probability_figure(const DistractionFound& found) {
  std::vector<LegendEntry> legend;
  std::vector<Panel> panels;
  for (size_t s = 1; s < kSets; ++s)
    panels.push_back({set_label(s), "DAS ratio by insertion probability, " + set_label(s)});
  for (const Variant& of : all_variants()) {
    if (of.insert_prob != 0.5) continue;  // each structure once, and static-ui without the loss
    legend.push_back(style_of(of));
    for (size_t s = 1; s < kSets; ++s)
      panels[s - 1].lines.push_back(probability_line(s, of, found));
  }
  return panels_html(probability_axes(panels), panels, legend);
}

}  // namespace heed
