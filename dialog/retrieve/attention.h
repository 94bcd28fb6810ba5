// A ranker's attention: distractions in its training contexts, the attention loss, and the weights
// of its attention.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/parts/vector_ranker.h"
#include "dialog/retrieve/dual_encoder.h"

namespace heed::retrieve {

// The tokens of a context as an example (dialog/data/example.h) without a response, and back.
Example example_of(const Tokens& context, const std::string& dialogue_id);
Tokens tokens_of(const Example& example);

// The mean over the B contexts of mean_j (M_j a_j)^2, Eq. 9 of Xing & Gulla (2022): j runs over the
// rows of the attention a, and M_j is 1 on those of a distraction. The texts of `looks` are the
// contexts of the examples. Undefined if there are no distractions.
Var attention_loss(const Looks& looks, const std::vector<Example>& examples);

// The weights of the rows of each context's utterances. None for an encoder without attention.
std::vector<VectorRanker::Look> looks_of(const DualEncoder& model,
                                         const std::vector<Tokens>& contexts, size_t batch);

}  // namespace heed::retrieve
