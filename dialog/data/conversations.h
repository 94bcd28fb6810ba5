// Which test examples come from one conversation, so that resampling does not take them for
// independent: examples of one dialogue (--examples all), and dialogues that share text, as those
// of several pairs of people in one conversation do (data/README.md).
#pragma once

#include <vector>

#include "dialog/data/example.h"

namespace heed {

// For each of the dialogues at these places, in which a dialogue can stand several times, the
// number of its conversation (SplitBy::kConversation of dialog/data/split.h), from 0 in their
// order.
std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<size_t>& places);
// For each example. `dialogues` are those that the examples were made of.
std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<Example>& examples);

}  // namespace heed
