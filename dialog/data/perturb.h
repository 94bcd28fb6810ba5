// Contexts that are cut or put into another order (Sankar et al., "Do neural dialog systems use the
// conversation history effectively?", ACL 2019): what a model's loss rises by says what it uses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensor/random.h"

namespace heed {

// Of a context of q utterances, the last one the query:
//   whole             as it is
//   turns:N           the last N utterances: the query and N - 1 before it
//   turns:N-shuffled  these, the N - 1 before the query in another order
//   turns-shuffled, turns-reversed    all q, the query among them
//   turns-dropped     each utterance but the query is left out with the probability 0.3
//   first-dropped, last-dropped       without the first utterance, without the query
//   words-shuffled, words-reversed    the words of each utterance
//   words-dropped     each word is left out with the probability 0.3; one stays
// first-dropped and last-dropped leave a context of one utterance as it is.
struct Perturbation {
  enum class Kind {
    kWhole,
    kTurns,
    kTurnsShuffled,
    kShuffled,
    kReversed,
    kDropped,
    kFirst,
    kLast,
    kWordsShuffled,
    kWordsReversed,
    kWordsDropped
  } kind = Kind::kWhole;
  size_t turns = 0;  // N
  std::string name = "whole";
};
// Throws UsageError, with the valid names.
Perturbation parse_perturbation(std::string_view name);

constexpr double kDropProbability = 0.3;

// The utterances in their new order; never none. What is drawn is a function of the Rng.
std::vector<std::string> perturb(std::vector<std::string> context, const Perturbation& how,
                                 Rng& rng);

}  // namespace heed
