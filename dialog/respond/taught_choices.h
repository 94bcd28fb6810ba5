// What a model finds most probable at each place of the human response.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/respond/responder.h"

namespace heed {

// For each example, in their order, the most probable token at the places 1 .. n + 1 of its
// response of n tokens, given the response's own tokens before that place; up to the first <eos>,
// which is left out. Which tokens may come is the rule of DecodeOptions. Such text is better than
// what the model writes on its own, whose mistakes it has to go on from: Parthasarathi, Pineau &
// Chandar (2020) measure one model by it and the others not.
std::vector<std::vector<int32_t>> taught_choices(Responder& model,
                                                 const std::vector<const Example*>& examples,
                                                 bool allow_unk = false);

// For each example how many of these n + 1 places have the response's own token, <eos> last, as the
// most probable of all tokens. Batches change no result.
std::vector<int64_t> taught_right(Responder& model, const std::vector<Example>& examples,
                                  int64_t batch_size);

}  // namespace heed
