#pragma once

#include "dialog/parts/encoder.h"
#include "dialog/respond/responder.h"
#include "dialog/text/vocabulary.h"

namespace heed {

// f32 (n, d) on the CPU: Responder::representation() of each context. Neither the batch size nor
// the number of threads changes it.
Tensor encode(const Responder& model, const std::vector<Example>& examples, Pooling pooling,
              int64_t batch_size,
              const std::function<void(int64_t examples, int64_t tokens)>& progress = {});

// Refers to both, which must outlive it.
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

}  // namespace heed
