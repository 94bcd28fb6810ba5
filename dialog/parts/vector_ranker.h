// Rankers by the product of two vectors, and where they look.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dialog/parts/encoder.h"

namespace heed {

// f32 (texts, width) on the CPU are the vectors of contexts and of responses. Those of texts are
// kept: where the same ones are asked for again, contexts alone are read. A score does not depend
// on others.
class VectorRanker : public Ranker {
 public:
  using OnTexts = std::function<void(size_t done, size_t of)>;
  using Contexts = std::vector<std::vector<std::string>>;  // of each, the oldest utterance first

  // *cut, if it is given, counts the texts that are not read as a whole.
  virtual Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                          size_t* cut) const = 0;
  virtual Tensor responses(const std::vector<std::string>& texts, int64_t batch,
                           const OnTexts& progress, size_t* cut) const = 0;
  Scores score(const std::vector<std::string>& texts, const std::vector<RankQuery>& queries,
               int64_t batch, const OnTexts& progress) const override;

  // Where it looks in contexts: of each utterance that it reads, which are the last ones, the
  // weights of the rows that it attends to, its words and their end or itself. All weights of a
  // context have the sum 1. Nothing of a ranker without attention.
  using Look = std::vector<std::vector<double>>;
  virtual std::vector<Look> looks(const Contexts&) const { return {}; }

 private:
  mutable std::vector<std::string> texts_;
  mutable Tensor kept_;
  mutable size_t cut_ = 0;
};
// The same of any ranker.
std::vector<VectorRanker::Look> looks_of(const Ranker& ranker,
                                         const VectorRanker::Contexts& contexts);
// The attention score of each utterance, Eq. 7 of Xing & Gulla (2022): as many rows as there are in
// all times the mean weight of its own. Even attention gives 1 to each.
std::vector<double> attention_scores(const VectorRanker::Look& look);

// The cosine of the vectors that an encoder makes of context and response, within the bounds of its
// training; a response is a context of one utterance.
class CosineRanker : public VectorRanker {
 public:
  // `longest`: of how many tokens of a context no more are read than the last ones; 0: all are.
  CosineRanker(std::shared_ptr<const ContextEncoder> encoder, const ExampleOptions& bounds,
               int64_t longest = 0)
      : encoder_(std::move(encoder)), bounds_(bounds), longest_(longest) {}
  Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                  size_t* cut) const override;
  Tensor responses(const std::vector<std::string>& texts, int64_t batch, const OnTexts& progress,
                   size_t* cut) const override;

 private:
  std::shared_ptr<const ContextEncoder> encoder_;
  ExampleOptions bounds_;
  int64_t longest_;
};

}  // namespace heed
