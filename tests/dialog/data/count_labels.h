#pragma once

#include <vector>

#include "dialog/data/dialogue.h"

namespace heed {

// The number of values of all labels of the dialogues, without candidates and sentences of
// personas.
inline size_t count_labels(const std::vector<Dialogue>& dialogues) {
  size_t count = 0;
  const auto add = [&](const Labels& labels) {
    for (const auto& [name, values] : labels) count += values.size();
  };
  for (const Dialogue& dialogue : dialogues) {
    add(dialogue.notes->labels);
    for (const Turn& turn : dialogue.turns) add(turn.notes->labels);
  }
  return count;
}

}  // namespace heed
