#include "experiments/measure/real_or_fake.h"

#include <algorithm>

#include "dialog/text/text_table.h"
#include "experiments/measure/measure_json.h"

namespace heed {

using Json = nlohmann::ordered_json;
using discriminate::Confusion;
using people::Key;

namespace {

// Single judgements.
JudgedRow people_of(const Key& key, const Votes& votes) {
  JudgedRow row{.name = "judgements"};
  for (size_t i = 0; i < votes.items.size(); ++i) {
    const int64_t as_real = votes.counts[i][people::kReal],
                  as_fake = votes.counts[i][people::kFake];
    const bool real = key.items[votes.items[i]].truth == people::kReal;
    row.items.push_back(real ? Confusion{.real_as_real = as_real, .real_as_fake = as_fake}
                             : Confusion{.fake_as_real = as_real, .fake_as_fake = as_fake});
  }
  return row;
}

// One choice for each item; an item without counts if there is none, as in a tie.
using Choices = std::vector<std::optional<bool>>;  // judged real?

JudgedRow row_of(const std::string& name, const Key& key, const Votes& votes,
                 const Choices& choices) {
  JudgedRow row{.name = name, .items = std::vector<Confusion>(votes.items.size())};
  for (size_t i = 0; i < choices.size(); ++i) {
    const bool real = key.items[votes.items[i]].truth == people::kReal;
    if (choices[i]) row.items[i].add(real, *choices[i]);
  }
  return row;
}

Choices majority_of(const Votes& votes) {
  Choices choices;
  for (const auto& n : votes.counts) {
    choices.push_back(n[0] == n[1] ? std::nullopt
                                   : std::optional(n[people::kReal] > n[people::kFake]));
  }
  return choices;
}

void add_classifier(RealOrFake& numbers, const Key& key, const Votes& votes,
                    const std::vector<double>& p_real, uint64_t seed) {
  Choices choices;
  ScoredItems scored;
  for (const size_t item : votes.items) {
    choices.push_back(p_real[item] >= 0.5);
    scored.add(key.items[item].truth == people::kReal, p_real[item], static_cast<int>(item));
  }
  numbers.rows.push_back(row_of("classifier", key, votes, choices));
  if (!scored.positive.empty() && !scored.negative.empty())
    numbers.ranks = rank_sum(scored.positive, scored.negative);
  numbers.auc = clustered_auc({std::move(scored)});
  const Choices majority = majority_of(votes);
  RatingCounts both;
  for (size_t i = 0; i < choices.size(); ++i) {
    if (!majority[i]) continue;
    const int64_t real = *majority[i] + *choices[i];
    both.push_back({real, 2 - real});
    const bool truth = key.items[votes.items[i]].truth == people::kReal;
    numbers.only_people += *majority[i] == truth && *choices[i] != truth;
    numbers.only_classifier += *majority[i] != truth && *choices[i] == truth;
  }
  numbers.with_majority = fleiss_pi(both, seed);
}

Json with_test(const JudgedRow& row) {
  Json json = to_json(row);
  json["p_against_chance"] = against_chance(row).p_value;
  return json;
}

}  // namespace

Votes votes_of(const Key& key, const std::vector<people::Judgement>& judgements) {
  std::vector<std::vector<int64_t>> all(key.items.size(), std::vector<int64_t>(2));
  for (const people::Judgement& j : judgements) ++all[j.item][static_cast<size_t>(j.choice)];
  Votes votes;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i][0] + all[i][1] == 0) continue;
    votes.items.push_back(i);
    votes.counts.push_back(all[i]);
  }
  return votes;
}

RealOrFake judge_items(const Key& key, const Votes& votes, const std::vector<double>& p_real,
                       uint64_t seed) {
  const Choices majority = majority_of(votes);
  RealOrFake numbers{.rows = {people_of(key, votes), row_of("majority", key, votes, majority)},
                     .people = fleiss_pi(votes.counts, seed),
                     .undecided = std::count(majority.begin(), majority.end(), std::nullopt)};
  if (!p_real.empty()) add_classifier(numbers, key, votes, p_real, seed);
  for (JudgedRow& row : numbers.rows) measure(row, seed);
  return numbers;
}

std::string text_of(const RealOrFake& n, int width) {
  const auto test = [](const JudgedRow& row) { return p_equation(against_chance(row).p_value); };
  std::string text = text_table(columns_of(n.rows), width) +
                     "Fleiss' pi of the annotators: " + interval_text(n.people.pi, 3) + ", over " +
                     std::to_string(n.people.items) +
                     " items\nmajority against chance: " + test(n.rows[1]) +
                     "; undecided items: " + std::to_string(n.undecided) + "\n";
  if (!n.with_majority) return text;
  return text + "classifier against chance: " + test(n.rows[2]) + "; AUC " +
         auc_text(n.ranks, n.auc) +
         "; pi with the majority: " + interval_text(n.with_majority->pi, 3) +
         "\nright is only the majority: " + std::to_string(n.only_people) +
         " items, only the classifier: " + std::to_string(n.only_classifier) + "; McNemar " +
         p_equation(mcnemar_test(n.only_people, n.only_classifier)) + "\n";
}

Json to_json(const Agreement& a) {
  return {{"pi", to_json(a.pi)},
          {"observed", a.observed},
          {"expected", a.expected},
          {"items", a.items},
          {"left_out", a.left_out}};
}

Json to_json(const people::Screened& s) {
  return {{"annotators", s.annotators}, {"failed", s.failed},   {"too_few", s.too_few},
          {"checks", s.checks},         {"dropped", s.dropped}, {"cut", s.cut},
          {"judgements", s.list.size()}};
}

Json to_json(const RealOrFake& n) {
  Json json = {{"pi", to_json(n.people)},
               {"judgements", to_json(n.rows[0])},
               {"majority", with_test(n.rows[1])}};
  json["majority"]["undecided"] = n.undecided;
  if (!n.with_majority) return json;
  json["classifier"] = with_test(n.rows[2]);
  json["classifier"]["auc"] = n.ranks ? Json(n.ranks->auc) : Json();
  json["classifier"]["auc_interval"] = interval_json(n.auc);
  json["classifier"]["p_rank_sum"] = n.ranks ? Json(n.ranks->p_value) : Json();
  json["classifier"]["with_majority"] = to_json(*n.with_majority);
  json["classifier"]["only_majority_right"] = n.only_people;
  json["classifier"]["only_classifier_right"] = n.only_classifier;
  json["classifier"]["p_mcnemar"] = mcnemar_test(n.only_people, n.only_classifier);
  return json;
}

}  // namespace heed
