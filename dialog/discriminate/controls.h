// Controls: how much of the task needs no coherence. Without them an accuracy says little. (The
// fourth one is a discriminator that reads only the response: Config::response_only.)
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "dialog/discriminate/passage.h"

namespace heed::discriminate {

// The passages with the context of another conversation of the corpus, drawn by (seed, id), so that
// a real response and its replacement get the same one. The accuracy of a discriminator that uses
// the context falls to 1/2. If there is no other conversation, the context stays.
std::vector<Passage> shuffle_contexts(const std::vector<Passage>& passages, uint64_t seed);

// p(real) of the passages of `test` by a logistic regression that is fitted to `train`:
// on the numbers of tokens of each utterance and of the response, standardised;
std::vector<double> length_control(const std::vector<Passage>& train,
                                   const std::vector<Passage>& test);
// on which of the kUnigrams most frequent words the response has (the others count as one word),
// from the first kMostFitted passages of `train`.
constexpr int64_t kUnigrams = 1000;
constexpr size_t kMostFitted = 20000;
std::vector<double> unigram_control(const std::vector<Passage>& train,
                                    const std::vector<Passage>& test, int64_t vocab_size);

// p(real) of passages by a control if no training part has such responses: each half of the
// conversations is judged by a fit to the other half. 1/2 if one half is empty.
using ControlFit = std::function<std::vector<double>(const std::vector<Passage>& train,
                                                     const std::vector<Passage>& test)>;
std::vector<double> fitted_crosswise(const std::vector<Passage>& passages, const ControlFit& fit);

}  // namespace heed::discriminate
