// The rows of the tables of report.json, but for those of agreement.cc.
#include <cmath>
#include <functional>
#include <map>

#include "experiments/adversarial/experiment.h"

namespace heed {
namespace {

// ---- tables 1 and 2

Row row_of(const AdversarialResults& results, const ScoredRow& scored, const std::string& group) {
  Row row{group, judge_label(results, scored), {}, variant_row(results, scored.variant).sources};
  row.cells.push_back({.value = static_cast<double>(scored.items)});
  for (const auto& score : scored.scores) row.cells.push_back(cell_of(score));
  if (scored.accuracy) row.cells[1].deviation = scored.accuracy->deviation;
  row.cells.push_back(cell_of(scored.auc));
  row.cells.back().interval = scored.auc_interval;
  row.cells.push_back({.value = scored.p_value});
  row.cells.push_back({.value = scored.at_threshold});
  row.cells.push_back(cell_of(scored.below));
  return row;
}

void add_paper(const std::string& set, Table& to) {
  const auto& [numbers, source] = adversarial_paper();
  for (size_t c = 0; c < std::size(kPaperCorpora); ++c) {
    for (const std::string judge : {"discriminator", "humans"}) {
      Row row{std::string("paper: ") + kPaperCorpora[c], judge, {{}}, {source}, true};
      for (const char* score : kScoreNames) {
        const std::string key = set + "." + judge + "." + score;
        row.cells.push_back(
            {.value = numbers.get(c, key), .doubtful = numbers.is_doubtful(c, key)});
      }
      row.cells.resize(to.columns.size());
      to.rows.push_back(std::move(row));
    }
  }
}

// Those of random responses, or of generated ones.
void add_scores(const AdversarialFound& found, bool random, Table& table) {
  for (const ScoredRow& row : found.rows.all()) {
    if ((row.set == kRandomSet) != random || row.scenario) continue;
    const std::string& corpus = found.results.corpora[row.corpus];
    table.rows.push_back(row_of(found.results, row, random ? corpus : corpus + ", " + row.set));
  }
  add_paper(random ? "random" : "generated", table);
}

// ---- the others

// Scenarios, each beside its ideal, and the mean error for each corpus.
void add_scenarios(const AdversarialFound& found, Table& table) {
  const auto& [results, rows] = found;
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    std::vector<double> errors;
    for (const ScoredRow& row : rows.all()) {
      if (row.corpus != c || !row.scenario || !row.scores[0]) continue;
      errors.push_back(std::fabs(row.scores[0]->value - row.scenario->ideal));
      table.rows.push_back({results.corpora[c],
                            row.scenario->name,
                            {{.value = static_cast<double>(row.items)},
                             cell_of(row.scores[0]),
                             {.value = row.scenario->ideal},
                             {.value = errors.back()}},
                            variant_row(results, row.variant).sources});
    }
    if (errors.size() > 1)
      table.rows.push_back(
          {results.corpora[c], "mean", {{}, {}, {}, {.value = spread(errors)->mean}}});
  }
}

// The name of a column's number, of a corpus and a generator.
std::string key_for(std::string key, const std::string& corpus, const std::string& generator = "") {
  replace_first(key, "CORPUS", corpus);
  replace_first(key, "GENERATOR", generator);
  return key;
}

// Attention of the discriminators, by class of passages.
void add_looks(const AdversarialResults& results, Table& table) {
  for (const std::string& corpus : results.corpora) {
    for (size_t v = 0; v < results.judges.size(); ++v) {
      if (!results.judges[v].is_discriminator()) continue;
      Row row{corpus, results.variants[v].name, {}, variant_row(results, v).sources};
      for (const Column& column : table.columns)
        row.cells.push_back(cell_over_seeds(results, v, key_for(column.key, corpus)));
      if (row.cells[0].value || row.cells[4].value) table.rows.push_back(std::move(row));
    }
  }
}

void add_generators(const AdversarialResults& results, Table& table) {
  for (size_t c = 0; c < results.corpora.size(); ++c) {
    const std::string& corpus = results.corpora[c];
    const size_t variant = results.discriminator_of(c);
    const auto runs = results.of(variant);
    if (runs.empty()) continue;
    for (const std::string& name : results.generators) {
      Row row{corpus, name, {}, variant_row(results, variant).sources};
      for (const Column& column : table.columns)
        row.cells.push_back({.value = runs[0]->numbers.value(key_for(column.key, corpus, name))});
      row.cells.back() = cell_of(passing_share(results, variant, c, name));
      table.rows.push_back(std::move(row));
    }
  }
}

}  // namespace

std::vector<Table> adversarial_tables(const AdversarialFound& found) {
  const AdversarialResults& results = found.results;
  const std::map<std::string, std::function<void(Table&)>> add_rows = {
      {"table1", [&](Table& table) { add_scores(found, true, table); }},
      {"table2", [&](Table& table) { add_scores(found, false, table); }},
      {"looks", [&](Table& table) { add_looks(results, table); }},
      {"generators", [&](Table& table) { add_generators(results, table); }},
      {"agreement", [&](Table& table) { add_agreement(results, table); }},
      {"reliability-of-measures", [&](Table& table) { add_measures(results, table); }},
      {"reliability", [&](Table& table) { add_scenarios(found, table); }}};
  std::vector<Table> tables = tables_without_rows(kAdversarialReport, results);
  for (Table& table : tables) {
    if (const auto add = add_rows.find(table.id); add != add_rows.end()) add->second(table);
  }
  std::erase_if(tables, [&](const Table& table) {
    const bool of_generators = table.id == "table2" || table.id == "generators" ||
                               table.id == "agreement" || table.id == "reliability-of-measures";
    return (of_generators && results.generators.empty()) ||
           (table.id == "reliability" && table.rows.empty());
  });
  return tables;
}

}  // namespace heed
