// Real or not? Judgements of people, their majorities and a classifier beside each other.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/people/judgements.h"
#include "experiments/engine/stats/agreement.h"
#include "experiments/engine/stats/auc.h"
#include "experiments/measure/judged_rows.h"

namespace heed {

// The items that have judgements, and how many of each.
struct Votes {
  std::vector<size_t> items;  // places in the key
  RatingCounts counts;
};

Votes votes_of(const people::Key& key, const std::vector<people::Judgement>& judgements);

struct RealOrFake {
  std::vector<JudgedRow> rows;  // judgements, majority, classifier
  Agreement people;
  int64_t undecided = 0;  // items whose judgements are even
  // Of a classifier and the majority, where there are predictions.
  std::optional<Agreement> with_majority = {};
  std::optional<RankSum> ranks = {};  // of p_real; nothing where one class is missing
  std::optional<Estimate> auc = {};   // over items; nothing with fewer than two of a class
  int64_t only_people = 0, only_classifier = 0;
};
// `p_real` of each item of the key, by a classifier; empty without one. Intervals are over items.
RealOrFake judge_items(const people::Key& key, const Votes& votes,
                       const std::vector<double>& p_real, uint64_t seed);
// For people: a table, agreement and tests.
std::string text_of(const RealOrFake& judged, int width);

}  // namespace heed
