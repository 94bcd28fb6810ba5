// What utterances from elsewhere in its contexts do to a ranker.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/das.h"
#include "dialog/retrieve/metrics.h"
#include "experiments/engine/stats/statistics.h"

namespace heed {

// A context by its utterances, oldest first, and which of them are distractions.
struct MarkedContext {
  std::string dialogue_id;
  std::vector<std::string> utterances;
  std::vector<char> distraction = {};
};
// The contexts with what the set inserts (dialog/data/distraction.h), drawn from all turns of
// `pool`.
std::vector<MarkedContext> distracted(const std::vector<MarkedContext>& contexts,
                                      const TestSet& set, const std::vector<Dialogue>& pool,
                                      uint64_t seed);

// The lists of a test set, and the attention of a ranker that has one.
struct RankedSet {
  std::string name;
  std::vector<retrieve::ScoredList> lists;
  std::vector<DialogueScore> looks = {};  // as_scores, distraction and das_ratio only
};
DialogueScore look_score(const std::vector<std::vector<double>>& look,
                         std::vector<char> distraction);

// Of each set R@1, MRR, how far MRR is from that of the first set, the mean of the probability of
// the right response (softmax of the scores of its list), attention scores and DAS ratio. Intervals
// are those of a bootstrap over conversations.
struct RankedSetRow {
  std::string name;
  std::optional<Estimate> first, mrr, change, right;
  ScoreSummary looks;
};
std::vector<RankedSetRow> measure_sets(const std::vector<RankedSet>& sets, uint64_t seed);
// "-" for no number.
std::string sets_table(const std::vector<RankedSetRow>& rows, int width);

}  // namespace heed
