#include "experiments/distraction/figures.h"

#include <algorithm>
#include <cmath>

#include "experiments/distraction/paper.h"
#include "experiments/distraction/plot.h"

namespace heed {
namespace {

// ---- Figure 2

struct Bar {
  size_t variant;
  const char *css, *text;
};

std::vector<Bar> bars() {
  return {{*find_variant("static-ui", 0, true), "bar0", "no distractions in training (p = 0)"},
          {*find_variant("static-ui", 0.7, false), "bar1", "p = 0.7 without the attention loss"},
          {*find_variant("static-ui", 0.7, true), "bar2", "p = 0.7 with the attention loss"}};
}

void draw_group(Plot& plot, size_t set, double begin, double width, const MainTable& ours,
                const Inference& inference) {
  const auto all = bars();
  const double bar = width / (static_cast<double>(all.size()) + 0.9);
  for (size_t b = 0; b < all.size(); ++b) {
    const double x = begin + (static_cast<double>(b) + 0.45) * bar;
    const auto& value = ours[all[b].variant].das_ratio[set];
    const auto& paper = paper_table().table[all[b].variant].das_ratio[set];
    if (value) {
      const auto& estimate = inference.das_ratio[all[b].variant][set];
      plot.svg.rect({x, plot.y(*value)}, bar - 3, plot.bottom - plot.y(*value), all[b].css,
                    std::string(all[b].text) + ", " + set_label(set) + ": " +
                        with_interval(*value, estimate));
      whisker(plot, x + (bar - 3) / 2, estimate, "whisker");
    }
    if (paper) {
      plot.svg.mark(2, {x + (bar - 3) / 2, plot.y(*paper)}, "paper",
                    "paper: " + decimal(*paper, 2));
    }
  }
}

}  // namespace

std::string bars_figure(const MainTable& ours, const Inference& inference) {
  Plot plot(940, 330, "DAS ratios of three static-ui variants on nine test sets",
            "DAS ratio of static-ui");
  plot.y.low = 0;
  plot.y.high = 1.1;
  for (const MainTable* table : {&ours, &paper_table().table}) {
    for (const Bar& bar : bars()) {
      for (const auto& ratio : (*table)[bar.variant].das_ratio) {
        plot.y.high = std::max(plot.y.high, 1.06 * ratio.value_or(0));
      }
    }
  }
  plot.y_axis(ticks(0, plot.y.high, 6), 1);
  const double width = (plot.right - plot.left) / kTestSets.size();
  for (size_t s = 0; s < kTestSets.size(); ++s) {
    const double begin = plot.left + static_cast<double>(s) * width;
    draw_group(plot, s, begin, width, ours, inference);
    std::string name(kTestSets[s]);
    std::replace(name.begin(), name.end(), ':', ' ');
    plot.x_label(begin + width / 2, name);
  }
  plot.line_at_one();
  std::string html = "<ul class=\"key\">\n";
  for (const Bar& bar : bars()) {
    Svg key(22, 14, bar.text);
    key.rect({1, 1}, 20, 12, bar.css);
    html += "<li>" + key.str() + escape(bar.text) + "</li>\n";
  }
  html += legend_entry(2, "paper", "", "the paper's value");
  return "<div class=\"scroll wide\">" + plot.svg.str() + "</div>\n" + html + "</ul>\n";
}

// ---- agreement ----------------------------------------------------------------------------------

std::optional<double> rank_correlation(const std::vector<std::pair<double, double>>& pairs) {
  const size_t n = pairs.size();
  if (n < 3) return std::nullopt;
  // Ranks from 1; equal values share the mean of theirs.
  const auto ranks = [&](auto value) {
    std::vector<double> result(n);
    for (size_t i = 0; i < n; ++i) {
      double below = 0, equal = 0;
      for (size_t k = 0; k < n; ++k) {
        below += value(pairs[k]) < value(pairs[i]);
        equal += value(pairs[k]) == value(pairs[i]);
      }
      result[i] = below + (equal + 1) / 2;
    }
    return result;
  };
  const auto a = ranks([](const auto&p) { return p.first; }),
             b = ranks([](const auto&p) { return p.second; });
  const double mean = (static_cast<double>(n) + 1) / 2;
  double ab = 0, aa = 0, bb = 0;
  for (size_t i = 0; i < n; ++i) {
    ab += (a[i] - mean) * (b[i] - mean);
    aa += (a[i] - mean) * (a[i] - mean);
    bb += (b[i] - mean) * (b[i] - mean);
  }
  if (aa == 0 || bb == 0) return std::nullopt;
  return ab / std::sqrt(aa * bb);
}

namespace {

// The smallest and the largest DAS ratio of the paper and here.
std::pair<double, double> range_of_both(const MainTable& ours) {
  double low = 1, high = 1;
  for (const MainTable* table : {&ours, &paper_table().table}) {
    for (const VariantNumbers& v : *table) {
      for (const auto& ratio : v.das_ratio) {
        low = std::min(low, ratio.value_or(low));
        high = std::max(high, ratio.value_or(high));
      }
    }
  }
  return {low, high};
}

void draw_pairs(Plot& plot, const MainTable& ours, std::vector<std::pair<double, double>>& pairs) {
  for (size_t v = 0; v < ours.size(); ++v) {
    const Variant& variant = all_variants()[v];
    const auto k = static_cast<int>(
        std::find_if(paper_structures().begin(), paper_structures().end(),
                     [&](const Structure& s) { return s.name == variant.structure.name; }) -
        paper_structures().begin());
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      const auto &paper = paper_table().table[v].das_ratio[s], &our = ours[v].das_ratio[s];
      if (!paper || !our) continue;
      pairs.push_back({*paper, *our});
      plot.svg.mark(variant.attention_loss ? k : 5, {plot.x(*paper), plot.y(*our)},
                    "c" + std::to_string(k) + " faint",
                    variant.name() + ", " + set_label(s) + ": " + decimal(*paper, 2) +
                        " in the paper, " + decimal(*our, 2) + " here");
    }
  }
}

}  // namespace

std::string agreement_figure(const MainTable& ours) {
  std::vector<std::pair<double, double>> pairs;
  Plot plot(460, 420, "DAS ratios in the paper and here", "DAS ratio here");
  const auto [low, high] = range_of_both(ours);
  plot.x.low = plot.y.low = std::max(0.0, low - 0.05);
  plot.x.high = plot.y.high = high + 0.05;
  const auto at = ticks(plot.x.low, plot.x.high, 6);
  plot.y_axis(at, 1);
  for (double t : at) plot.x_label(plot.x(t), decimal(t, 1));
  plot.svg.text({plot.right, plot.bottom - 6}, "DAS ratio in the paper", "title",
                Svg::Anchor::kEnd);
  plot.svg.line({plot.left, plot.bottom}, {plot.right, plot.top}, "one");
  draw_pairs(plot, ours, pairs);
  const auto correlation = rank_correlation(pairs);
  const std::string text = correlation ? "Spearman's rank correlation of the " +
                                             std::to_string(pairs.size()) +
                                             " pairs: " + decimal(*correlation, 2) + "."
                                       : "Too few pairs for a rank correlation.";
  return "<div class=\"scroll wide square\">" + plot.svg.str() + "</div>\n<p class=\"note\">" +
         escape(text) + "</p>\n";
}

}  // namespace heed
