// How often people find two responses equally good, and what samples of their judgements show.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/people/judgements.h"
#include "dialog/people/ties.h"
#include "experiments/engine/stats/agreement.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

// A round: the pairs that were judged in it, or those of them whose responses differ.
struct TieRound {
  int number = 1;
  bool all = true;
  std::vector<int64_t> chosen = {0, 0, 0};  // the first run, the second one, tie
  std::optional<Estimate> share = {};       // of ties, with an interval over pairs
  people::TieSamples samples = {};

  int64_t pairs() const { return chosen[0] + chosen[1] + chosen[2]; }
};

struct TieSampling {
  std::string source;  // of the judgements, for messages
  int64_t samples = 50000, size = 200;
  uint64_t seed = 1;
};
// Every round with all its pairs, and where some are identical once more without these. Throws
// DataError for one with fewer pairs than a sample.
std::vector<TieRound> tie_rounds(const std::vector<people::Judgement>& judgements,
                                 const people::Key& key, const TieSampling& sampling);
// Fleiss' pi of the judgements of a pair, of all rounds together.
Agreement tie_agreement(const std::vector<people::Judgement>& judgements, const people::Key& key,
                        uint64_t seed);
std::string tie_table(const std::vector<TieRound>& rounds, int width);

}  // namespace heed
