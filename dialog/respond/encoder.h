// A response model as an encoder of contexts, and as a ranker of responses.
#pragma once

#include "dialog/parts/nbest.h"
#include "dialog/respond/responder.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// f32 (n, d) on the CPU: Responder::representation() of each context. Neither the batch size nor
// the number of threads changes it.
Tensor encode(const Responder& model, const std::vector<Example>& examples, Pooling pooling,
              int64_t batch_size,
              const std::function<void(int64_t examples, int64_t tokens)>& progress = {});

// It refers to both, which must outlive it.
class ResponseEncoder : public ContextEncoder {
 public:
  ResponseEncoder(const Responder& model, const Vocabulary& vocabulary)
      : model_(model), vocabulary_(vocabulary) {}
  int64_t width() const override { return model_.config().hidden_size; }
  bool pools() const override { return true; }
  std::vector<int32_t> numbers(const std::string& utterance) const override {
    return encode_utterance(utterance, vocabulary_);
  }
  Tensor encode(const std::vector<Example>& examples, const EncodeOptions& o) const override {
    return heed::encode(model_, examples, o.pooling, o.batch, o.progress);
  }

 private:
  const Responder& model_;
  const Vocabulary& vocabulary_;
};

// With these each dialogue of at least two turns is one example: its whole last turn, after a
// context that is cut as with `bounds`.
ExampleOptions bounds_of_last_turn(ExampleOptions bounds);

// A response's score is its ln p after the context, including <eos>. Contexts are cut like those of
// the training examples, responses are not cut. Refers to model and vocabulary.
class ResponseRanker : public PairRanker {
 public:
  ResponseRanker(Responder& model, const Vocabulary& vocabulary, const ExampleOptions& bounds);

 private:
  std::vector<double> score_last(const std::vector<Dialogue>& dialogues,
                                 int64_t batch) const override;

  Responder& model_;
  const Vocabulary& vocabulary_;
  ExampleOptions bounds_;
};

}  // namespace heed
