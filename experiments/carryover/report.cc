#include "experiments/carryover/report.h"

#include "dialog/carry/rules.h"
#include "dialog/text/format.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using Found = CarryoverFound;
using namespace decoders;

std::string inserted_key(int inserted) {
  return "inserted_" + std::to_string(inserted);
}

Found load(const std::string& folder) {
  ResultsLayout layout{.kind = "carryover", .variants = carryover_variants()};
  layout.clusters = "dialogues";
  layout.values = {"parameters", "best_epoch", "epochs"};
  std::vector<std::string> keys;
  for (const CarryoverMeasure& m : kCarryoverMeasures) keys.emplace_back(m.key);
  for (const int inserted : kInserted) keys.push_back(inserted_key(inserted));
  std::vector<Measure> measures;
  for (const std::string& key : keys) {
    layout.values.push_back(key);
    layout.items.insert(layout.items.end(), {key + "_top", key + "_bottom"});
    measures.push_back({.key = key, .top = key + "_top", .bottom = key + "_bottom"});
  }
  Results results = load_results(folder, layout);
  Inference inference(results, measures, {{"f1_carried", "f1_far", "f1_cross"}, [](size_t v) {
                                            return v == kAlone ? std::nullopt
                                                               : std::optional<size_t>(kAlone);
                                          }});
  return {std::move(results), std::move(inference)};
}

Column column(const std::string& group, const std::string& name, const std::string& key) {
  return {group, name, key, 1, true, Column::Best::kHighest};
}

// The rules know no seed: every run has their numbers.
void add_rules(Table& table, const Results& results) {
  const std::pair<const char*, const char*> kLabels[] = {
      {"everything", "carry everything"},
      {"latest", "latest value of a key"},
      {"latest-user", "latest value the user said"}};
  for (const auto& [rule, label] : kLabels) {
    Row row{.group = "rule", .label = label};
    for (const Column& c : table.columns) {
      const std::string key = "rules." + std::string(rule) + "." + c.key;
      row.cells.push_back({.value = results.runs[0].numbers.value(key)});
    }
    row.sources = {source_of(results.runs[0])};
    row.reference = true;
    table.rows.push_back(std::move(row));
  }
}

std::vector<Table> tables(const Found& found) {
  const std::string intervals = intervals_text(found.results, "dialogues");
  Table f1{.id = "f1",
           .title = "F1 on the test part",
           .note = "Percent. Distances are turns of both speakers. " + intervals,
           .rows_are = "decides",
           .groups_are = "decoder"};
  f1.columns = {column("distance", ">= 1", "f1_carried"),
                column("distance", ">= 6", "f1_far"),
                column("candidates of", "this service, >= 1", "f1_same"),
                column("candidates of", "other services", "f1_cross"),
                column("service", "seen", "f1_seen"),
                column("service", "new", "f1_new")};
  add_variants(f1, found.results, found.inference);
  add_rules(f1, found.results);
  Table distances{.id = "distances",
                  .title = "F1 by distance, and the attention that falls on it",
                  .note =
                      "Percent, both kinds of candidates. Attention: the share that falls on "
                      "candidates of that distance, divided by their share of the candidates; "
                      "100 is what even attention gives. A pointer's is that of its steps, the "
                      "last one included, whose choice is to end.",
                  .rows_are = "decides",
                  .groups_are = "decoder"};
  for (const char* d : carry::kDistances) {
    distances.columns.push_back(column("F1", d, "groups.both." + std::string(d) + ".f1"));
  }
  for (const char* d : carry::kDistances) {
    Column c = column("attention", d, "look." + std::string(d) + ".of_even");
    c.digits = 0, c.best = Column::Best::kNone;
    distances.columns.push_back(c);
  }
  add_variants(distances, found.results, found.inference);
  Table inserted{.id = "inserted",
                 .title = "Turns of other dialogues in the history",
                 .note =
                     "F1 in percent of candidates at a distance of 6 and more before anything "
                     "is inserted, on part of the items. " +
                     intervals,
                 .rows_are = "decides",
                 .groups_are = "decoder"};
  for (const int n : kInserted) {
    inserted.columns.push_back(column("turns inserted", std::to_string(n), inserted_key(n)));
  }
  add_variants(inserted, found.results, found.inference);
  Table changes{.id = "changes",
                .title = "Against independent decisions",
                .note = intervals + p_values_text(found.inference),
                .rows_are = "decides",
                .groups_are = "decoder"};
  changes.columns = {column("", "distance >= 1", "f1_carried"),
                     column("", "distance >= 6", "f1_far"),
                     column("", "other services", "f1_cross")};
  add_changes(changes, found.results, found.inference);
  return {f1, distances, inserted, changes,
          trainings_table(found.results, "valid_f1", "F1", 3, true)};
}

// ---- claims

// Each number is above the one before it. Undecided where two are nearly the same.
ClaimResult rises(const VariantNumbers& n, const std::vector<size_t>& variants, const char* key) {
  constexpr double kNearly = 0.005;
  bool rises = true, falls = false;
  std::string figure;
  std::optional<double> before;
  for (const size_t variant : variants) {
    const std::optional<double> x = n.get(variant, key);
    if (!x) return {};
    if (before) rises = rises && *x - *before > kNearly, falls = falls || *before - *x > kNearly;
    figure += (figure.empty() ? "" : ", ") + decimal(*x, 3);
    before = x;
  }
  return {rises || falls ? std::optional(rises) : std::nullopt, figure};
}

std::optional<double> best_of(const VariantNumbers& n, const std::vector<size_t>& variants,
                              const char* key) {
  std::optional<double> best;
  for (const size_t v : variants) {
    const auto x = n.get(v, key);
    if (x && (!best || *x > *best)) best = x;
  }
  return best;
}

ClaimResult joint_is_better(const VariantNumbers& n) {
  const auto joint = best_of(n, {kUnordered, kByTurn, kInOrder, kAverage, kAttention}, "f1_far"),
             alone = n.get(kAlone, "f1_far");
  if (!joint || !alone) return {};
  return {*joint > *alone, decimal(*joint, 3) + " against " + decimal(*alone, 3)};
}

ClaimResult beats_rules(const VariantNumbers& n) {
  const auto model =
      best_of(n, {kAlone, kUnordered, kByTurn, kInOrder, kAverage, kAttention}, "f1_carried");
  std::optional<double> rule;
  for (const char* name : carry::kRules) {
    const auto x = n.get(kAlone, "rules." + std::string(name) + ".f1_carried");
    if (x && (!rule || *x > *rule)) rule = x;
  }
  if (!model || !rule) return {};
  return {*model > *rule, decimal(*model, 3) + " against " + decimal(*rule, 3)};
}

const std::vector<ClaimRule> kClaims = {
    {"The order of slots matters: none < by turn < temporal.",
     "F1 at distances from 1 on of the three pointers rises in this order.",
     [](const VariantNumbers& n) {
       return rises(n, {kUnordered, kByTurn, kInOrder}, "f1_carried");
     }},
    {"Values in their context are better than averages of embeddings.",
     "F1 at distances from 1 on of the pointer, as said.",
     [](const VariantNumbers& n) {
       return rises(n, {kAverage, kInOrder}, "f1_carried");
     }},
    {"Joint models are better at long distance.",
     "The best of the five joint ones above independent decisions at the longest distance, chosen "
     "on the test part.",
     joint_is_better},
    {"Self-attention is best overall.",
     "F1 at distances from 1 on, above that of the pointer that reads slots as they were said.",
     [](const VariantNumbers& n) {
       return rises(n, {kInOrder, kAttention}, "f1_carried");
     }},
    {"Not the paper's: a model beats the rules.",
     "The best F1 at distances from 1 on of the six, chosen on the test part, above that of the "
     "best of three rules.",
     beats_rules}};

}  // namespace

const std::vector<ClaimRule>& carryover_claim_rules() {
  return kClaims;
}

VariantNumbers carryover_paper_numbers() {
  VariantNumbers n;
  const std::tuple<size_t, double, double> kTable3[] = {
      {kAlone, 0.8506, 0},       {kUnordered, 0.7817, 0.129}, {kByTurn, 0.8157, 0.4095},
      {kInOrder, 0.8318, 0.335}, {kAverage, 0.7166, 0.0225},  {kAttention, 0.8533, 0.3803}};
  for (const auto& [variant, carried, far] : kTable3) {
    n.set(variant, "f1_carried", carried);
    n.set(variant, "f1_far", far);
  }
  return n;
}

const Showing<Found>& carryover_showing() {
  static const Showing<Found> kShowing = {
      .title = "Slot carryover",
      .lead = "Which of the values mentioned so far still hold? Six decoders and three rules.",
      .footer =
          "After Chen, Naik, He, Rastogi and Mathias, <cite>Improving Long Distance Slot Carryover "
          "in Spoken Dialogue Systems</cite>, 2019.",
      .variants_are = "decoders",
      .claims_title = "Do the paper's claims hold here?",
      .claims_note =
          "\"Paper\" are printed numbers of its internal data (Table 3), which nobody else has; "
          "its longest distance is 3 turns of the user and more, here it is 6 turns of both. Its "
          "baseline is described elsewhere; independent decisions stand in for it.",
      .load = load,
      .tables = tables,
      .claims =
          [](const Found& found) {
            return check_claims(kClaims, carryover_paper_numbers(),
                                {{"means", mean_numbers(found.results)}});
          },
      .sections = {{"f1", "F1 on the test part", shows("f1", true)},
                   {"distances", "By distance", shows("distances")},
                   {"inserted", "Turns of other dialogues in the history", shows("inserted", true)},
                   {"changes", "Against independent decisions", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
