// A model's most probable tokens under teacher forcing: at each position of the human response.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/respond/responder.h"

namespace heed {

// For each example, in order, the most probable tokens at the positions 1 .. n + 1 of its response
// of n tokens, given the response's own tokens before each position; up to the first <eos>, which
// is left out. DecodeOptions says which tokens may occur. Such text is better than text that the
// model writes on its own, where it must continue from its mistakes: Parthasarathi, Pineau &
// Chandar (2020) measure one model by the former and the others by the latter.
std::vector<std::vector<int32_t>> taught_choices(Responder& model,
                                                 const std::vector<const Example*>& examples,
                                                 bool allow_unk = false);

// For each example, the number of these n + 1 positions where the response's own token, <eos> last,
// is the most probable of all tokens. Batches change no result.
std::vector<int64_t> taught_right(Responder& model, const std::vector<Example>& examples,
                                  int64_t batch_size);

}  // namespace heed
