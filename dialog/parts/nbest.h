// N-best lists, the responses that a model or a pool offers to a context, and the rankers that read
// a context together with one response, as models of probabilities and discriminators do.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"
#include "dialog/parts/encoder.h"

namespace heed {

struct NBest {
  std::vector<std::string> context;    // texts, oldest first
  std::vector<std::string> responses;  // texts, best first by the one that offers them
};

// The scores that a ranker gives the responses of each list: the higher, the better. A remark of
// the ranker, if it makes one, is put into *remark.
std::vector<std::vector<double>> score(const Ranker& ranker, const std::vector<NBest>& lists,
                                       int64_t batch = 32, std::string* remark = nullptr);
// What MMI re-ranks by (Li et al. 2016, "A diversity-promoting objective function for neural
// conversation models", Eqs. 9 and 13), by rankers that score with ln P(response | context):
// ln P(Q | R) of each response R, with Q the last utterance of its context, by a model of reversed
// dialogues; and ln P(R) = ln mean_i P(R | C_i) over the given contexts, by the model itself.
std::vector<std::vector<double>> log_p_of_query(const Ranker& reversed,
                                                const std::vector<NBest>& lists,
                                                int64_t batch = 32);
std::vector<std::vector<double>> log_p_alone(const Ranker& model, const std::vector<NBest>& lists,
                                             const std::vector<std::vector<std::string>>& contexts,
                                             int64_t batch = 32);
// The places of scores from the highest to the lowest; equal ones stay in their order, and NaN
// stands last.
std::vector<size_t> best_first(const std::vector<double>& scores);

class PairRanker : public Ranker {
 public:
  Scores score(const std::vector<std::string>& texts, const std::vector<RankQuery>& queries,
               int64_t batch,
               const std::function<void(size_t done, size_t of)>& progress = {}) const override;

 private:
  // Of each dialogue the score of its last turn behind the others; there is at least one of them.
  virtual std::vector<double> score_last(const std::vector<Dialogue>& dialogues,
                                         int64_t batch) const = 0;
};

}  // namespace heed
