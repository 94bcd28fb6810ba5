// Rankers by the product of two vectors, and their attention.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dialog/parts/encoder.h"

namespace heed {

// The vectors of contexts and of responses are f32 (texts, width) on the CPU. The last ones of each
// are kept: who asks for the same texts, or the same contexts, again does not wait for them. A
// score does not depend on the others.
class VectorRanker : public Ranker {
 public:
  using OnTexts = std::function<void(size_t done, size_t of)>;
  using Contexts = std::vector<std::vector<std::string>>;  // in each, the oldest utterance first

  // *cut, if given, counts the truncated texts.
  virtual Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                          size_t* cut) const = 0;
  virtual Tensor responses(const std::vector<std::string>& texts, int64_t batch,
                           const OnTexts& progress, size_t* cut) const = 0;
  Scores score(const std::vector<std::string>& texts, const std::vector<RankQuery>& queries,
               int64_t batch, const OnTexts& progress) const override;
  // The vectors of these texts as responses() gave them before: score() does not ask for them.
  void keep(std::vector<std::string> texts, const Tensor& vectors) const {
    texts_ = {std::move(texts), vectors};
  }

  // The attention in contexts: for each utterance that is read, which are the last ones, the
  // weights of its rows, which are its words and their end, or the utterance itself. All weights of
  // a context sum to 1. Empty for a ranker without attention.
  using Look = std::vector<std::vector<double>>;
  virtual std::vector<Look> looks(const Contexts&) const { return {}; }

  // The same model, which reads whole contexts; null of one that does so anyway. What is inserted
  // into contexts goes among the utterances that are read, kept(), and is read beside them: as in
  // training, where a context is cut first.
  virtual std::shared_ptr<const Ranker> unbounded() const { return nullptr; }
  // The end of a context, oldest utterance first; adds one to *cut when it is not all of it.
  virtual std::vector<std::string> kept(const std::vector<std::string>& context, size_t*) const {
    return context;
  }

 private:
  template <class Asked> struct Kept {
    Asked asked;
    Tensor vectors;
    size_t cut = 0;
  };
  mutable Kept<std::vector<std::string>> texts_;
  mutable Kept<Contexts> contexts_;
};
// The same for any ranker.
std::vector<VectorRanker::Look> looks_of(const Ranker& ranker,
                                         const VectorRanker::Contexts& contexts);
// The attention score of each utterance, Eq. 7 of Xing & Gulla (2022): the total number of rows
// times the mean weight of its own rows. Uniform attention gives 1 to each.
std::vector<double> attention_scores(const VectorRanker::Look& look);

// The cosine of an encoder's vectors of context and response, within the bounds of its training; a
// response is encoded as a context of one utterance.
class CosineRanker : public VectorRanker {
 public:
  // `words`: whose words the bounds count; without one a token is a word. `longest`: the encoder
  // reads only so many of the last tokens of a context; 0: all.
  CosineRanker(std::shared_ptr<const ContextEncoder> encoder, const ExampleOptions& bounds,
               std::shared_ptr<const Vocabulary> words = {}, int64_t longest = 0)
      : encoder_(std::move(encoder)),
        bounds_(bounds),
        words_(words ? std::move(words) : std::make_shared<Vocabulary>()),
        longest_(longest) {}
  Tensor contexts(const Contexts& contexts, int64_t batch, const OnTexts& progress,
                  size_t* cut) const override;
  Tensor responses(const std::vector<std::string>& texts, int64_t batch, const OnTexts& progress,
                   size_t* cut) const override;

 private:
  std::shared_ptr<const ContextEncoder> encoder_;
  ExampleOptions bounds_;
  std::shared_ptr<const Vocabulary> words_;
  int64_t longest_;
};

}  // namespace heed
