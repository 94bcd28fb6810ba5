// Many answers to one context, by the noise that a decoder reads (Olabiyi et al. 2019, section 3.4;
// dialog/respond/models/hred.h): for each dialogue of the batch `best_of` draws z ~ N(0, a I), each
// decoded greedily. The context is read once for all. Draws are keyed by (seed, id of the example,
// word): the first ones are the same for any number of draws and threads.
#pragma once

#include "dialog/respond/decode.h"

namespace heed {

// Its dialogues are the answers: all draws of the batch's first dialogue, then those of the second
// one ...; `examples` has the one of each answer. The model, the batch, the examples and the
// options must outlive it. Throws UsageError for a model trained without noise.
std::unique_ptr<Writer> noisy_writer(const Responder& model, const Batch& batch,
                                     const std::vector<const Example*>& examples,
                                     const DecodeOptions& options);
// These answers as a list for each dialogue of the batch, best first by DecodeOptions::rank.
std::vector<std::vector<Decoding>> ranked_answers(std::vector<std::vector<Decoding>> answers,
                                                  const Batch& batch, const DecodeOptions& options);

}  // namespace heed
