// A probe's inputs: an encoder's representation, and two baselines without order or training, with
// which every encoder should be compared.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/packed_list.h"
#include "dialog/respond/encoder.h"

namespace heed::probe {

using heed::encode;  // a response model's vectors of contexts

// The sum over the words of the context of a fixed random vector each, N(0, 1 / d), by (seed,
// word): f32 (n, d). The counts of the words through a random projection.
Tensor bag_of_words(const PackedList<Example>& examples, int64_t width, uint64_t seed);
// The same for texts, whose words are numbered in order of appearance.
Tensor bag_of_words(const std::vector<std::string>& texts, int64_t width, uint64_t seed);

// The length of the context, m tokens with <eou>, as a one-hot vector of min(m, 100) / 10: f32 (n,
// 11).
Tensor context_lengths(const PackedList<Example>& examples);

}  // namespace heed::probe
