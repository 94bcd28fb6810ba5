// MAP of Henderson et al. (2019): score = x . (I + W) y of the frozen vectors x of a context and y
// of a response. Only W is learned.
#pragma once

#include "dialog/parts/vector_ranker.h"
#include "dialog/retrieve/candidates.h"

namespace heed::retrieve {

// W' (width, width), such that (x + W' x) . y is the score, from rows x and y (pairs, width) of
// length 1. `said` numbers the different responses: equal ones are not negatives of each other.
// Every fifth pair is held out and chooses the rate of Adam (0.03, 0.01 or 0.003) and the epoch
// with the least loss: softmax of 20 times the scores over batches of 256, label smoothing 0.2; at
// most 100 epochs, ending after 10 without improvement. W begins at 0, so that the scores begin as
// SIM's. (The authors' program has AdaGrad, a grid of rates and weight decays, and an orthogonal
// W.) Throws DataError for fewer than 10 pairs.
Tensor learn_map(const Tensor& x, const Tensor& y, const std::vector<int32_t>& said, uint64_t seed);

// A ranker with such a map. The ranker must outlive it.
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
// Learned from at most 10,000 of the pairs, evenly spread.
MappedRanker learn_map(const VectorRanker& ranker, const std::vector<Dialogue>& dialogues,
                       const std::vector<Pair>& pairs, uint64_t seed,
                       const VectorRanker::OnTexts& progress = {});

}  // namespace heed::retrieve
