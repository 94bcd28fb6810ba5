// Dialogues to insert distractions into, and how often is often enough.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dialog/data/distraction.h"
#include "labs/support/check.h"

namespace heed::lab {

// A dialogue of `utterances` with words that nobody else has, and a pool that has them first, and
// then as many of another dialogue, two at least.
struct Insertion {
  Example example;
  Pool pool;

  explicit Insertion(int64_t utterances) {
    example.id = "example 1 of mine";  // a dialogue has several examples
    example.dialogue_id = "mine";
    for (int32_t k = 0; k < utterances; ++k) {
      example.context.push_back({10 + k});
      pool.push_back({"mine", {10 + k}});
    }
    for (int32_t k = 0; k < std::max<int64_t>(utterances, 2); ++k) {
      pool.push_back({"another", Utterance({1000 + k}, {"word"})});
    }
    example.distraction.assign(utterances, 0);
    example.response = {5, 6};
    example.characters = {.all = 9, .unknown = 2};
  }
};

constexpr int64_t kInsertions = 6000;

// A count is what it should be, up to six standard deviations of a count with probability p.
inline bool as_likely(int64_t count, double p) {
  const auto n = static_cast<double>(kInsertions);
  return std::fabs(static_cast<double>(count) - n * p) <= 6 * std::sqrt(n * p * (1 - p)) + 1;
}

// Where distraction 0 or 1 goes.
using Rule = std::function<int64_t(int64_t i, Rng& rng)>;

// How often a rule puts distractions at places 0 to `size` of a context of `size` utterances, which
// the first makes longer by one.
inline std::vector<int64_t> places(int64_t size, const Rule& rule) {
  Rng rng(seed(), "places");
  std::vector<int64_t> at(size + 2);
  for (int64_t k = 0; k < 8 * kInsertions; ++k) {
    const int64_t first = rule(0, rng), second = rule(1, rng);
    ++at[second];
    ++at[first + (second <= first)];
  }
  at.pop_back();
  return at;
}
// Whether counts may come of a rule, of which there are eight times as many.
inline bool fits(const std::vector<int64_t>& at, const std::vector<int64_t>& of_rule) {
  for (size_t k = 0; k < at.size(); ++k) {
    const double want = static_cast<double>(of_rule[k]) / 8;
    if (std::fabs(static_cast<double>(at[k]) - want) > 6 * std::sqrt(want) + 1) return false;
  }
  return true;
}

inline std::vector<std::pair<std::string, Rule>> wrong_places(int64_t size) {
  return {
      {"if a place is drawn among those of the context as it was: the first distraction has made "
       "it longer, so directly before the query stand too few",
       [=](int64_t, Rng& rng) { return rng.below(size); }},
      {"if the place directly before the query is none: below(size - 1)",
       [=](int64_t i, Rng& rng) { return rng.below(size + i - 1); }},
      {"if the place before all utterances is none",
       [=](int64_t i, Rng& rng) { return 1 + rng.below(size + i - 1); }},
      {"if all are put before the first utterance", [](int64_t, Rng&) { return 0; }},
      {"if all are put directly before the query", [=](int64_t i, Rng&) { return size + i - 1; }}};
}

}  // namespace heed::lab
