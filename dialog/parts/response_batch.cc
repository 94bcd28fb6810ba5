#include "dialog/parts/response_batch.h"

namespace heed {

ResponseBatch pack_responses(const ExamplePointers& examples, Device device) {
  std::vector<int32_t> lengths;
  for (const Example* example : examples) {
    lengths.push_back(static_cast<int32_t>(example->response.size()) + 1);
  }
  ResponseBatch batch{Packing(lengths), {}, {}, {}, {}};
  std::vector<int32_t> inputs(batch.packing.rows()), targets(batch.packing.rows());
  for (size_t b = 0; b < examples.size(); ++b) {
    const std::vector<int32_t>& words = examples[b]->response;
    for (int64_t t = 0; t < lengths[b]; ++t) {
      const int64_t row = batch.packing.row(t, static_cast<int64_t>(b));
      inputs[row] = t == 0 ? kSos : words[t - 1];
      targets[row] = t + 1 == lengths[b] ? kEos : words[t];
    }
  }
  batch.inputs = Tensor::from(inputs, device);
  batch.targets = Tensor::from(targets, device);
  batch.dialogue_of_step = Tensor::from(batch.packing.sequence_ids(), device);
  return batch;
}

}  // namespace heed
