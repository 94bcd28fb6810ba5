#include "experiments/gaps/report.h"

#include <cmath>

#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using Found = GapsFound;
using namespace gap_variant;

Found load(const std::string& folder) {
  ResultsLayout layout{.kind = "gaps", .variants = gap_variants(), .clusters = "conversations"};
  layout.values = {"parameters", "best_epoch", "epochs"};
  for (const char* label : {"border.", "pronoun."}) {
    for (const char* number : {"precision", "recall", "f1"}) {
      layout.values.push_back(std::string(label) + number);
    }
  }
  for (const char* rule : {"copy", "nearest", "frequent"}) {
    for (const char* number : {"p1", "p3", "exact", "bleu"}) {
      layout.values.push_back("rules." + std::string(rule) + "." + number);
    }
  }
  std::vector<Measure> measures;
  const auto add = [&](const std::string& key, const std::string& top, const std::string& bottom) {
    layout.values.push_back(key);
    layout.items.push_back(top);
    measures.push_back({.key = key, .top = top, .bottom = bottom, .mean = top == bottom});
  };
  for (int inserted = 0; inserted <= kMostInserted; ++inserted) {
    const std::string in = inserted_prefix(inserted);
    layout.items.insert(layout.items.end(), {in + "f1_all", in + "answered_items"});
    layout.values.insert(layout.values.end(), {in + "p2", in + "bleu", in + "answered"});
    add(in + "f1", in + "f1_hits", in + "f1_all");
    add(in + "p1", in + "p1_hits", in + "answered_items");
    add(in + "p3", in + "p3_hits", in + "answered_items");
    add(in + "exact", in + "exact_items", in + "exact_items");
    if (inserted > 0) add(in + "p1_lost", in + "p1_lost_items", "answered_items");
  }
  Results results = load_results(folder, layout);
  Inference inference(results, measures, {{"f1", "p1", "exact"}, [](size_t v) {
                                            return v == kBoth ? std::nullopt
                                                              : std::optional<size_t>(kBoth);
                                          }});
  return {std::move(results), std::move(inference)};
}

Column column(const char* group, const char* name, const std::string& key) {
  return Column{group, name, key, 1, true, Column::Best::kHighest};
}

std::vector<Table> tables(const Found& found) {
  Table gaps{.id = "gaps",
             .title = "Where gaps are, what fills them, and the turn written out",
             .note =
                 "Percent. Labels: precision, recall and F1 of the borders of gaps (1) and of what "
                 "stands for something else (2). P@k: the filling of a gap that is given, among "
                 "the first k candidates, of gaps that a candidate fills. " +
                 intervals_text(found.results, "conversations")};
  gaps.columns = {column("borders", "P", "border.precision"),
                  column("borders", "R", "border.recall"),
                  column("borders", "F1", "border.f1"),
                  column("pronouns", "P", "pronoun.precision"),
                  column("pronouns", "R", "pronoun.recall"),
                  column("pronouns", "F1", "pronoun.f1"),
                  column("labels", "F1", "f1"),
                  column("filling", "P@1", "p1"),
                  column("filling", "P@2", "p2"),
                  column("filling", "P@3", "p3"),
                  column("turn", "exact", "exact"),
                  column("turn", "BLEU", "bleu")};
  add_variants(gaps, found.results, found.inference);
  Table rules{.id = "rules",
              .title = "Three rules, which are given the gaps",
              .note =
                  "Percent; the same in every row. copy: the turn as it is. nearest: the last "
                  "run of the context of the length that most fillings have in training. "
                  "frequent: what filled most gaps in training."};
  for (const char* rule : {"copy", "nearest", "frequent"}) {
    const std::string prefix = "rules." + std::string(rule) + ".";
    if (rule != std::string("copy")) {
      rules.columns.push_back(column(rule, "P@1", prefix + "p1"));
      rules.columns.push_back(column(rule, "P@3", prefix + "p3"));
    }
    rules.columns.push_back(column(rule, "exact", prefix + "exact"));
    rules.columns.push_back(column(rule, "BLEU", prefix + "bleu"));
  }
  add_variants(rules, found.results, found.inference);
  Table inserted{.id = "inserted",
                 .title = "With irrelevant turns between",
                 .note =
                     "Percent. First turns of training dialogues are inserted before the turn, "
                     "the same for every model. lost: P@1 without them less P@1 with them. " +
                     intervals_text(found.results, "conversations")};
  for (int k = 0; k <= kMostInserted; ++k) {
    const std::string in = inserted_prefix(k), of = std::to_string(k) + " inserted";
    inserted.columns.push_back(column(of.c_str(), "F1", in + "f1"));
    inserted.columns.push_back(column(of.c_str(), "P@1", in + "p1"));
    if (k > 0) {
      inserted.columns.push_back({of, "lost", in + "p1_lost", 1, true, Column::Best::kLowest});
    }
    inserted.columns.push_back(column(of.c_str(), "exact", in + "exact"));
  }
  add_variants(inserted, found.results, found.inference);
  Table changes{
      .id = "changes",
      .title = "Against both at once",
      .note = intervals_text(found.results, "conversations") + p_values_text(found.inference)};
  changes.columns = {column("", "labels F1", "f1"), column("", "P@1", "p1"),
                     column("", "exact", "exact")};
  add_changes(changes, found.results, found.inference);
  return {gaps, rules, inserted, changes, trainings_table(found.results, "valid_loss", "loss", 3)};
}

// ---- claims

// The first number is above the second one. Undecided where they differ by less than what another
// seed changes.
ClaimResult above(const VariantNumbers& n, size_t a, const char* key, size_t b, const char* other) {
  constexpr double kNearly = 0.02;
  const auto x = n.get(a, key), y = n.get(b, other);
  if (!x || !y) return {};
  const std::string figure = decimal(*x, 3) + " against " + decimal(*y, 3);
  if (std::abs(*x - *y) < kNearly) return {std::nullopt, figure};
  return {*x > *y, figure};
}

const std::vector<ClaimRule> kClaims = {
    {"The joint model detects better than one that learns to detect alone.",
     "F1 of the labels, both > detect.",
     [](const VariantNumbers& n) { return above(n, kBoth, "f1", kDetect, "f1"); }},
    {"The joint model resolves better than one that learns to rank alone.", "P@1, both > rank.",
     [](const VariantNumbers& n) { return above(n, kBoth, "p1", kRank, "p1"); }},
    {"A trained ranker is far above counting.", "P@1 of rank > that of the rule frequent.",
     [](const VariantNumbers& n) { return above(n, kRank, "p1", kRank, "rules.frequent.p1"); }},
    {"Knowing the position helps.", "P@1, both > no-positions.",
     [](const VariantNumbers& n) { return above(n, kBoth, "p1", kNoPositions, "p1"); }},
    {"The right filling is mostly among the first three.", "P@3 of both > 0.8.",
     [](const VariantNumbers& n) -> ClaimResult {
       const auto x = n.get(kBoth, "p3");
       if (!x) return {};
       return {*x > 0.8, decimal(*x, 3)};
     }},
    {"Ours: two irrelevant turns between cost less than a tenth of what is filled rightly.",
     "P@1 of both with two turns inserted > 0.9 of that without.",
     [](const VariantNumbers& n) -> ClaimResult {
       const auto without = n.get(kBoth, "p1"), with = n.get(kBoth, "with_2.p1");
       if (!without || !with) return {};
       return {*with > 0.9 * *without, decimal(*with, 3) + " and " + decimal(*without, 3)};
     }}};

}  // namespace

const std::vector<ClaimRule>& gap_claim_rules() {
  return kClaims;
}

// Tables 4 (Bigram, POSNet-R), 5 and 8 of the paper. P@1 of its joint model is 71.7 in Table 5 and
// 70.1 in Table 8, where it has no positions: the second is what that is held against.
VariantNumbers gaps_paper_numbers() {
  VariantNumbers n;
  n.set(kBoth, "f1", 0.954);
  n.set(kDetect, "f1", 0.929);
  n.set(kBoth, "p1", 0.701);
  n.set(kBoth, "p2", 0.829);
  n.set(kBoth, "p3", 0.890);
  n.set(kRank, "p1", 0.691);
  n.set(kRank, "rules.frequent.p1", 0.228);
  n.set(kNoPositions, "p1", 0.672);
  return n;
}

const Showing<Found>& gaps_showing() {
  static const Showing<Found> kShowing = {
      .title = "Gaps and pronouns",
      .lead = "Models of one size that find what a turn leaves out and fill it from the context.",
      .footer =
          "After Yang et al., <cite>End-to-End Neural Context Reconstruction in Chinese "
          "Dialogue</cite>, 2019.",
      .claims_note =
          "\"Paper\" are printed numbers on generated Chinese data of millions of questions, with "
          "a segmenter, parts of speech and a parser; ours are characters (Chinese) or words "
          "(English). Its bigram ranker stands beside our rule of counts. What parts of speech "
          "and word segmentation give cannot be decided here.",
      .load = load,
      .tables = tables,
      .claims =
          [](const Found& found) {
            return check_claims(kClaims, gaps_paper_numbers(),
                                {{"means", mean_numbers(found.results)}});
          },
      .sections = {{"gaps", "Where gaps are and what fills them", shows("gaps", true)},
                   {"rules", "Three rules", shows("rules")},
                   {"inserted", "With irrelevant turns between", shows("inserted", true)},
                   {"changes", "Against both at once", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
