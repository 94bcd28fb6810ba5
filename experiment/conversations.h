// Which test examples come from one conversation, so that resampling does not take them for
// independent: examples of one dialogue (--examples all), and dialogues that share text, as those
// of several pairs of people in one conversation do (data/README.md).
#pragma once

#include <vector>

#include "dialog/example.h"

namespace heed {

// Two dialogues are of one conversation if they share an utterance of so many characters or more,
// as it was read; shorter ones ("did that work?") come up by themselves.
constexpr size_t kSharedCharacters = 40;

// For each example the number of its conversation, from 0 in the order of the examples. `dialogues`
// are those that the examples were made of; dialogues of one name are one. Utterances that the data
// mark as distractions belong to no conversation.
std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<Example>& examples);

}  // namespace heed
