// Many answers to one context, by the noise that a decoder reads (Olabiyi et al. 2019, section 3.4;
// dialog/respond/models/hred.h): of each dialogue of the batch `best_of` draws z ~ N(0, a I), of
// which each is decoded greedily. The context is read once for all. Draws are keyed by (seed, id of
// the example, word): the first ones are the same for any number of them, and of threads.
#pragma once

#include "dialog/respond/decode.h"

namespace heed {

// Of each dialogue, in batch order, its answers in the order of their draws; log_prob is that of an
// answer with its own noise. Throws UsageError for a model that learned without noise.
std::vector<std::vector<Decoding>> noisy_answers(const Responder& model, const Batch& batch,
                                                 const std::vector<const Example*>& examples,
                                                 const DecodeOptions& options);
// Those answers, the best first by DecodeOptions::rank.
std::vector<std::vector<Decoding>> ranked_answers(const Responder& model, const Batch& batch,
                                                  const std::vector<const Example*>& examples,
                                                  const DecodeOptions& options);

}  // namespace heed
