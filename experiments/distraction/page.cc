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

const std::vector<Section<Found>> kSections = {
    {"figure2", "Figure 2: static-ui on the nine test sets",
     draws("Bars with 95 % confidence intervals; the dashed line is at 1, where distractions get "
           "as much attention as the history.",
           bars_figure)},
    {"t3", "Table 3: the 23 variants",
     [](const Found&, const PageTables& tables) {
       return tables.html("table3") +
              note_html(
                  "Bold: better than all others of a column by more than the intervals. Intervals, "
                  "and mean and median of the ratios, appear when the pointer rests on a number, "
                  "and are in tables/table3.csv. Click a column to sort by it.");
     }},
    {"ratios", "Three ways to take the DAS ratio", shows("ratios")},
    {"shares", "Distractions against the history", shows("shares")},
    {"probability", "DAS ratio by insertion probability",
     draws("All panels have the same scale. Bars are 95 % confidence intervals.",
           probability_figure)},
    {"change", "Is it more than chance?",
     [](const Found&, const PageTables& tables) {
       return tables.html("changes", true) +
              note_html("* and bold: corrected p < 0.05. Negative is better.");
     }},
    {"random", "Table 4: random distractions", shows("table4")},
    {"frequent", "Table 5: frequent distractions", shows("table5")},
    {"rare", "Table 6: rare distractions", shows("table6")},
    {"beside", "Beside the paper's numbers",
     [](const Found& c, const PageTables& tables) {
       return tables.html("paper3") + tables.html("paper4") + tables.html("paper6") +
              note_html(
                  "All variants on all sets; marks and colours as in the figure \"DAS ratio by "
                  "insertion probability\".") +
              agreement_figure(c);
     }},
    {"learning", "Learning curves",
     draws("Validation perplexity after each epoch. The mark is the best epoch, whose model is "
           "tested; what is above a panel is drawn at its edge.",
           learning_figure)},
    {"quality-of-responses", "Quality of the responses", shows("quality")},
    {"dialogues", "Dialogue by dialogue", [](const Found& c, const PageTables&) {
       if (c.results.samples.empty())
         return note_html("The texts are not kept with these results.");
       return note_html("The first short dialogues of the test part, with distractions (" +
                        c.results.sample_set +
                        "). Numbers are attention scores in %: 100 is an average utterance; the "
                        "stronger the colour, the more attention. no loss: p = 0.7 without the "
                        "attention loss. Responses are greedy, to the "
                        "dialogue without distractions.") +
              dialogues_html(c.results);
     }}};

constexpr char kClaimsLead[] =
    "Each claim of the paper as a rule that a program can check. The same rule is "
    "applied to the paper's own table, which shows whether it says what was meant, "
    "and to ours by each way to take the DAS ratio: the paper's, a ratio of means, "
    "and the mean and the median of the dialogues' ratios. "
    "A model that has hardly begun to learn has DAS ratios near 1 everywhere, and "
    "differences in the third digit say little: see the intervals.";
constexpr char kSources[] =
    "All numbers are computed from files in the folder of the experiment: "
    "evaluation.json of each run, which also holds the attention scores of every "
    "dialogue's distractions and history; log.jsonl for the learning curves; "
    "responses.jsonl for the quality "
    "of the responses; samples.json for the dialogues; data/paper-tables.json of "
    "heed for the paper. With several seeds a number is the mean over the files of "
    "its row. heed report writes this page and the tables anew from them.";
constexpr char kLead[] =
    "Five structures of LSTM "
    "sequence-to-sequence models, trained with and without self-contained distractions, and "
    "tested on dialogues with utterances in them that do not belong there. The <strong>DAS "
    "ratio</strong> is the attention on these distractions over the attention on the real "
    "history: the lower, the less a model is distracted. An experiment of Xing &amp; Gulla "
    "(2022), done again with heed.";
constexpr char kFooter[] =
    "Written by <code>heed report</code>. Xing &amp; Gulla, <cite>Evaluating and "
    "Improving Context Attention Distribution on Multi-Turn Response Generation using "
    "Self-Contained Distractions</cite>, 2022.";

}  // namespace

const Showing<DistractionFound>& distraction_showing() {
  static const Showing<Found> kShowing = {
      .title = "Where do dialogue models look?",
      .lead = kLead,
      .footer = kFooter,
      .claims_note = kClaimsNote,
      .claims_lead = kClaimsLead,
      .sources_note = kSources,
      .load = load_distraction,
      .tables = [](const Found& f) { return all_tables(f.results, f.inference); },
      .claims = [](const Found& f) { return check_claims(f.ours); },
      .facts = facts,
      .sections = kSections};
  return kShowing;
}

}  // namespace heed
