#include "dialog/respond/encoder.h"

#include <numeric>

#include "dialog/respond/das.h"

namespace heed {

Tensor encode(const Responder& model, const std::vector<Example>& examples, Pooling pooling,
              int64_t batch_size,
              const std::function<void(int64_t examples, int64_t tokens)>& progress) {
  const Device device = parameters(model)[0].var.device();
  return encode_in_batches(
      examples, {.pooling = pooling, .batch = batch_size, .progress = progress},
      [&](const ExamplePointers& examples_of_batch) {
        const Batch batch = make_batch(examples_of_batch, model.parts(), device);
        const Tensor places = Tensor::from(inverse(batch.order), device);
        return gather_rows(model.representation(batch, pooling), places);
      });
}

ExampleOptions bounds_of_last_turn(ExampleOptions bounds) {
  bounds.all_positions = false;
  bounds.min_turns = 2;
  bounds.max_response_tokens = 0;
  bounds.speaker.clear();
  return bounds;
}

ResponseRanker::ResponseRanker(Responder& model, const Vocabulary& vocabulary,
                               const ExampleOptions& bounds)
    : model_(model), vocabulary_(vocabulary), bounds_(bounds_of_last_turn(bounds)) {}

std::vector<double> ResponseRanker::score_last(const std::vector<Dialogue>& dialogues,
                                               int64_t batch) const {
  std::vector<double> log_probs;
  for (const DialogueScore& s :
       heed::score(model_, make_examples(dialogues, vocabulary_, bounds_), batch)) {
    log_probs.push_back(-std::accumulate(s.nll.begin(), s.nll.end(), 0.0));
  }
  return log_probs;
}

}  // namespace heed
