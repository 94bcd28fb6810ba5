#include "experiments/adversarial/page.h"

#include <algorithm>

#include "dialog/text/html_page.h"
#include "dialog/view/passages.h"
#include "experiments/adversarial/claims.h"
#include "experiments/adversarial/das.h"
#include "experiments/engine/page.h"

namespace heed {
namespace {

// What the page is put together from.
struct Contents {
  const AdversarialResults& results;
  const ScoredRows& rows;
  const std::vector<Table>& tables;
};

std::vector<PageFact> facts(const Contents& c) {
  const AdversarialResults& r = c.results;
  std::vector<double> random, generated;
  for (const ScoredRow& row : c.rows.all()) {
    const bool whole =
        row.judge == kDiscriminator && !r.judges[row.variant].response_only && !row.scenario;
    if (whole && row.accuracy)
      (row.set == kRandomSet ? random : generated).push_back(row.accuracy->mean);
  }
  return {
      {"trainings", std::to_string(r.runs.size()),
       std::to_string(r.variants.size()) + " classifiers, seeds: " + std::to_string(r.seeds())},
      {"corpora", std::to_string(r.corpora.size()), r.setting("corpora")},
      {"generators", std::to_string(r.generators.size()), r.setting("generators")},
      {"test passages", std::to_string(r.items()), "of " + r.clusters_text("conversations")},
      {"accuracy, random", random.empty() ? "–" : range_text(random, 3), "discriminators"},
      {"accuracy, generated", generated.empty() ? "–" : range_text(generated, 3), "discriminators"},
      {"computed in", time_spent(r), "all workers together"}};
}

constexpr char kNoGenerators[] =
    "There are no generators: --generators names runs of response models.";

std::string with_table(const Contents& c, const std::string& id, bool intervals = false,
                       const char* otherwise = kNoGenerators) {
  const bool there = std::any_of(c.tables.begin(), c.tables.end(),
                                 [&](const Table& table) { return table.id == id; });
  return there ? with_note(table_of(c.tables, id), intervals) : note_html(otherwise);
}

// Passage number i of a figure of a run; nothing where there is none.
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

// Of the first run of each corpus' discriminator.
std::string words_figure(const AdversarialResults& r) {
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

const SectionRow<Contents> kSections[] = {
    {"claims", "Does the paper hold here?",
     [](const Contents& c) {
       return note_html(kAdversarialClaimsNote) +
              claims_html(check_adversarial_claims(c.results, c.rows));
     }},
    {"table1", "Table 1: random responses",
     [](const Contents& c) { return with_table(c, "table1", true); }},
    {"table2", "Table 2: generated responses",
     [](const Contents& c) { return with_table(c, "table2", true); }},
    {"das", "Do structures with a lower DAS ratio fool the discriminator more often?",
     [](const Contents& c) {
       return with_table(c, "das", true) + das_figure(c.results) + with_table(c, "generators");
     }},
    {"reliability", "Can the classifiers be relied on?",
     [](const Contents& c) {
       return with_table(c, "reliability", true,
                         "Nothing says so here: --reliability trains classifiers where the right "
                         "answer is known.");
     }},
    {"looks", "Where the discriminators look",
     [](const Contents& c) { return with_table(c, "looks"); }},
    {"words", "Figure 1: attention on words",
     [](const Contents& c) {
       return note_html(
                  "Of each kind, real or not and judged real or not, the passage that the "
                  "discriminator is surest of. The response has a line beside it. The stronger the "
                  "colour of a word, the more attention it gets.") +
              words_figure(c.results);
     }},
    {"trainings", "The trainings", [](const Contents& c) { return with_table(c, "runs"); }},
    {"sources", "Where every number is from",
     [](const Contents& c) {
       return note_html(
                  "All numbers are computed from evaluation.json of each run, and from "
                  "data/adversarial-evaluation.json of heed for the paper. judged: p(real) of each "
                  "test passage with its own response and with the other one, by judge and set.") +
              sources_html(c.tables);
     }},
    {"settings", "Settings", [](const Contents& c) { return settings_html(c.results); }}};

constexpr char kLead[] =
    "Is that what a person would say next? A <strong>discriminator</strong> reads a passage of "
    "dialogue and says whether its last utterance was said there, or something put in its place: "
    "a random utterance, or what a model generated. An experiment of Bruni &amp; Fernández (2017), "
    "done again with heed, with the controls that tell what of it is coherence.";
constexpr char kFooter[] =
    "Written by <code>heed report</code>. Bruni &amp; Fernández, <cite>Adversarial Evaluation for "
    "Open-Domain Dialogue Generation</cite>, SIGDIAL 2017.";

}  // namespace

std::string render_adversarial_page(const AdversarialResults& results, const ScoredRows& rows,
                                    const std::vector<Table>& tables) {
  const Contents contents{results, rows, tables};
  return render({.title = "Is that what a person would say next?",
                 .lead = kLead,
                 .facts = facts(contents),
                 .warning = unfinished_or_mixed(results, "classifiers"),
                 .sections = sections_of(kSections, contents),
                 .footer = kFooter});
}

}  // namespace heed
