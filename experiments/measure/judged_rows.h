// Rows of a table of judges (people, a majority, a classifier) who said of items whether they are
// real: accuracy, and precision, recall and F1 of both classes, with 95 % intervals.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/discriminate/confusion.h"
#include "experiments/engine/stats/hypothesis.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

struct JudgedRow {
  std::string name;
  std::vector<discriminate::Confusion> items = {};    // what was chosen, item by item
  std::vector<std::optional<Estimate>> metrics = {};  // in the order of the columns
};

// Makes the metrics. Intervals are of a bootstrap over clusters of items, of which cluster[i] is
// that of item i, from 0; over items where it is empty.
void measure(JudgedRow& row, uint64_t seed, const std::vector<int>& cluster = {});

// Of each metric, in the order of the columns, its sums within each of so many clusters; cluster[i]
// is that of item i.
std::vector<Quotient> metric_sums(const std::vector<discriminate::Confusion>& items,
                                  const std::vector<int>& cluster, size_t clusters);

discriminate::Confusion sum(const std::vector<discriminate::Confusion>& items);
// The exact test against chance of one choice for each item.
BinomialTest against_chance(const JudgedRow& row);

// "0.74 [0.71, 0.77]"; without the interval where there is none, "-" without both.
std::string auc_text(const std::optional<RankSum>& ranks, const std::optional<Estimate>& auc);

// The columns of a table: names, then the metrics with their intervals.
std::vector<std::vector<std::string>> columns_of(const std::vector<JudgedRow>& rows);

}  // namespace heed
