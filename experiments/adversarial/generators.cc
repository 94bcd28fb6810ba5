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

constexpr char kGeneratorsNote[] =
    "Responses to passages of the test part. distinct: different words (pairs of words) over all. "
    "greedy_different: the share of different ones among greedy responses. "
    "DAS ratio: random, p = 1.0, on the last examples of the dialogues; – for a model without "
    "attention. Pass: the share of the responses, without those that are left out, that the "
    "discriminator of the corpus takes for real.";

Table generators_table(const AdversarialResults& results) {
  const auto key = [](const std::string& number) {
    return generator_key("CORPUS", "GENERATOR", number);
  };
  Table table{.id = "generators",
              .title = "The generators",
              .note = kGeneratorsNote,
              .rows_are = "generator",
              .columns = {{"", "responses", key("responses"), 0},
                          {"", "kept", key("kept"), 0},
                          {"", "mean_length", key("mean_length"), 1},
                          {"", "distinct_1", key("distinct_1"), 3},
                          {"", "distinct_2", key("distinct_2"), 3},
                          {"", "greedy_different", key("greedy_different"), 3},
                          {"", "das_ratio", key("das_ratio"), 3},
                          {"", "pass", judged_key(kDiscriminator, "GENERATOR", false), 3}}};
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const auto runs = results.of(2 * c);  // the corpus' own discriminator
    if (runs.empty()) continue;
    for (const std::string& name : results.generators) {
      Row row{results.corpora[c], name, {}, variant_row(results, 2 * c).sources};
      for (size_t i = 0; i + 1 < table.columns.size(); ++i) {
        row.cells.push_back({.value = runs[0]->numbers.value(
                                 generator_key(results.corpora[c], name, table.columns[i].name))});
      }
      std::vector<double> shares;
      for (const RunResult* run : runs) {
        const auto share = passing_share(results, *run, c, name);
        if (share) shares.push_back(*share);
      }
      row.cells.push_back(cell_of(spread(shares)));
      table.rows.push_back(std::move(row));
    }
  }
  return table;
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
    for (const Passing& p : passings(results, c, 2 * c)) {
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
