// Contexts that are cut or reordered (Sankar et al., "Do neural dialog systems use the conversation
// history effectively?", ACL 2019): the increase of a model's loss shows what it uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/random.h"

namespace heed {

// From a context of q utterances, the last of which is the query, it makes:
//   whole             as it is
//   turns:N           the last N utterances: the query and N - 1 before it
//   turns:N-shuffled  the same, with the N - 1 before the query in a random order
//   turns-shuffled, turns-reversed    all q, including the query
//   turns-dropped     each utterance except the query is dropped with probability 0.3
//   first-dropped, last-dropped       without the first utterance, without the query
//   words-shuffled, words-reversed    the words of each utterance
//   words-dropped     each word is dropped with probability 0.3; at least one stays
// first-dropped and last-dropped leave a context of one utterance as it is.
struct Perturbation {
  std::string name;
  size_t turns = 0;  // N
  void (*change)(std::vector<std::string>& context, size_t turns, Rng& rng);
};
// Throws UsageError, with the valid names.
Perturbation parse_perturbation(std::string_view name);

// Leaves a context its last `turns` utterances, and each utterance its first `words`; 0: all.
void cut(std::vector<std::string>& context, int turns, int words);

// The utterances in their new order, at least one. The draws are a function of the Rng.
std::vector<std::string> perturb(std::vector<std::string> context, const Perturbation& how,
                                 Rng& rng);

}  // namespace heed
