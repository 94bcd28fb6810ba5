// What a probe reads of dialogues: an encoder's representation, and two that know no order and no
// training, which every encoder is to be compared with.
#pragma once

#include <functional>

#include "dialog/data/packed_list.h"
#include "dialog/respond/responder.h"

namespace heed::probe {

// f32 (n, d) on the CPU: of each example what the model's encoder makes of its context
// (Responder::representation). Neither the batch size nor the number of threads changes it.
// `progress`, if given, is called after each batch with the examples and context tokens done so
// far.
Tensor encode(Responder& model, const std::vector<Example>& examples, Pooling pooling,
              int64_t batch_size,
              const std::function<void(int64_t examples, int64_t tokens)>& progress = {});

// The sum over the words of the context of a fixed random vector each, N(0, 1 / d), by (seed,
// word): f32 (n, d). The counts of the words through a random projection.
Tensor bag_of_words(const PackedList<Example>& examples, int64_t width, uint64_t seed);

// The length of the context, m tokens with <eou>, as a one-hot vector of min(m, 100) / 10: f32 (n,
// 11).
Tensor context_lengths(const PackedList<Example>& examples);

}  // namespace heed::probe
