#include "experiments/engine/report/variant_tables.h"
#include "experiments/gaps/experiment.h"

namespace heed {
namespace {

using namespace gap_variant;

Findings load(const std::string& folder) {
  ResultsLayout layout{.kind = "gaps", .variants = gap_variants(), .clusters = "conversations"};
  layout.values = {"parameters", "best_epoch", "epochs"};
  for (const std::string label : {"border.", "pronoun."}) {
    for (const char* number : {"precision", "recall", "f1"}) {
      layout.values.push_back(label + number);
    }
  }
  std::vector<Measure> measures;
  const auto add = [&](const std::string& key, const std::string& top, const std::string& bottom,
                       bool later = false) {
    measures.push_back(
        {.key = key, .top = top, .bottom = bottom, .mean = top == bottom, .later = later});
  };
  for (const std::string rule : {"rules.copy.", "rules.nearest.", "rules.frequent."}) {
    layout.values.push_back(rule + "bleu");
    add(rule + "p1", rule + "p1_hits", rule + "answered_items", /*later=*/true);
    add(rule + "p3", rule + "p3_hits", rule + "answered_items", /*later=*/true);
    add(rule + "exact", rule + "exact_items", rule + "exact_items", /*later=*/true);
  }
  for (int inserted = 0; inserted <= kMostInserted; ++inserted) {
    const std::string in = inserted_prefix(inserted);
    layout.values.insert(layout.values.end(), {in + "p2", in + "bleu", in + "answered"});
    add(in + "f1", in + "f1_hits", in + "f1_all");
    add(in + "p1", in + "p1_hits", in + "answered_items");
    add(in + "p3", in + "p3_hits", in + "answered_items");
    add(in + "exact", in + "exact_items", in + "exact_items");
    if (inserted > 0) add(in + "p1_lost", in + "p1_lost_items", "answered_items");
  }
  return load_findings(folder, layout, measures, against_first({"f1", "p1", "exact"}));
}

std::vector<Table> tables(const Findings& found) {
  Table gaps{.id = "gaps",
             .title = "Where gaps are, what fills them, and the turn written out",
             .note =
                 "Percent. Labels: precision, recall and F1 of the borders of gaps (1) and of what "
                 "stands for something else (2). P@k: the filling of a gap that is given, among "
                 "the first k candidates, of gaps that a candidate fills. " +
                 intervals_text(found.results, "conversations")};
  gaps.columns = {percent("borders", "P", "border.precision"),
                  percent("borders", "R", "border.recall"),
                  percent("borders", "F1", "border.f1"),
                  percent("pronouns", "P", "pronoun.precision"),
                  percent("pronouns", "R", "pronoun.recall"),
                  percent("pronouns", "F1", "pronoun.f1"),
                  percent("labels", "F1", "f1"),
                  percent("filling", "P@1", "p1"),
                  percent("filling", "P@2", "p2"),
                  percent("filling", "P@3", "p3"),
                  percent("turn", "exact", "exact"),
                  percent("turn", "BLEU", "bleu")};
  Table rules{.id = "rules",
              .title = "Three rules, which are given the gaps",
              .note =
                  "Percent; the same in every row. copy: the turn as it is. nearest: the last "
                  "run of the context of the length that most fillings have in training. "
                  "frequent: what filled most gaps in training."};
  for (const char* rule : {"copy", "nearest", "frequent"}) {
    const std::string prefix = "rules." + std::string(rule) + ".";
    if (rule != std::string("copy")) {
      rules.columns.push_back(percent(rule, "P@1", prefix + "p1"));
      rules.columns.push_back(percent(rule, "P@3", prefix + "p3"));
    }
    rules.columns.push_back(percent(rule, "exact", prefix + "exact"));
    rules.columns.push_back(percent(rule, "BLEU", prefix + "bleu"));
  }
  Table inserted{
      .id = "inserted",
      .title = "With irrelevant turns between",
      .note =
          "Percent. First turns of training dialogues are inserted before the turn, "
          "the same for every model. lost: P@1 without them less P@1 with them, of turns of "
          "which they fill no further gap. " +
          intervals_text(found.results, "conversations")};
  for (int k = 0; k <= kMostInserted; ++k) {
    const std::string in = inserted_prefix(k), of = std::to_string(k) + " inserted";
    inserted.columns.push_back(percent(of, "F1", in + "f1"));
    inserted.columns.push_back(percent(of, "P@1", in + "p1"));
    if (k > 0) {
      inserted.columns.push_back({of, "lost", in + "p1_lost", 1, true, Column::Best::kLowest});
    }
    inserted.columns.push_back(percent(of, "exact", in + "exact"));
  }
  return {of_variants(gaps, found), of_variants(rules, found), of_variants(inserted, found),
          changes_table("Against both at once",
                        {percent("", "labels F1", "f1"), percent("", "P@1", "p1"),
                         percent("", "exact", "exact")},
                        found, "conversations"),
          trainings_table(found.results, "valid_loss", "loss", 3)};
}

const std::vector<AboveClaim> kClaims = {
    {"The joint model detects better than one that learns to detect alone.",
     "F1 of the labels, both > detect.",
     {{kBoth, "f1", kDetect}}},
    {"The joint model resolves better than one that learns to rank alone.",
     "P@1, both > rank.",
     {{kBoth, "p1", kRank}}},
    {"A trained ranker is far above counting.",
     "P@1 of rank > that of the rule frequent.",
     {{kRank, "p1", kRank, "rules.frequent.p1"}}},
    {"Knowing the position helps.", "P@1, both > no-positions.", {{kBoth, "p1", kNoPositions}}},
    {"The right filling is mostly among the first three.",
     "P@3 of both > 0.8.",
     {{.variant = kBoth, .key = "p3", .by = 0.8}}},
    {"Ours: two irrelevant turns between cost less than a tenth of what is filled rightly.",
     "P@1 of both with two turns inserted > 0.9 of that without.",
     {{kBoth, "with_2.p1", kBoth, "p1", 0.9}}}};

}  // namespace

const Showing<>& gaps_showing() {
  static const Showing<> kShowing = {
      .title = "Gaps and pronouns",
      .lead = "Models of one size that find what a turn leaves out and fill it from the context.",
      .footer =
          "After Yang et al., <cite>End-to-End Neural Context Reconstruction in Chinese "
          "Dialogue</cite>, 2019.",
      .groups_are = "the model",
      .rows_are = "what",
      .claims_note =
          "\"Paper\" are printed numbers on generated Chinese data of millions of questions, with "
          "a segmenter, parts of speech and a parser; ours are characters (Chinese) or words "
          "(English). Its bigram ranker stands beside our rule of counts. What parts of speech "
          "and word segmentation give cannot be decided here.",
      .load = load,
      .tables = tables,
      .rules = kClaims,
      .paper = paper_numbers("gaps", gap_variants()),
      .sections = {{"gaps", "Where gaps are and what fills them", shows("gaps", true)},
                   {"rules", "Three rules", shows("rules")},
                   {"inserted", "With irrelevant turns between", shows("inserted", true)},
                   {"changes", "Against both at once", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
