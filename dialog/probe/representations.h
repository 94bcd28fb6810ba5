// What a probe reads of dialogues: an encoder's representation, and two that know no order and no
// training, which every encoder is to be compared with.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/packed_list.h"
#include "dialog/respond/encoder.h"

namespace heed::probe {

using heed::encode;  // what a response model makes of contexts

// The sum over the words of the context of a fixed random vector each, N(0, 1 / d), by (seed,
// word): f32 (n, d). The counts of the words through a random projection.
Tensor bag_of_words(const PackedList<Example>& examples, int64_t width, uint64_t seed);
// The same of texts, whose words are numbered as they come.
Tensor bag_of_words(const std::vector<std::string>& texts, int64_t width, uint64_t seed);

// The length of the context, m tokens with <eou>, as a one-hot vector of min(m, 100) / 10: f32 (n,
// 11).
Tensor context_lengths(const PackedList<Example>& examples);

}  // namespace heed::probe
