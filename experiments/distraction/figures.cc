#include "experiments/distraction/figures.h"

#include <algorithm>
#include <cmath>

#include "dialog/text/format.h"
#include "experiments/distraction/paper.h"
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

std::string structure_name(size_t structure) {
  return std::string(paper_structures()[structure].name);
}

size_t place_of_structure(const Variant& variant) {
  const auto& all = paper_structures();
  return static_cast<size_t>(
      std::find_if(all.begin(), all.end(),
                   [&](const Structure& s) { return s.name == variant.structure.name; }) -
      all.begin());
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

}  // namespace

std::string bars_figure(const VariantNumbers& ours, const Inference& inference) {
  const std::vector<BarSeries> series = {{"bar0", "no distractions in training (p = 0)"},
                                         {"bar1", "p = 0.7 without the attention loss"},
                                         {"bar2", "p = 0.7 with the attention loss"}};
  const size_t variants[] = {*find_variant("static-ui", 0, true),
                             *find_variant("static-ui", 0.7, false),
                             *find_variant("static-ui", 0.7, true)};
  std::vector<BarGroup> groups;
  for (size_t s = 1; s < kSets; ++s) {
    BarGroup group{set_name(s), {}};
    std::replace(group.name.begin(), group.name.end(), ':', ' ');
    for (size_t b = 0; b < series.size(); ++b) {
      const auto value = ours.get(variants[b], das(s));
      const auto& estimate = inference.value(das(s), variants[b]);
      group.bars.push_back(
          {value, paper_numbers().numbers.get(variants[b], das(s)), interval_of(estimate),
           value ? series[b].text + ", " + set_label(s) + ": " + with_interval(*value, estimate)
                 : ""});
    }
    groups.push_back(std::move(group));
  }
  return bars_html("DAS ratio of static-ui",
                   "DAS ratios of three static-ui variants on nine test sets", 1.1, series, groups);
}

std::string agreement_figure(const VariantNumbers& ours) {
  std::vector<Pair> pairs;
  double low = 1, high = 1;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const Variant& variant = all_variants()[v];
    const size_t structure = place_of_structure(variant);
    for (size_t s = 1; s < kSets; ++s) {
      const auto paper = paper_numbers().numbers.get(v, das(s)), our = ours.get(v, das(s));
      for (const auto& ratio : {paper, our}) {
        low = std::min(low, ratio.value_or(low));
        high = std::max(high, ratio.value_or(high));
      }
      if (!paper || !our) continue;
      pairs.push_back({*paper, *our, variant.attention_loss ? static_cast<int>(structure) : 5,
                       "c" + std::to_string(structure),
                       variant.name() + ", " + set_label(s) + ": " + decimal(*paper, 2) +
                           " in the paper, " + decimal(*our, 2) + " here"});
    }
  }
  return agreement_html("DAS ratio", pairs, low, high);
}

// ---- learning curves

namespace {

// The lines of the learning curves: one for each probability, and without the loss.
struct Style {
  double p;
  bool loss;
  LegendEntry entry;
};
const std::vector<Style>& styles() {
  static const std::vector<Style> kStyles = {
      {0, true, {0, "c0", "solid", "p = 0"}},
      {0.5, true, {1, "c1", "dash", "p = 0.5"}},
      {0.7, true, {2, "c2", "dots", "p = 0.7"}},
      {1.0, true, {3, "c3", "mixed", "p = 1.0"}},
      {0.5, false, {4, "c1", "thin", "p = 0.5, no attention loss"}},
      {0.7, false, {4, "c2", "thin", "p = 0.7, no attention loss"}},
      {1.0, false, {4, "c3", "thin", "p = 1.0, no attention loss"}}};
  return kStyles;
}

// First epochs can be far off; perplexities above this multiple of the lowest are drawn at the
// edge.
constexpr double kHighest = 5;

// The mark is at the best epoch.
PlotLine learning_line(const RunResult& run, const LegendEntry& style) {
  PlotLine line{style.css, style.line, style.mark};
  for (const EpochLog& e : run.log) {
    line.points.push_back({static_cast<double>(e.epoch), valid_perplexity(e)});
  }
  const int last = static_cast<int>(run.log.size()) - 1,
            best = static_cast<int>(run.numbers.value("best_epoch").value_or(1));
  PlotPoint& point = line.points.at(static_cast<size_t>(std::clamp(best - 1, 0, last)));
  point.title = run.run.name + ": " + decimal(point.y, 1) + " after epoch " +
                std::to_string(static_cast<int>(point.x));
  return line;
}

PanelAxes learning_axes(const Results& results) {
  double low = INFINITY, high = 0;
  int epochs = 1;
  for (const RunResult& run : results.runs) {
    for (const EpochLog& e : run.log) {
      low = std::min(low, valid_perplexity(e));
      high = std::max(high, valid_perplexity(e));
      epochs = std::max(epochs, e.epoch);
    }
  }
  high = std::min(high, kHighest * low);
  PanelAxes axes{.height = 230,
                 .x_low = 0.7,
                 .x_high = std::max(epochs + 0.3, 2.0),
                 .y_low = 0.96 * low,
                 .y_high = 1.04 * high,
                 .logarithmic = true,
                 .y_digits = 0};
  axes.y_ticks = log_ticks(axes.y_low, axes.y_high);
  if (axes.y_ticks.size() < 3) axes.y_ticks = ticks(axes.y_low, axes.y_high, 5);
  for (double e : ticks(1, epochs, 6)) {
    if (e == std::floor(e) && e >= 1) axes.x_ticks.push_back({e, decimal(e, 0)});
  }
  return axes;
}

}  // namespace

std::string learning_figure(const Results& results) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;
  for (const Style& style : styles()) legend.push_back(style.entry);
  for (const Structure& structure : paper_structures()) {
    const std::string name(structure.name);
    Panel panel{name, "Validation perplexity by epoch, " + name};
    for (const Style& style : styles()) {
      const auto variant = find_variant(structure.name, style.p, style.loss);
      if (!variant) continue;
      for (const RunResult* run : results.of(*variant)) {
        panel.lines.push_back(learning_line(*run, style.entry));
      }
    }
    panels.push_back(std::move(panel));
  }
  return panels_html(learning_axes(results), panels, legend);
}

// ---- DAS ratio by insertion probability

namespace {

PlotLine probability_line(size_t set, size_t structure, bool loss, const VariantNumbers& ours,
                          const Inference& inference) {
  PlotLine line{"c" + std::to_string(structure), loss ? "solid" : "dash",
                loss ? static_cast<int>(structure) : 5};
  for (const double p : kProbabilities) {
    // without the loss the line begins at the same baseline
    const auto variant = find_variant(paper_structures()[structure].name, p, loss || p == 0);
    const auto ratio = variant ? ours.get(*variant, das(set)) : std::nullopt;
    if (!ratio) continue;
    const auto& estimate = inference.value(das(set), *variant);
    const bool marked = loss || !line.points.empty();
    line.points.push_back({p, *ratio,
                           marked ? all_variants()[*variant].name() + ", " + set_label(set) + ": " +
                                        with_interval(*ratio, estimate)
                                  : "",
                           interval_of(estimate)});
  }
  return line;
}

// All panels have the same scale.
PanelAxes probability_axes(const VariantNumbers& ours, const Inference& inference) {
  std::vector<double> values;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    for (size_t s = 1; s < kSets; ++s) {
      const auto ratio = ours.get(v, das(s));
      if (!ratio) continue;
      values.push_back(*ratio);
      if (const auto& e = inference.value(das(s), v)) {
        values.insert(values.end(), {e->interval.low, e->interval.high});
      }
    }
  }
  const auto [low, high] = range_around_one(values);
  PanelAxes axes{.x_low = -0.08,
                 .x_high = 1.08,
                 .y_low = low,
                 .y_high = high,
                 .y_ticks = ticks(low, high, 5),
                 .line_at_one = true};
  axes.y_digits = digits_of_ticks(axes.y_ticks);
  for (const double p : kProbabilities) {
    axes.x_ticks.push_back({p, p == 0 ? "p = 0" : decimal(p, 1)});
  }
  return axes;
}

}  // namespace

std::string probability_figure(const VariantNumbers& ours, const Inference& inference) {
  const size_t ui = 2;  // static-ui, the only structure that is also trained without the loss
  check_internal(structure_name(ui) == "static-ui", "the order of the structures has changed");
  std::vector<Panel> panels;
  for (size_t s = 1; s < kSets; ++s) {
    Panel panel{set_label(s), "DAS ratio by insertion probability, " + set_label(s)};
    for (size_t k = 0; k < paper_structures().size(); ++k) {
      panel.lines.push_back(probability_line(s, k, true, ours, inference));
    }
    panel.lines.push_back(probability_line(s, ui, false, ours, inference));
    panels.push_back(std::move(panel));
  }
  std::vector<LegendEntry> legend;
  for (size_t k = 0; k < paper_structures().size(); ++k) {
    legend.push_back({static_cast<int>(k), "c" + std::to_string(k), "solid", structure_name(k)});
  }
  legend.push_back({5, "c2", "dash", "static-ui, no attention loss"});
  return panels_html(probability_axes(ours, inference), panels, legend);
}

}  // namespace heed
