#include "dialog/carry/rules.h"
#include "experiments/carryover/experiment.h"
#include "experiments/engine/report/variant_tables.h"

namespace heed {
namespace {

using namespace decoders;

std::string inserted_key(int inserted) {
  return "inserted_" + std::to_string(inserted);
}

Measure inserted_measure(int inserted) {
  const std::string key = inserted_key(inserted);
  return {.key = key, .top = key + "_top", .bottom = key + "_bottom"};
}

Findings load(const std::string& folder) {
  std::vector<Measure> measures;
  const auto add = [&](const std::string& key, bool later = false) {
    measures.push_back(
        {.key = key, .top = key + "_top", .bottom = key + "_bottom", .later = later});
  };
  for (const CarryoverMeasure& m : kCarryoverMeasures) {
    add(m.key);
    for (const char* rule : carry::kRules) add("rules." + std::string(rule) + "." + m.key, true);
  }
  for (const int inserted : kInserted) measures.push_back(inserted_measure(inserted));
  return load_findings(folder,
                       {.kind = "carryover",
                        .variants = carryover_variants(),
                        .clusters = "dialogues",
                        .values = {"parameters", "best_epoch", "epochs"}},
                       measures, against_first({"f1_carried", "f1_far", "f1_cross"}));
}

// The rules have no seed: every run has the same numbers for them.
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

Table f1_table(const Findings& found, const std::string& intervals) {
  Table f1 = of_variants(
      {.id = "f1",
       .title = "F1 on the test part",
       .note = "Percent. Distances are turns of both speakers. " + intervals,
       .columns = {percent("distance", ">= 1", "f1_carried"), percent("distance", ">= 6", "f1_far"),
                   percent("candidates of", "this service, >= 1", "f1_same"),
                   percent("candidates of", "other services", "f1_cross"),
                   percent("service", "seen", "f1_seen"), percent("service", "new", "f1_new")}},
      found);
  add_rules(f1, found.results);
  return f1;
}

Table distances_table(const Findings& found) {
  Table table{.id = "distances",
              .title = "F1 by distance, and the attention that falls on it",
              .note =
                  "Percent, both kinds of candidates. Attention: the share that falls on "
                  "candidates of that distance, divided by their share of the candidates; "
                  "100 is what even attention gives. A pointer's is that of its steps, the "
                  "last one included, without what falls on the choice to end."};
  for (const char* d : carry::kDistances) {
    table.columns.push_back(percent("F1", d, "groups.both." + std::string(d) + ".f1"));
  }
  for (const char* d : carry::kDistances) {
    Column c = percent("attention", d, "look." + std::string(d) + ".of_even", 0);
    c.best = Column::Best::kNone;
    table.columns.push_back(c);
  }
  return of_variants(table, found);
}

// What inserted turns cost each variant: F1 without them less F1 with 4, and with 16, of the same
// dialogues and seeds.
std::vector<std::vector<Cell>> losses(const Results& results) {
  constexpr size_t kCounts = std::size(kInserted);
  std::vector<Quotient> quotients;
  for (const RunResult& run : results.runs) {
    for (const int n : kInserted) {
      quotients.push_back(quotient_of(results, run, inserted_measure(n)));
    }
  }
  const std::vector<Resampled> resampled = bootstrap(quotients);
  std::vector<std::vector<Cell>> cells(results.variants.size());
  for (size_t v = 0; v < cells.size(); ++v) {
    for (size_t k = 1; k < kCounts; ++k) {
      std::vector<Resampled> lost;
      std::vector<double> values;
      for (size_t r = 0; r < results.runs.size(); ++r) {
        if (results.runs[r].run.variant != v) continue;
        lost.push_back(difference(resampled[r * kCounts], resampled[r * kCounts + k]));
        values.push_back(lost.back().value);
      }
      Cell& cell = cells[v].emplace_back();
      if (lost.empty()) continue;
      std::vector<const Resampled*> seeds;
      for (const Resampled& of : lost) seeds.push_back(&of);
      cell = cell_of(estimate(over_seeds(seeds)));
      cell.deviation = spread(values)->deviation;
    }
  }
  return cells;
}

Table inserted_table(const Findings& found, const std::string& intervals) {
  Table table{.id = "inserted",
              .title = "Turns of other dialogues in the history",
              .note =
                  "F1 in percent of candidates at a distance of 6 and more before anything is "
                  "inserted, on part of the items. lost: F1 without inserted turns less F1 with "
                  "them. " +
                  intervals,
              .intervals = true};
  for (const int n : kInserted) {
    table.columns.push_back(percent("turns inserted", std::to_string(n), inserted_key(n)));
  }
  table = of_variants(table, found);
  const auto lost = losses(found.results);
  for (size_t k = 1; k < std::size(kInserted); ++k) {
    const int n = kInserted[k];
    table.columns.push_back({"lost by", std::to_string(n),
                             inserted_key(0) + " - " + inserted_key(n), 1, true,
                             Column::Best::kLowest});
    for (size_t v = 0; v < table.rows.size(); ++v) table.rows[v].cells.push_back(lost[v][k - 1]);
  }
  mark_best(table);
  return table;
}

std::vector<Table> tables(const Findings& found) {
  const std::string intervals = intervals_text(found.results, "dialogues");
  return {f1_table(found, intervals), distances_table(found), inserted_table(found, intervals),
          changes_table(
              "Against independent decisions",
              {percent("", "distance >= 1", "f1_carried"), percent("", "distance >= 6", "f1_far"),
               percent("", "other services", "f1_cross")},
              found, "dialogues"),
          trainings_table(found.results, "valid_f1", "F1", 3, true)};
}

std::vector<AboveClaim> claims() {
  const std::vector<size_t> joint = {kUnordered, kByTurn, kInOrder, kAverage, kAttention};
  AboveClaim beats_rules{"Not the paper's: a model beats the rules.",
                         "F1 at distances from 1 on of one of the six above that of each rule.",
                         {},
                         {kAlone, kUnordered, kByTurn, kInOrder, kAverage, kAttention}};
  for (const char* rule : carry::kRules) {
    beats_rules.parts.push_back(
        {kAlone, "f1_carried", kAlone, "rules." + std::string(rule) + ".f1_carried"});
  }
  return {{"The order of slots matters: none < by turn < temporal.",
           "F1 at distances from 1 on of the three pointers rises in this order.",
           {{kByTurn, "f1_carried", kUnordered}, {kInOrder, "f1_carried", kByTurn}}},
          {"Values in their context are better than averages of embeddings.",
           "F1 at distances from 1 on of the pointer, as said.",
           {{kInOrder, "f1_carried", kAverage}}},
          {"Joint models are better at long distance.",
           "One of the five joint ones above independent decisions at the longest distance.",
           {{kUnordered, "f1_far", kAlone}},
           joint},
          {"Self-attention is best overall.",
           "F1 at distances from 1 on, above that of the pointer that reads slots as they were "
           "said.",
           {{kAttention, "f1_carried", kInOrder}}},
          beats_rules};
}

}  // namespace

const Showing<>& carryover_showing() {
  static const Showing<> kShowing = {
      .title = "Slot carryover",
      .lead = "Which of the values mentioned so far still hold? Six decoders and three rules.",
      .footer =
          "After Chen, Naik, He, Rastogi and Mathias, <cite>Improving Long Distance Slot Carryover "
          "in Spoken Dialogue Systems</cite>, 2019.",
      .variants_are = "decoders",
      .groups_are = "decoder",
      .rows_are = "decides",
      .claims_title = "Do the paper's claims hold here?",
      .claims_note =
          "\"Paper\" are printed numbers of its internal data (Table 3), which nobody else has; "
          "its longest distance is 3 turns of the user and more, here it is 6 turns of both. Its "
          "baseline is described elsewhere; independent decisions stand in for it.",
      .load = load,
      .tables = tables,
      .rules = claims(),
      .paper = paper_numbers("carryover", carryover_variants()),
      .sections = {{"f1", "F1 on the test part", shows("f1", true)},
                   {"distances", "By distance", shows("distances")},
                   {"inserted", "Turns of other dialogues in the history", shows("inserted", true)},
                   {"changes", "Against independent decisions", shows("changes", true)}}};
  return kShowing;
}

}  // namespace heed
