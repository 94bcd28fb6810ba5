#include "dialog/parts/response_batch.h"

namespace heed {

ResponseBatch pack_responses(const ExamplePointers& examples, Device device) {
  std::vector<std::vector<int32_t>> inputs, targets;
  for (const Example* example : examples) {
    inputs.push_back({kSos});
    inputs.back().insert(inputs.back().end(), example->response.begin(), example->response.end());
    targets.emplace_back(example->response).push_back(kEos);
  }
  const Packed packed = pack(inputs, device);
  check_shape(std::is_sorted(packed.order.begin(), packed.order.end()),
              "pack_responses: the longest response must come first");
  return {packed.packing, packed.rows.value(), pack(targets, device).rows.value(),
          Tensor::from(packed.packing.sequence_ids(), device)};
}

}  // namespace heed
