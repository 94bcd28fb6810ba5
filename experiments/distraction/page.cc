#include <algorithm>

#include "experiments/distraction/experiment.h"
#include "experiments/responders.h"

namespace heed {
namespace {

using Found = DistractionFound;

std::vector<PageFact> facts(const Found& c) {
  std::vector<double> perplexities, ratios;
  for (size_t v = 0; v < all_variants().size(); ++v) {
    if (const auto perplexity = c.ours.get(v, key_of(0, "perplexity"))) {
      perplexities.push_back(*perplexity);
    }
    for (size_t s = 1; s < kSets; ++s) {
      if (const auto ratio = c.ours.get(v, key_of(s, "das_ratio"))) ratios.push_back(*ratio);
    }
  }
  auto facts =
      facts_of_responders(c.results, "; behind every number, less those without a distraction");
  facts.push_back({"perplexity", range_text(perplexities, 1), "original test set"});
  facts.push_back({"DAS ratio", range_text(ratios, 2), "variants and sets"});
  return facts;
}

const Figures<Found> kFigures = {{"bars", bars_figure},
                                 {"probability", probability_figure},
                                 {"agreement", agreement_figure},
                                 {"learning", learning_figure},
                                 {"dialogues", dialogues_html}};

}  // namespace

std::vector<Table> all_tables(const DistractionFound& found) {
  std::vector<Table> tables = distraction_report().tables(found);
  const ResponseQuality& human = found.samples.human;
  std::ranges::find(tables, "quality", &Table::id)
      ->rows.push_back({"",
                        "human responses",
                        {{},
                         {.value = human.distinct_1},
                         {.value = human.distinct_2},
                         {.value = human.mean_length}},
                        {"samples.json"},
                        true});
  return tables;
}

const Showing<DistractionFound>& distraction_showing() {
  static const Showing<Found> kShowing = [] {
    Showing<Found> s = with_texts_of<Found>(distraction_report());
    s.load = load_distraction;
    s.tables = all_tables;
    s.claims = [](const Found& f) { return check_claims(f.ours); };
    s.facts = facts;
    s.sections = sections_of(kDistractionReport, kFigures);
    return s;
  }();
  return kShowing;
}

}  // namespace heed
