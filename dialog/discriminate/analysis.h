// What a discriminator looks at (Bruni and Fernández 2017, section 6): its attention, and how
// similar context and response are to its LSTM.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "dialog/discriminate/discriminator.h"

namespace heed::discriminate {

// Sums of a_t over the tokens of a sequence. An utterance's <eou> belongs to it, so that context +
// response + sos = 1; `eou` is the sum over all closing tokens, which are in the two, too.
struct Mass {
  double context = 0, response = 0, sos = 0, eou = 0;
};
// `attention` has a number for each token of sequence_of(passage, reads).
Mass attention_mass(const Passage& passage, Reads reads, const std::vector<double>& attention);
// The same for uniform attention: shares of the tokens.
Mass token_shares(const Passage& passage, Reads reads);
// heed's attention score of the response, 1 if it gets as much as an average utterance: q times its
// mass, for the q utterances that are read.
double response_score(const Passage& passage, Reads reads, const Mass& mass);

// x . y / (|x| |y|); nothing if one of them is 0.
std::optional<double> cosine(const std::vector<double>& x, const std::vector<double>& y);
// For each passage the cosine of [fwd_T; bwd_1] of its context and its response, each read alone.
std::vector<std::optional<double>> context_cosines(const Discriminator& model,
                                                   const std::vector<Passage>& passages,
                                                   int64_t batch_size);

}  // namespace heed::discriminate
