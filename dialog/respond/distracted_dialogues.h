#pragma once

#include <vector>

#include "dialog/data/corpus.h"
#include "dialog/respond/evaluate.h"

namespace heed {

// The dialogues as texts, with the insertions of a test set that evaluate() makes with the same
// examples, pool and seed: a dialogue for each of the `examples`, which make_examples() makes from
// `dialogues` with an empty vocabulary.
std::vector<Dialogue> distracted_dialogues(const std::vector<Dialogue>& dialogues,
                                           const std::vector<Example>& examples,
                                           const ExampleOptions& bounds, const TestSet& set,
                                           const std::vector<Dialogue>& pool,
                                           const PhraseText& phrases, uint64_t seed);

}  // namespace heed
