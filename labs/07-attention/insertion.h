// Dialogues to insert distractions into, and how often is often enough.
#pragma once

#include <cmath>
#include <cstdint>

#include "dialog/data/distraction.h"

namespace heed::lab {

// A dialogue of `utterances` with words that nobody else has, and a pool in which every second
// utterance is its own.
struct Insertion {
  Example example;
  Pool pool;

  explicit Insertion(int64_t utterances) {
    example.id = example.dialogue_id = "mine";
    for (int32_t k = 0; k < utterances; ++k) {
      example.context.push_back({10 + k});
      pool.push_back({"mine", {10 + k}});
      pool.push_back({"another", {1000 + k}});
    }
    example.distraction.assign(utterances, 0);
    example.response = {5, 6};
  }
};

constexpr int64_t kInsertions = 6000;

// A count is what it should be, up to six standard deviations of a count with probability p.
inline bool as_likely(int64_t count, double p) {
  const auto n = static_cast<double>(kInsertions);
  return std::fabs(static_cast<double>(count) - n * p) <= 6 * std::sqrt(n * p * (1 - p)) + 1;
}

}  // namespace heed::lab
