// Where a ranker looks: distractions in the contexts that it learns from, the attention loss, and
// the weights that its attention gives.
#pragma once

#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/parts/vector_ranker.h"
#include "dialog/retrieve/dual_encoder.h"

namespace heed::retrieve {

// The tokens of a context as an example of dialog/data/example.h, without a response, and back.
Example example_of(const Tokens& context, const std::string& dialogue_id);
Tokens tokens_of(const Example& example);

// The mean over the B contexts of mean_j (M_j a_j)^2, Eq. 9 of Xing & Gulla (2022): j runs over the
// rows that the attention a weighs, and M_j is 1 on those of a distraction. The texts of `looks`
// are the contexts of the examples. Undefined where nothing is distracted.
Var attention_loss(const Looks& looks, const std::vector<Example>& examples);

// Of each context the weights of its utterances' rows. None of an encoder without attention.
std::vector<VectorRanker::Look> looks_of(const DualEncoder& model,
                                         const std::vector<Tokens>& contexts, size_t batch);

}  // namespace heed::retrieve
