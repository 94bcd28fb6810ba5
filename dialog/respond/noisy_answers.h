// Many answers to one context, by the noise that a decoder reads (Olabiyi et al. 2019, section 3.4;
// dialog/respond/models/hred.h): for each dialogue of the batch `best_of` draws z ~ N(0, a I), each
// decoded greedily. The context is read once for all. Draws are keyed by (seed, id of the example,
// word): the first ones are the same for any number of draws and threads.
#pragma once

#include "dialog/respond/decode.h"

namespace heed {

// For each dialogue, in batch order, its answers in the order of the draws; log_prob is that of an
// answer with its own noise. Throws UsageError for a model trained without noise.
std::vector<std::vector<Decoding>> noisy_answers(const Responder& model, const Batch& batch,
                                                 const std::vector<const Example*>& examples,
                                                 const DecodeOptions& options);
// These answers, best first by DecodeOptions::rank.
std::vector<std::vector<Decoding>> ranked_answers(const Responder& model, const Batch& batch,
                                                  const std::vector<const Example*>& examples,
                                                  const DecodeOptions& options);

}  // namespace heed
