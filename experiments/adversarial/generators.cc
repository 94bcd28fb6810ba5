// Do structures that look less at distractions fool the discriminator more often? The DAS ratios of
// the generators beside how many of their responses pass.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "dialog/text/format.h"
#include "experiments/adversarial/experiment.h"
#include "experiments/engine/report/figures.h"

namespace heed {
namespace {

// A generator on a corpus, judged by one run of a discriminator.
struct Passing {
  size_t generator = 0;
  double das_ratio = 0, share = 0;  // of its responses that pass as real
  std::string run = {};
};

std::vector<Passing> passings(const AdversarialResults& results, size_t corpus, size_t variant) {
  std::vector<Passing> found;
  for (const RunResult* run : results.of(variant)) {
    for (size_t g = 0; g < results.generators.size(); ++g) {
      const std::string& name = results.generators[g];
      const auto ratio =
          run->numbers.value(generator_key(results.corpora[corpus], name, "das_ratio"));
      const auto share = passing_share(results, *run, corpus, name);
      if (ratio && share) found.push_back({g, *ratio, *share, run->run.name});
    }
  }
  return found;
}

}  // namespace

std::optional<double> passing_share(const AdversarialResults& results, const RunResult& run,
                                    size_t corpus, const std::string& generator,
                                    std::optional<int> half) {
  const Series& fake = run.numbers.series(judged_key(kDiscriminator, generator, false));
  double passed = 0, all = 0;
  for (size_t i = 0; i < fake.size(); ++i) {
    if (!fake[i] || results.corpus_of[i] != static_cast<int>(corpus)) continue;
    if (half && results.clusters[i] % 2 != *half) continue;
    passed += *fake[i] >= 0.5, ++all;
  }
  return all > 0 ? std::optional(passed / all) : std::nullopt;
}

std::optional<Spread> passing_share(const AdversarialResults& results, size_t variant,
                                    size_t corpus, const std::string& generator,
                                    std::optional<int> half) {
  std::vector<double> shares;
  for (const RunResult* run : results.of(variant)) {
    if (const auto share = passing_share(results, *run, corpus, generator, half))
      shares.push_back(*share);
  }
  return spread(shares);
}

std::string without_seed(const std::string& generator) {
  return generator.substr(0, generator.rfind("-seed"));
}

std::string das_figure(const AdversarialResults& results) {
  std::vector<Panel> panels;
  std::vector<LegendEntry> legend;  // a mark for each training
  std::map<std::string, LegendEntry> styles;
  std::vector<double> ratios = {1}, shares;
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    Panel panel{results.corpora[c], "share that passes by DAS ratio: " + results.corpora[c]};
    for (const Passing& p : passings(results, c, results.discriminator_of(c))) {
      const std::string& name = results.generators[p.generator];
      const std::string training = without_seed(name);
      const size_t next = styles.size();
      const auto [found, is_new] =
          styles.try_emplace(training, LegendEntry{static_cast<int>(next) % Svg::kMarks,
                                                   "c" + std::to_string(next % 5), "", training});
      const LegendEntry& style = found->second;
      if (is_new) legend.push_back(style);
      shares.push_back(p.share);
      ratios.push_back(p.das_ratio);
      panel.lines.push_back({style.css,
                             "",
                             style.mark,
                             {{p.das_ratio, p.share,
                               name + ", " + p.run + ": DAS ratio " + decimal(p.das_ratio, 3) +
                                   ", passes " + decimal(p.share, 3)}}});
    }
    panels.push_back(std::move(panel));
  }
  if (legend.empty()) return "";
  PanelAxes axes = x_axis_around_one(ratios);
  const auto [lowest, highest] = std::minmax_element(shares.begin(), shares.end());
  axes.y_low = std::floor(10 * *lowest) / 10;
  axes.y_high = std::max(std::ceil(10 * *highest) / 10, axes.y_low + 0.1);
  return panels_html(axes, panels, legend);
}

}  // namespace heed
