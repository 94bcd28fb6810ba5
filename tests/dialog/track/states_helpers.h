// Slots and states that are written by hand.
#pragma once

#include <string>
#include <vector>

#include "dialog/track/reader.h"

namespace heed::track {

inline Slots slots_of(const std::vector<std::string>& tokens) {
  TokenCounts counts;
  int64_t count = 1000;
  for (const std::string& token : tokens) counts[token] = count--;  // in this order
  return {Vocabulary::build(counts), "values.txt"};
}

inline const std::vector<std::string> kValues = {
    "area=none",     "area=north",           "food=dontcare",
    "food=european", "food=modern_european", "food=none"};

inline Conversation conversation(const std::vector<State>& states,
                                 std::vector<std::string> texts = {}) {
  Conversation c{"c", {}};
  texts.resize(states.size());
  for (size_t i = 0; i < states.size(); ++i) c.turns.push_back({texts[i], {}, {}, {}, states[i]});
  return c;
}

}  // namespace heed::track
