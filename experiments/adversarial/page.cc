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

constexpr char kNoGenerators[] =
    "There are no generators: --generators names runs of response models.";

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
    const auto runs = r.of(2 * c);
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

const std::vector<Section<Found>> kSections = {
    {"table1", "Table 1: random responses", shows("table1", true, kNoGenerators)},
    {"table2", "Table 2: generated responses", shows("table2", true, kNoGenerators)},
    {"agreement", "Do the DAS ratio, probes and discriminators agree?",
     [](const Found& c, const PageTables& tables) {
       return tables.html("reliability-of-measures", true, kNoGenerators) +
              tables.html("agreement", true, kNoGenerators) + das_figure(c.results) +
              tables.html("generators", false, kNoGenerators);
     }},
    {"reliability", "Can the classifiers be relied on?",
     shows("reliability", true,
           "Nothing says so here: --reliability trains classifiers where the right answer is "
           "known.")},
    {"looks", "Where the discriminators look", shows("looks", false, kNoGenerators)},
    {"words", "Figure 1: attention on words",
     draws(
         "Of each kind, real or not and judged real or not, the passage that the discriminator is "
         "surest of. The response has a line beside it. The stronger the colour of a word, the "
         "more attention it gets.",
         words_figure)}};

constexpr char kClaimsNote[] =
    "Each as a rule that is computed, for our numbers and for the paper's own. The corpora and the "
    "generators are others than the paper's. Claims about people need judgements, which this "
    "experiment has none of. Ours are decided by intervals over conversations and seeds, and by "
    "what every seed says: with one seed nothing is decided.";
constexpr char kSources[] =
    "All numbers are computed from evaluation.json of each run, and from "
    "data/adversarial-evaluation.json of heed for the paper. judged: p(real) of each "
    "test passage with its own response and with the other one, by judge and set.";
constexpr char kLead[] =
    "Is that what a person would say next? A <strong>discriminator</strong> reads a passage of "
    "dialogue and says whether its last utterance was said there, or something put in its place: "
    "a random utterance, or what a model generated. An experiment of Bruni &amp; Fernández (2017), "
    "done again with heed, with the controls that tell what of it is coherence.";
constexpr char kFooter[] =
    "Written by <code>heed report</code>. Bruni &amp; Fernández, <cite>Adversarial Evaluation for "
    "Open-Domain Dialogue Generation</cite>, SIGDIAL 2017.";

}  // namespace

const Showing<AdversarialFound>& adversarial_showing() {
  static const Showing<Found> kShowing = {
      .title = "Is that what a person would say next?",
      .lead = kLead,
      .footer = kFooter,
      .variants_are = "classifiers",
      .groups_are = "corpus",
      .claims_note = kClaimsNote,
      .sources_note = kSources,
      .load =
          [](const std::string& folder, const ResultsLayout& layout) {
            return Found{load_adversarial_results(folder, layout)};
          },
      .tables = adversarial_tables,
      .claims = check_adversarial_claims,
      .facts = facts,
      .sections = kSections};
  return kShowing;
}

}  // namespace heed
