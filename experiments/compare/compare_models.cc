#include "experiments/compare/compare_models.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dialog/text/format.h"
#include "dialog/text/measures.h"
#include "experiments/engine/report/estimate_json.h"

namespace heed {
namespace {

constexpr const char *kPerplexity = "perplexity", *kBits = "bits_per_character",
                     *kDasRatio = "das_ratio", *kAccuracy = "accuracy";

// The measure of responses with this key; null for other measures.
const TextMeasure* text_measure(const std::string& key) {
  const auto& all = text_measures();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const TextMeasure& m) { return m.key == key; });
  return found == all.end() ? nullptr : &*found;
}

Quotient quotient_of(const TestSetResult& result, const std::string& measure,
                     const std::vector<int>& conversations) {
  Series top, bottom;
  for (const ExampleResult& e : result.examples) {
    const double bits = std::numbers::ln2 * static_cast<double>(e.characters.all);
    top.push_back(measure == kDasRatio   ? e.means.distraction
                  : measure == kAccuracy ? std::optional<double>(e.right)
                                         : e.nll);
    bottom.push_back(measure == kDasRatio ? e.means.history
                     : measure == kBits   ? bits
                                          : static_cast<double>(e.tokens));
  }
  return quotient(top, bottom, conversations);
}

// Of a measure of single responses: its mean.
Quotient quotient_of(const ComparedModel& model, const TextMeasure& measure,
                     const std::vector<int>& conversations) {
  Series values;
  for (size_t i = 0; i < model.responses.size(); ++i) {
    values.push_back(measure.value({model.responses[i]}, {model.references[i]}));
  }
  return mean_quotient(values, conversations);
}

// The measures of a test set.
std::vector<std::string> measures_of(const std::string& set,
                                     const std::vector<ComparedModel>& models) {
  if (set != "none") return {kDasRatio};
  const bool same = std::all_of(models.begin(), models.end(), [&](const ComparedModel& model) {
    return model.vocabulary == models[0].vocabulary;
  });
  std::vector<std::string> measures = {kPerplexity};
  if (!same) measures.push_back(kBits);
  if (models[0].results[0].summary.accuracy) measures.push_back(kAccuracy);
  return measures;
}

// Adds the numbers of the groups. Perplexities over different words have no change.
void add_numbers(ComparedRow& row, const std::vector<ComparedGroup>& groups,
                 const std::vector<ComparedModel>& models, Resampled* of_models) {
  const bool perplexity = row.measure == kPerplexity;
  Resampled first;
  for (const ComparedGroup& group : groups) {
    std::vector<const Resampled*> seeds;
    std::vector<double> values;
    bool comparable = true;
    for (const size_t r : group.models) {
      if (perplexity) of_models[r] = exponential(std::move(of_models[r]));
      seeds.push_back(&of_models[r]);
      values.push_back(of_models[r].value);
      comparable = comparable && (!perplexity || models[r].vocabulary == models[0].vocabulary);
    }
    Resampled mean = over_seeds(seeds);
    row.values.push_back(estimate(mean));
    row.deviations.push_back(spread(values)->deviation);
    const bool is_first = &group == &groups[0];
    row.changes.push_back(is_first || !comparable ? std::nullopt
                                                  : estimate(difference(mean, first)));
    if (is_first) first = std::move(mean);
  }
}

// Adds the numbers of a measure of all responses together.
void add_whole(ComparedRow& row, const std::vector<ComparedGroup>& groups,
               const std::vector<ComparedModel>& models) {
  const TextMeasure& measure = *text_measure(row.measure);
  for (const ComparedGroup& group : groups) {
    std::vector<double> values;
    for (const size_t r : group.models) {
      values.push_back(measure.value(models[r].responses, models[r].references));
    }
    const Spread over = *spread(values);
    row.values.emplace_back().emplace().value = over.mean;
    row.deviations.push_back(over.deviation);
    row.changes.emplace_back().emplace().value = over.mean - row.values[0]->value;
  }
  row.changes[0] = std::nullopt;
}

// Corrects the p-values of all rows as one family.
void correct(std::vector<ComparedRow>& rows) {
  std::vector<double> p_values;
  for (const ComparedRow& row : rows) {
    for (const auto& change : row.changes) {
      if (row.has_p(change)) p_values.push_back(change->p_value);
    }
  }
  const std::vector<double> corrected = holm(p_values);
  size_t at = 0;
  for (ComparedRow& row : rows) {
    for (const auto& change : row.changes) {
      row.corrected.push_back(row.has_p(change) ? corrected[at++] : NAN);
    }
  }
}

}  // namespace

std::string ComparedRow::title() const {
  const TextMeasure* of_texts = text_measure(measure);
  return of_texts                 ? of_texts->title
         : measure == kPerplexity ? "perplexity"
         : measure == kBits       ? "bits per character"
         : measure == kAccuracy   ? "accuracy of the next token"
                                  : "DAS ratio, " + set;
}

bool ComparedRow::of_examples() const {
  const TextMeasure* of_texts = text_measure(measure);
  return !of_texts || of_texts->is_mean;
}

int ComparedRow::digits() const {
  if (!of_examples()) return 4;
  std::vector<std::optional<Estimate>> all = values;
  all.insert(all.end(), changes.begin(), changes.end());
  return digits_of(all);
}

std::string ComparedRow::text(const std::optional<Estimate>& number, bool change) const {
  if (of_examples() || !number) return interval_text(number, digits(), change);
  return (change && number->value > 0 ? "+" : "") + decimal(number->value, digits());
}

std::vector<ComparedRow> compare_models(const std::vector<ComparedModel>& models,
                                        const std::vector<ComparedGroup>& groups,
                                        const std::vector<int>& cluster) {
  std::vector<Quotient> quotients;
  std::vector<ComparedRow> rows;
  for (size_t s = 0; s < models[0].results.size(); ++s) {
    const std::string& set = models[0].results[s].name;
    for (const std::string& measure : measures_of(set, models)) {
      rows.push_back({set, measure, {}, {}, {}});
      for (const ComparedModel& model : models) {
        quotients.push_back(quotient_of(model.results[s], measure, cluster));
      }
    }
  }
  for (const TextMeasure& measure : text_measures()) {
    if (models[0].responses.empty()) break;
    rows.push_back({"none", measure.key, {}, {}, {}});
    if (!measure.is_mean) continue;
    for (const ComparedModel& model : models) {
      quotients.push_back(quotient_of(model, measure, cluster));
    }
  }
  std::vector<Resampled> resampled = bootstrap(quotients);
  Resampled* of_row = resampled.data();
  for (ComparedRow& row : rows) {
    if (row.of_examples()) {
      add_numbers(row, groups, models, of_row);
      of_row += models.size();
    } else {
      add_whole(row, groups, models);
    }
  }
  correct(rows);
  return rows;
}

size_t comparisons(const std::vector<ComparedRow>& rows) {
  size_t count = 0;
  for (const ComparedRow& row : rows) {
    count += static_cast<size_t>(std::count_if(row.changes.begin(), row.changes.end(),
                                               [&](const auto& c) { return row.has_p(c); }));
  }
  return count;
}

Table comparison_table(const std::vector<ComparedRow>& rows,
                       const std::vector<ComparedModel>& models,
                       const std::vector<ComparedGroup>& groups, const std::string& note) {
  Table table{.id = "compare",
              .title = "Comparison",
              .note = note,
              .rows_are = "run",
              .groups_are = "measure",
              .columns = {{.name = "value"},
                          {.name = "change", .sign = true},
                          {.name = "p", .digits = 4, .p_value = true}},
              .intervals = true};
  for (const ComparedRow& row : rows) {
    const auto cell = [&, digits = row.digits()](const std::optional<Estimate>& e) {
      if (!e) return Cell{};
      Cell of{.value = e->value, .digits = digits};
      if (row.of_examples()) of.interval = e->interval;
      return of;
    };
    for (size_t g = 0; g < groups.size(); ++g) {
      Row line{row.title(), groups[g].name};
      line.cells = {cell(row.values[g]), cell(row.changes[g]), {}};
      line.cells[0].deviation = row.deviations[g];
      if (row.has_p(row.changes[g])) line.cells[2].value = row.corrected[g];
      for (const size_t m : groups[g].models) line.sources.push_back(models[m].path);
      table.rows.push_back(std::move(line));
    }
  }
  return table;
}

}  // namespace heed
