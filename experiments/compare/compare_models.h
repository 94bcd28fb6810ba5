// Models beside each other on the same examples: each number with its interval, and by how much it
// differs from that of the first.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/evaluate.h"
#include "dialog/text/overlap.h"
#include "dialog/text/vocabulary.h"
#include "experiments/engine/report/table.h"

namespace heed {

// What was measured of a model, on one test set after another.
struct ComparedModel {
  std::string name, path;
  Vocabulary vocabulary = {};
  std::vector<TestSetResult> results = {};
  std::vector<Tokens> responses = {}, references = {};  // to the examples, if they are measured
};

// Models that count as one: one alone, or several seeds of the same settings, over which numbers
// are averaged.
struct ComparedGroup {
  std::string name;
  std::vector<size_t> models;
};

// A number of every group.
struct ComparedRow {
  // "perplexity", exp(sum of nll / tokens), and of models with other vocabularies
  // "bits_per_character", where it was asked for "accuracy", on the original set; "das_ratio",
  // mean D / mean H, on others; of responses to the original set the keys of text_measures().
  std::string set, measure;
  // Minus the first group's: nothing for that one, and for perplexities over different words.
  std::vector<std::optional<Estimate>> values, changes;
  std::vector<std::optional<double>> deviations;  // over the models of a group
  std::vector<double> corrected = {};             // the changes' p-values, after Holm

  std::string title() const;  // "DAS ratio, random:1.0"
  int digits() const;         // with which it is printed
  // Whether it is made of numbers of the examples; those of all responses together have no
  // intervals and p-values.
  bool of_examples() const;
  bool has_p(const std::optional<Estimate>& change) const { return change && of_examples(); }
  // "0.72 [0.69, 0.75]", "-"; a change has its sign.
  std::string text(const std::optional<Estimate>& number, bool change = false) const;
};

// Rows by test set, with intervals and paired p-values over clusters; cluster[e] is that of example
// e. The p-values are corrected as one family.
std::vector<ComparedRow> compare_models(const std::vector<ComparedModel>& models,
                                        const std::vector<ComparedGroup>& groups,
                                        const std::vector<int>& cluster);

// How many changes have p-values.
size_t comparisons(const std::vector<ComparedRow>& rows);

// A line a row and group: value, change and corrected p.
Table comparison_table(const std::vector<ComparedRow>& rows,
                       const std::vector<ComparedModel>& models,
                       const std::vector<ComparedGroup>& groups, const std::string& note);

}  // namespace heed
