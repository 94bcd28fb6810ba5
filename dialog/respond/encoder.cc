#include "dialog/respond/encoder.h"

namespace heed {

Tensor encode(const Responder& model, const std::vector<Example>& examples, Pooling pooling,
              int64_t batch_size,
              const std::function<void(int64_t examples, int64_t tokens)>& progress) {
  const Device device = parameters(model)[0].var.device();
  return encode_in_batches(
      examples, {pooling, batch_size, progress}, [&](const ExamplePointers& examples_of_batch) {
        const Batch batch = make_batch(examples_of_batch, model.parts(), device);
        const Tensor places = Tensor::from(inverse(batch.order), device);
        return gather_rows(model.representation(batch, pooling), places);
      });
}

}  // namespace heed
