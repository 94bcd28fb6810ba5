// Which test examples come from one conversation, so that resampling does not treat them as
// independent: examples of one dialogue (--examples all), and dialogues that share text, such as
// those of several pairs of people in one conversation (data/README.md).
#pragma once

#include <vector>

#include "dialog/data/example.h"

namespace heed {

// For each of the dialogues at these indices, which may repeat, the number of its conversation
// (SplitBy::kConversation of dialog/data/split.h). Conversations are numbered from 0 in the order
// of their first dialogues.
std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<size_t>& places);
// The same for each example. The examples were made from `dialogues`.
std::vector<int> conversations(const std::vector<Dialogue>& dialogues,
                               const std::vector<Example>& examples);

}  // namespace heed
