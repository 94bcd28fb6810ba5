#include "dialog/respond/responses.h"

#include <algorithm>

#include "autograd/keep_packed.h"
#include "tensor/error.h"

namespace heed {

std::vector<Tokens> respond(Responder& model, const std::vector<Example>& examples,
                            const Vocabulary& vocabulary, const DecodeOptions& options,
                            int64_t batch_size,
                            const std::function<void(const RespondProgress&)>& progress) {
  if (batch_size < 1) {
    throw UsageError("batch: expected at least 1, got " + std::to_string(batch_size));
  }
  KeepPacked weights;  // of all batches
  std::vector<Tokens> responses;
  RespondProgress done{0, 0};
  for (size_t at = 0; at < examples.size(); at += batch_size) {
    std::vector<const Example*> batch;
    const size_t end = std::min(examples.size(), at + static_cast<size_t>(batch_size));
    for (size_t i = at; i < end; ++i) batch.push_back(&examples[i]);
    for (const Decoding& decoding : decode(model, batch, options)) {
      responses.emplace_back();
      for (int32_t token : decoding.tokens) responses.back().push_back(vocabulary.token(token));
      done.tokens += static_cast<int64_t>(decoding.tokens.size()) + 1;
    }
    for (const Example* e : batch) {
      for (const auto& utterance : e->context) {
        done.tokens += static_cast<int64_t>(utterance.size()) + 1;
      }
    }
    done.examples = static_cast<int64_t>(end);
    if (progress) progress(done);
  }
  return responses;
}

ResponseQuality measure_responses(const std::vector<Tokens>& responses,
                                  const std::vector<Tokens>& references) {
  if (responses.empty()) throw UsageError("responses: there are none to measure");
  size_t words = 0;
  for (const Tokens& response : responses) words += response.size();
  return {corpus_bleu(responses, references), distinct_n(responses, 1), distinct_n(responses, 2),
          static_cast<double>(words) / static_cast<double>(responses.size()),
          static_cast<int64_t>(responses.size())};
}

}  // namespace heed
