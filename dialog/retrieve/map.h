// MAP of Henderson et al. (2019): score = x . (I + W) y of the frozen vectors x of a context and y
// of a response. Only W is learned.
#pragma once

#include "dialog/parts/vector_ranker.h"
#include "dialog/retrieve/candidates.h"

namespace heed::retrieve {

// W' (width, width), so that (x + W' x) . y is the score, from rows x and y (pairs, width) of the
// length 1. `said` has a number for each different response: equal ones are no negatives of each
// other. Every fifth pair is held out; of the rates 0.03, 0.01 and 0.003 of Adam, and of the
// epochs, the ones that have the least loss on it count: softmax of 20 times the scores over
// batches of 256, label smoothing 0.2; at most 100 epochs, which end after 10 without improvement.
// W begins at 0, as SIM. (The authors' program: AdaGrad, a grid of rates and weight decays, and an
// orthogonal W.)
Tensor learn_map(const Tensor& x, const Tensor& y, const std::vector<int32_t>& said, uint64_t seed);

// A ranker, which must outlive it, under such a map.
class MappedRanker : public VectorRanker {
 public:
  MappedRanker(const VectorRanker& ranker, Tensor map) : ranker_(ranker), map_(std::move(map)) {}
  Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                  size_t* cut) const override;
  Tensor responses(const std::vector<std::string>& texts, int64_t batch, const OnTexts& progress,
                   size_t* cut) const override {
    return ranker_.responses(texts, batch, progress, cut);
  }

 private:
  const VectorRanker& ranker_;
  Tensor map_;
};
// Learned from 10,000 of the pairs at most, evenly spread.
MappedRanker learn_map(const VectorRanker& ranker, const std::vector<Dialogue>& dialogues,
                       const std::vector<Pair>& pairs, uint64_t seed,
                       const VectorRanker::OnTexts& progress = {});

}  // namespace heed::retrieve
