// N-best lists, which are the responses that a model or a pool offers for a context, and rankers
// that read a context together with one response, such as probability models and discriminators.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "dialog/data/dialogue.h"
#include "dialog/parts/encoder.h"

namespace heed {

struct NBest {
  std::vector<std::string> context;    // texts, oldest first
  std::vector<std::string> responses;  // texts, best first according to their source
};

// A ranker's scores of the responses of each list: the higher, the better. *remark gets the
// ranker's remark, if there is one.
std::vector<std::vector<double>> score(const Ranker& ranker, const std::vector<NBest>& lists,
                                       int64_t batch = 32, std::string* remark = nullptr);
// MMI re-ranking (Li et al. 2016, "A diversity-promoting objective function for neural conversation
// models", Eqs. 9 and 13), given ln P(R | C) of each response R (`log_p`) and a weight W, by
// rankers that score with ln P(response | context):
//   mmi      (1 - W) ln P(R | C) + W ln P(Q | R)   Q: the last utterance of the context, by a model
//                                                  of reversed dialogues
//   antilm   ln P(R | C) - W ln P(R)               ln P(R) = ln mean_i P(R | C_i) over the given
//                                                  contexts, by the model
std::vector<std::vector<double>> mmi(std::vector<std::vector<double>> log_p, double weight,
                                     const Ranker& reversed, const std::vector<NBest>& lists,
                                     int64_t batch = 32);
std::vector<std::vector<double>> antilm(std::vector<std::vector<double>> log_p, double weight,
                                        const Ranker& model, const std::vector<NBest>& lists,
                                        const std::vector<std::vector<std::string>>& contexts,
                                        int64_t batch = 32);
// The last turns of at most n of the contexts, evenly spread.
std::vector<std::vector<std::string>> last_utterances(
    const std::vector<std::vector<std::string>>& contexts, size_t n);
// The indices of scores from the highest to the lowest; equal ones keep their order, and NaN comes
// last.
std::vector<size_t> best_first(const std::vector<double>& scores);

class PairRanker : public Ranker {
 public:
  Scores score(const std::vector<std::string>& texts, const std::vector<RankQuery>& queries,
               int64_t batch,
               const std::function<void(size_t done, size_t of)>& progress = {}) const override;

 private:
  // For each dialogue the score of its last turn after the others, of which there is at least one.
  virtual std::vector<double> score_last(const std::vector<Dialogue>& dialogues,
                                         int64_t batch) const = 0;
};

}  // namespace heed
