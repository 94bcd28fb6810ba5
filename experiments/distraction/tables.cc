#include "experiments/distraction/tables.h"

#include "experiments/distraction/tables_parts.h"

namespace heed {
namespace {

using Best = Column::Best;

// A number of a test set's summary, and how sure it is. Set 0 is the original one.
struct Measure {
  const char *key, *name;
  SummaryNumber number;  // none: the perplexity
  int digits;
  bool percent;
  Best best;
  std::optional<Estimate> (*estimate)(const Inference&, size_t variant, size_t set);

  std::optional<double> get(const ScoreSummary& s) const {
    return number ? s.*number : std::optional(s.perplexity);
  }
};

std::optional<Estimate> of_perplexity(const Inference& i, size_t v, size_t) {
  return i.perplexity[v];
}
std::optional<Estimate> of_ratio(const Inference& i, size_t v, size_t s) {
  return i.das_ratio[v][s - 1];
}
std::optional<Estimate> of_distraction(const Inference& i, size_t v, size_t s) {
  return i.as_distraction[v][s - 1];
}
std::optional<Estimate> of_history(const Inference& i, size_t v, size_t s) {
  return s == 0 ? i.history_as[v] : i.as_history[v][s - 1];
}
std::optional<Estimate> none(const Inference&, size_t, size_t) {
  return std::nullopt;
}

using S = ScoreSummary;
const Measure kPerplexity = {"perplexity", "perplexity",  nullptr,      1,
                             false,        Best::kLowest, of_perplexity};
const Measure kDas = {"das_ratio", "DAS ratio", &S::das_ratio, 2, false, Best::kLowest, of_ratio};
const Measure kDistraction = {"as_distraction", "AS distr. %", &S::as_distraction, 1, true,
                              Best::kLowest,    of_distraction};
const Measure kHistory = {"as_history", "AS history %", &S::as_history, 1,
                          true,         Best::kNone,    of_history};
const Measure kFirst = {"as_first", "AS first %", &S::as_first, 1, true, Best::kNone, none};
const Measure kLast = {"as_last", "AS last %", &S::as_last, 1, true, Best::kNone, none};

struct Wanted {
  size_t set;
  Measure measure;
  std::string group, name;
};

Cell make_cell(const Results& results, const Inference& inference, size_t variant,
               const Wanted& w) {
  const auto of_set = [&](const auto& get) {
    return cell_over_seeds(results, variant,
                           [&](const Evaluation& e) { return get(e.sets[w.set].summary); });
  };
  Cell cell = of_set([&](const ScoreSummary& s) { return w.measure.get(s); });
  if (const auto estimate = w.measure.estimate(inference, variant, w.set)) {
    cell.interval = estimate->interval;
  }
  if (w.measure.number == &S::das_ratio) {
    cell.mean_of_ratios = of_set([](const S& s) { return s.mean_das_ratio; }).value;
    cell.median_of_ratios = of_set([](const S& s) { return s.median_das_ratio; }).value;
  }
  return cell;
}

Table make_table(const Results& results, const Inference& inference, Table table,
                 const std::vector<Wanted>& wanted) {
  for (const Wanted& w : wanted) {
    table.columns.push_back({w.group, w.name, "test_sets." + set_name(w.set) + "." + w.measure.key,
                             w.measure.digits, w.measure.percent, w.measure.best});
  }
  for (size_t v = 0; v < all_variants().size(); ++v) {
    Row row = variant_row(results, v);
    for (const Wanted& w : wanted) row.cells.push_back(make_cell(results, inference, v, w));
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  return table;
}

Table table3(const Results& results, const Inference& inference) {
  std::vector<Wanted> wanted = {{0, kPerplexity, "original test set", "perplexity"},
                                {0, kHistory, "original test set", "AS history %"}};
  for (size_t s = 1; s < kSets; ++s) {
    wanted.push_back({s, kDas, "DAS ratio, " + kind_of(s), place_of(s)});
  }
  return make_table(results, inference,
                    {.id = "table3",
                     .title = "Table 3: DAS ratios of the 23 variants",
                     .note = of_dialogues(results) + of_intervals(results) +
                             "Perplexity and mean attention score (AS) of the history on the "
                             "original test set, DAS ratio on the nine distracting ones. 100 % is "
                             "an average utterance. DAS ratio: mean AS of the distractions over "
                             "mean AS of the history; lower is better."},
                    wanted);
}

Table table4(const Results& results, const Inference& inference) {
  std::vector<Wanted> wanted;
  for (size_t s = 1; s <= 3; ++s) {
    for (const Measure& m : {kDas, kDistraction, kHistory}) {
      wanted.push_back({s, m, "random, " + place_of(s), m.name});
    }
  }
  return make_table(results, inference,
                    {.id = "table4",
                     .title = "Table 4: random distractions",
                     .note = of_dialogues(results) + of_intervals(results) +
                             "Two utterances of the training dialogues, each inserted with "
                             "probability p at a random place of the history."},
                    wanted);
}

// Tables 5 and 6: three sets from `first` on.
Table phrases_table(const Results& results, const Inference& inference, const std::string& id,
                    size_t first) {
  const std::string kind = kind_of(first);
  std::vector<Wanted> wanted;
  for (size_t s = first; s < first + 3; ++s) {
    std::vector<Measure> measures = {kDas, kDistraction, kHistory};
    if (s == first) measures.push_back(kFirst);
    if (s == first + 2) measures.push_back(kLast);
    for (const Measure& m : measures) wanted.push_back({s, m, place_of(s), m.name});
  }
  return make_table(results, inference,
                    {.id = id,
                     .title = "Table " + id.substr(5) + ": " + kind + " distractions",
                     .note = of_dialogues(results) + of_intervals(results) + "The " + kind +
                             " phrases together at the begin, in the middle or at the end of the "
                             "history; first and last: AS of the first and of the last original "
                             "utterance of the history, which the phrases stand before or behind."},
                    wanted);
}

}  // namespace

std::vector<Table> all_tables(const Results& results, const Inference& inference) {
  std::vector<Table> tables = {table3(results, inference),
                               table4(results, inference),
                               phrases_table(results, inference, "table5", 4),
                               phrases_table(results, inference, "table6", 7),
                               ratios_table(results),
                               changes_table(results, inference),
                               quality_table(results),
                               trainings_table(results)};
  for (Table& table : tables_beside(results)) tables.push_back(std::move(table));
  return tables;
}

const Table& table_of(const std::vector<Table>& tables, const std::string& id) {
  for (const Table& table : tables) {
    if (table.id == id) return table;
  }
  throw InternalError("internal error: there is no table " + id);
}

}  // namespace heed
