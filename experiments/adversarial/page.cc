#include "experiments/adversarial/experiment.h"

#include <algorithm>
#include <set>

#include "dialog/text/html_page.h"
#include "dialog/view/passages.h"

namespace heed {
namespace {

using Found = AdversarialFound;

std::vector<PageFact> facts(const Found& c) {
  const AdversarialResults& r = c.results;
  std::vector<double> random, generated;
  for (const ScoredRow& row : c.rows.all()) {
    const bool whole = row.judge == kDiscriminator && r.judges[row.variant].is_discriminator();
    if (whole && row.accuracy)
      (row.set == kRandomSet ? random : generated).push_back(row.accuracy->mean);
  }
  std::set<std::string> trainings;
  for (const std::string& name : r.generators) trainings.insert(without_seed(name));
  constexpr size_t kMostNamed = 8;
  return {{"corpora", std::to_string(r.corpora.size()), r.setting("corpora")},
          {"generators", std::to_string(r.generators.size()),
           trainings.size() > kMostNamed ? "of " + std::to_string(trainings.size()) + " trainings"
                                         : r.setting("generators")},
          {"test passages", std::to_string(r.items()), "of " + r.clusters_text("conversations")},
          {"accuracy, random", random.empty() ? "–" : range_text(random, 3), "discriminators"},
          {"accuracy, generated", generated.empty() ? "–" : range_text(generated, 3),
           "discriminators"}};
}

// Passage number i of a figure of a run; empty if there is none.
std::optional<PassageView> view_at(const Numbers& numbers, const std::string& figure, size_t i) {
  const std::string at = figure + "." + std::to_string(i) + ".";
  if (!numbers.has_text(at + "id")) return std::nullopt;
  PassageView view{numbers.text(at + "id"),
                   {},
                   numbers.value(at + "real").value_or(0) > 0,
                   numbers.value(at + "p_real").value_or(0.5)};
  for (size_t u = 0;; ++u) {
    const std::string utterance = at + "utterances." + std::to_string(u) + ".";
    if (!numbers.has_series(utterance + "attention")) return view;
    const Series& attention = numbers.series(utterance + "attention");
    std::vector<WordView>& words = view.utterances.emplace_back();
    for (size_t w = 0; w < attention.size(); ++w) {
      const std::string word = utterance + "words." + std::to_string(w);
      if (numbers.has_text(word)) words.push_back({numbers.text(word), attention[w].value_or(0)});
    }
  }
}

// From the first run of each corpus's discriminator.
std::string words_figure(const Found& found) {
  const AdversarialResults& r = found.results;
  std::string html;
  for (size_t c = 0; c < r.corpora.size(); ++c) {
    const auto runs = r.of(r.discriminator_of(c));
    if (runs.empty()) continue;
    html += "<h3>" + escape(r.corpora[c]) + ", " + escape(runs[0]->run.name) + "</h3>\n";
    for (size_t i = 0;; ++i) {
      const auto view = view_at(runs[0]->numbers, "figure." + r.corpora[c], i);
      if (!view) break;
      html += passage_html(*view);
    }
  }
  return html;
}

}  // namespace

const char kAdversarialReport[] =
#include "adversarial_report.inc"
    ;

const Showing<AdversarialFound>& adversarial_showing() {
  static const Showing<Found> kShowing = [] {
    Showing<Found> s = with_texts_of<Found>(described(kAdversarialReport, {}, {}));
    s.load = [](const std::string& folder, const ResultsLayout& layout) {
      return Found{load_adversarial_results(folder, layout)};
    };
    s.tables = adversarial_tables;
    s.claims = check_adversarial_claims;
    s.facts = facts;
    s.sections = sections_of<Found>(
        kAdversarialReport, {{"das", [](const Found& found) { return das_figure(found.results); }},
                             {"words", words_figure}});
    return s;
  }();
  return kShowing;
}

}  // namespace heed
