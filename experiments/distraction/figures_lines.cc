// The figures made of lines: learning curves, and DAS ratio by insertion probability.
#include <algorithm>
#include <cmath>

#include "experiments/distraction/figures.h"
#include "experiments/distraction/plot.h"

namespace heed {
namespace {

// The largest and smallest DAS ratio with its interval; a little more on both sides.
std::pair<double, double> das_range(const MainTable& table, const Inference& inference) {
  double low = 1, high = 1;
  for (size_t v = 0; v < table.size(); ++v) {
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      if (!table[v].das_ratio[s]) continue;
      low = std::min(low, *table[v].das_ratio[s]);
      high = std::max(high, *table[v].das_ratio[s]);
      if (!inference.das_ratio[v][s]) continue;
      low = std::min(low, inference.das_ratio[v][s]->interval.low);
      high = std::max(high, inference.das_ratio[v][s]->interval.high);
    }
  }
  const double margin = std::max(0.02, 0.06 * (high - low));
  return {std::max(0.0, low - margin), high + margin};
}

int digits_for(const std::vector<double>& at) {
  return at.size() > 1 && at[1] - at[0] < 0.0999 ? 2 : 1;
}

// The lines of the learning curves: one for each probability, and without the loss.
struct Style {
  double p;
  bool loss;
  int mark;
  const char *css, *line, *text;
};
const Style kStyles[] = {{0, true, 0, "c0", "solid", "p = 0"},
                         {0.5, true, 1, "c1", "dash", "p = 0.5"},
                         {0.7, true, 2, "c2", "dots", "p = 0.7"},
                         {1.0, true, 3, "c3", "mixed", "p = 1.0"},
                         {0.5, false, 4, "c1", "thin", "p = 0.5, no attention loss"},
                         {0.7, false, 4, "c2", "thin", "p = 0.7, no attention loss"},
                         {1.0, false, 4, "c3", "thin", "p = 1.0, no attention loss"}};

// First epochs can be far off; perplexities above so many times the lowest are drawn at the edge.
constexpr double kHighest = 5;

void draw_learning(Plot& plot, const Results& results, const Structure& structure) {
  for (const Style& style : kStyles) {
    const auto variant = find_variant(structure.name, style.p, style.loss);
    if (!variant) continue;
    for (const RunResult* run : results.of(*variant)) {
      std::vector<Point> points;
      for (const EpochLog& e : run->log) {
        points.push_back({plot.x(e.epoch), plot.y(std::min(valid_perplexity(e), plot.y.high))});
      }
      plot.svg.polyline(points, std::string(style.css) + " " + style.line);
      const EpochLog& best = run->log.at(static_cast<size_t>(std::clamp<int>(
          run->evaluation.best_epoch - 1, 0, static_cast<int>(run->log.size()) - 1)));
      plot.svg.mark(style.mark,
                    {plot.x(best.epoch), plot.y(std::min(valid_perplexity(best), plot.y.high))},
                    style.css,
                    run->run.name() + ": " + decimal(valid_perplexity(best), 1) + " after epoch " +
                        std::to_string(best.epoch));
    }
  }
}

}  // namespace

std::string learning_figure(const Results& results) {
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
  std::string html = "<div class=\"panels\">\n";
  for (const Structure& structure : paper_structures()) {
    Plot plot(300, 230, "Validation perplexity by epoch, " + std::string(structure.name),
              std::string(structure.name));
    plot.x.low = 0.7, plot.x.high = std::max(epochs + 0.3, 2.0);
    plot.y.low = 0.96 * low, plot.y.high = 1.04 * high, plot.y.logarithmic = true;
    std::vector<double> at = log_ticks(plot.y.low, plot.y.high);
    if (at.size() < 3) at = ticks(plot.y.low, plot.y.high, 5);
    plot.y_axis(at, 0);
    for (double e : ticks(1, epochs, 6)) {
      if (e == std::floor(e) && e >= 1) plot.x_label(plot.x(e), decimal(e, 0));
    }
    draw_learning(plot, results, structure);
    html += plot.svg.str();
  }
  html += "</div>\n<ul class=\"key\">\n";
  for (const Style& s : kStyles) html += legend_entry(s.mark, s.css, s.line, s.text);
  return html + "</ul>\n";
}

namespace {

void draw_structure(Plot& plot, size_t set, size_t structure, bool loss, const MainTable& ours,
                    const Inference& inference) {
  const std::string css = "c" + std::to_string(structure);
  std::vector<Point> points;
  std::vector<std::string> titles;
  for (const double p : {0.0, 0.5, 0.7, 1.0}) {
    // without the loss the line begins at the same baseline
    const auto variant = find_variant(paper_structures()[structure].name, p, loss || p == 0);
    if (!variant || !ours[*variant].das_ratio[set]) continue;
    const double ratio = *ours[*variant].das_ratio[set];
    points.push_back({plot.x(p), plot.y(ratio)});
    titles.push_back(all_variants()[*variant].name() + ", " + set_label(set) + ": " +
                     with_interval(ratio, inference.das_ratio[*variant][set]));
    whisker(plot, points.back().first, inference.das_ratio[*variant][set], css + " thin");
  }
  plot.svg.polyline(points, css + (loss ? " solid" : " dash"));
  for (size_t i = loss ? 0 : 1; i < points.size(); ++i) {
    plot.svg.mark(loss ? static_cast<int>(structure) : 5, points[i], css, titles[i]);
  }
}

}  // namespace

std::string probability_figure(const MainTable& ours, const Inference& inference) {
  const auto [low, high] = das_range(ours, inference);
  const size_t ui = 2;  // static-ui, the only structure that is also trained without the loss
  check_internal(paper_structures()[ui].name == "static-ui",
                 "the order of the structures has changed");
  std::string html = "<div class=\"panels\">\n";
  for (size_t s = 0; s < kTestSets.size(); ++s) {
    Plot plot(300, 220, "DAS ratio by insertion probability, " + set_label(s), set_label(s));
    plot.x.low = -0.08, plot.x.high = 1.08;
    plot.y.low = low, plot.y.high = high;
    const auto at = ticks(low, high, 5);
    plot.y_axis(at, digits_for(at));
    plot.line_at_one();
    for (const double p : {0.0, 0.5, 0.7, 1.0})
      plot.x_label(plot.x(p), p == 0 ? "p = 0" : decimal(p, 1));
    for (size_t k = 0; k < paper_structures().size(); ++k) {
      draw_structure(plot, s, k, true, ours, inference);
    }
    draw_structure(plot, s, ui, false, ours, inference);
    html += plot.svg.str();
  }
  html += "</div>\n<ul class=\"key\">\n";
  for (size_t k = 0; k < paper_structures().size(); ++k) {
    html += legend_entry(static_cast<int>(k), "c" + std::to_string(k), "solid",
                         std::string(paper_structures()[k].name));
  }
  return html + legend_entry(5, "c2", "dash", "static-ui, no attention loss") + "</ul>\n";
}

}  // namespace heed
