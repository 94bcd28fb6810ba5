#include "experiment/tables.h"

#include "experiment/paper.h"

namespace heed {
namespace {

using Best = Column::Best;
using Get = std::optional<double> (*)(const ScoreSummary&);

// A number of a test set's summary.
struct Measure {
  const char *key, *name;
  Get get;
  int digits;
  bool percent;
  Best best;
};
const Measure kPerplexity = {"perplexity",
                             "perplexity",
                             [](const ScoreSummary& s) { return std::optional(s.perplexity); },
                             1,
                             false,
                             Best::kLowest};
const Measure kDas = {"das_ratio", "DAS ratio", [](const ScoreSummary& s) { return s.das_ratio; },
                      2,           false,       Best::kLowest};
const Measure kDistraction = {"as_distraction",
                              "AS distr. %",
                              [](const ScoreSummary& s) { return s.as_distraction; },
                              1,
                              true,
                              Best::kLowest};
const Measure kHistory = {
    "as_history", "AS history %", [](const ScoreSummary& s) { return s.as_history; }, 1,
    true,         Best::kNone};
const Measure kFirst = {"as_first", "AS first %", [](const ScoreSummary& s) { return s.as_first; },
                        1,          true,         Best::kNone};
const Measure kLast = {"as_last", "AS last %", [](const ScoreSummary& s) { return s.as_last; },
                       1,         true,        Best::kNone};

std::string label_of(const Variant& v) {
  return std::string(v.structure.name) + (v.attention_loss ? "" : ", no attention loss");
}

std::string group_of(const Variant& v) {
  return "p = " + v.probability();
}

// "random:0.5" -> "p = 0.5"; "rare:end" -> "end"
std::string place_of(size_t set) {
  const std::string name = set_name(set), rest = name.substr(name.find(':') + 1);
  return name.rfind("random", 0) == 0 ? "p = " + rest : rest;
}

std::string kind_of(size_t set) {
  const std::string name = set_name(set);
  return name.substr(0, name.find(':'));
}

// What a row has of its own, for the rows of all variants.
Row variant_row(const Results& results, size_t variant) {
  Row row{group_of(all_variants()[variant]), label_of(all_variants()[variant]), {}, {}};
  for (const RunResult* run : results.of(variant)) {
    row.sources.push_back(run->run.name() + "/evaluation.json");
  }
  return row;
}

template <class Value> Cell cell_over_seeds(const Results& results, size_t variant, Value value) {
  std::vector<double> values;
  for (const RunResult* run : results.of(variant)) {
    const std::optional<double> number = value(run->evaluation);
    if (!number) return {};
    values.push_back(*number);
  }
  const auto over_seeds = spread(values);
  return over_seeds ? Cell{.value = over_seeds->mean, .deviation = over_seeds->deviation} : Cell{};
}

struct Wanted {
  size_t set;
  Measure measure;
  std::string group, name;
};

Table make_table(const Results& results, const Inference& inference, Table table,
                 const std::vector<Wanted>& wanted) {
  for (const Wanted& w : wanted) {
    table.columns.push_back({w.group, w.name, "test_sets." + set_name(w.set) + "." + w.measure.key,
                             w.measure.digits, w.measure.percent, w.measure.best});
  }
  for (size_t v = 0; v < all_variants().size(); ++v) {
    Row row = variant_row(results, v);
    for (const Wanted& w : wanted) {
      Cell cell = cell_over_seeds(
          results, v, [&](const Evaluation& e) { return w.measure.get(e.sets[w.set].summary); });
      if (w.measure.get == kDas.get && inference.das_ratio[v][w.set - 1]) {
        cell.interval = inference.das_ratio[v][w.set - 1]->interval;
      }
      row.cells.push_back(cell);
    }
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  return table;
}

std::string of_dialogues(const Results& results) {
  return std::to_string(results.test_dialogues()) + " test dialogues, " +
         std::to_string(results.seeds()) + (results.seeds() == 1 ? " seed" : " seeds") + ". ";
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
                     .note = of_dialogues(results) +
                             "Perplexity and mean attention score (AS) of the history on the "
                             "original test set, DAS ratio on the nine distracting ones. 100 % is "
                             "an average utterance. Lower DAS ratios are better."},
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
                     .note = of_dialogues(results) +
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
                     .note = of_dialogues(results) + "The " + kind +
                             " phrases together at the begin, in the middle or at the end of the "
                             "history; first and last: AS of the first utterance and of the last "
                             "one before the query, which are distractions there."},
                    wanted);
}

Table paper_beside_ours(const Results& results) {
  Table table{.id = "paper",
              .title = "The paper's Table 3 beside ours",
              .note =
                  "The paper's models have 4 layers of 512 and a vocabulary of 25,000, and were "
                  "trained on 0.48 million dialogues and tested on 10 thousand. – cannot be "
                  "read in the scan of the paper that the numbers were taken from, ? is a "
                  "doubtful reading. Perplexities of different vocabularies and tokenizers "
                  "cannot be compared."};
  const auto pair = [&](const std::string& group, int digits, bool percent) {
    table.columns.push_back({group, "paper", "data/paper-tables.json", digits, percent});
    table.columns.push_back({group, "ours", "table3", digits, percent});
  };
  pair("perplexity", 1, false);
  pair("AS history %", 1, true);
  for (size_t s = 1; s < kSets; ++s) pair(set_name(s), 2, false);
  const MainTable ours = main_table(results);
  for (size_t v = 0; v < ours.size(); ++v) {
    Row row = variant_row(results, v);
    row.sources.push_back("data/paper-tables.json");
    const VariantNumbers &paper = paper_table().table[v], &our = ours[v];
    const auto add = [&](const std::optional<double>& a, const std::optional<double>& b,
                         bool doubtful = false) {
      row.cells.push_back({.value = a, .doubtful = doubtful && a});
      row.cells.push_back({.value = b});
    };
    add(paper.perplexity, our.perplexity);
    add(paper.history_as, our.history_as);
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      add(paper.das_ratio[s], our.das_ratio[s], paper_table().uncertain[v][s]);
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table changes(const Results& results, const Inference& inference) {
  Table table{.id = "changes",
              .title = "Change of the DAS ratio against the baseline",
              .note = of_dialogues(results) +
                      "Mean over dialogues of the DAS ratio minus that of the same structure "
                      "trained without distractions (p = 0), on the same dialogue. Intervals: 95 "
                      "%, percentile bootstrap over dialogues, " +
                      std::to_string(kResamples) +
                      " resamples; p-values after Holm's correction "
                      "for all " +
                      std::to_string(inference.comparisons) +
                      " comparisons. They say what chance in the test dialogues can do, not what "
                      "another training would give: for that see the spread over seeds."};
  for (size_t s = 1; s < kSets; ++s) {
    table.columns.push_back({kind_of(s), place_of(s), "test_sets." + set_name(s) + ".das_ratios", 3,
                             false, Best::kNone, true});
  }
  for (size_t v = 0; v < all_variants().size(); ++v) {
    const Variant& variant = all_variants()[v];
    if (variant.insert_prob == 0) continue;
    Row row = variant_row(results, v);
    const Variant base = variant.baseline();
    const size_t b = *find_variant(base.structure.name, base.insert_prob, base.attention_loss);
    for (const std::string& file : variant_row(results, b).sources) row.sources.push_back(file);
    for (size_t s = 0; s < kTestSets.size(); ++s) {
      const auto& change = inference.change[v][s];
      row.cells.push_back(change ? Cell{.value = change->mean,
                                        .interval = change->interval,
                                        .p_value = inference.corrected[v][s]}
                                 : Cell{});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table quality(const Results& results) {
  Table table{.id = "quality",
              .title = "Quality of generated responses",
              .note = of_dialogues(results) +
                      "Greedy responses without <unk>. BLEU: corpus BLEU-4 against the human "
                      "response, 0 to 100; distinct-n: different n-grams a word; length in words.",
              .columns = {{"", "BLEU", "responses.bleu", 2, true, Best::kHighest},
                          {"", "distinct-1", "responses.distinct_1", 4, false, Best::kHighest},
                          {"", "distinct-2", "responses.distinct_2", 4, false, Best::kHighest},
                          {"", "length", "responses.mean_length", 1, false}}};
  for (size_t v = 0; v < all_variants().size(); ++v) {
    Row row = variant_row(results, v);
    const auto add = [&](auto get) {
      row.cells.push_back(cell_over_seeds(results, v, [&](const Evaluation& e) {
        return std::optional<double>(get(e.responses));
      }));
    };
    add([](const ResponseQuality& q) { return q.bleu.value_or(0); });
    add([](const ResponseQuality& q) { return q.distinct_1; });
    add([](const ResponseQuality& q) { return q.distinct_2; });
    add([](const ResponseQuality& q) { return q.mean_length; });
    table.rows.push_back(std::move(row));
  }
  mark_best(table);
  Row human{"", "human responses", {}, {"samples.json"}, true};
  human.cells = {{},
                 {.value = results.human.distinct_1},
                 {.value = results.human.distinct_2},
                 {.value = results.human.mean_length}};
  table.rows.push_back(std::move(human));
  return table;
}

Table trainings(const Results& results) {
  Table table{.id = "runs",
              .title = "The trainings",
              .note =
                  "The best epoch is the one with the lowest validation perplexity; its model "
                  "is the one that is tested. Minutes: of one worker, as measured; epochs that "
                  "were interrupted are not in them.",
              .rows_are = "run",
              .columns = {{"", "seed", "seed", 0, false},
                          {"", "epochs", "epochs", 0, false},
                          {"", "best epoch", "best_epoch", 0, false},
                          {"", "valid. perplexity", "valid_perplexity", 1, false},
                          {"", "million parameters", "parameters", 2, false},
                          {"", "training, minutes", "times.json", 1, false},
                          {"", "tests, minutes", "times.json", 1, false}}};
  for (const RunResult& run : results.runs) {
    const Evaluation& e = run.evaluation;
    double seconds = 0;
    for (double epoch : run.times.epochs) seconds += epoch;
    Row row{group_of(run.run.get()), run.run.name(), {}, {run.run.name() + "/evaluation.json"}};
    for (const double value :
         {static_cast<double>(run.run.seed), static_cast<double>(e.epochs),
          static_cast<double>(e.best_epoch), e.valid_perplexity,
          static_cast<double>(e.parameters) / 1e6, seconds / 60, run.times.evaluation / 60}) {
      row.cells.push_back({.value = value});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

std::vector<Table> all_tables(const Results& results, const Inference& inference) {
  return {table3(results, inference),
          table4(results, inference),
          phrases_table(results, inference, "table5", 4),
          phrases_table(results, inference, "table6", 7),
          paper_beside_ours(results),
          changes(results, inference),
          quality(results),
          trainings(results)};
}

const Table& table_of(const std::vector<Table>& tables, const std::string& id) {
  for (const Table& table : tables) {
    if (table.id == id) return table;
  }
  throw InternalError("internal error: there is no table " + id);
}

}  // namespace heed
