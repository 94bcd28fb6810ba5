#include "dialog/parts/context_batch.h"

namespace heed {
namespace {

using Tokens = std::vector<int32_t>;

void append(Tokens& to, const Tokens& utterance) {
  to.insert(to.end(), utterance.begin(), utterance.end());
  to.push_back(kEou);
}

}  // namespace

std::vector<int32_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int32_t> result(order.size());
  for (size_t i = 0; i < order.size(); ++i) result[order[i]] = static_cast<int32_t>(i);
  return result;
}

ContextBatch pack_contexts(const ExamplePointers& examples, Device device) {
  std::vector<Tokens> contexts(examples.size());
  for (size_t b = 0; b < examples.size(); ++b) {
    for (const Tokens& utterance : examples[b]->context) append(contexts[b], utterance);
  }
  const Packed packed = pack(contexts, device);
  return {packed.packing, packed.rows.value(), Tensor::from(packed.place, device)};
}

UtteranceBatch pack_utterances(const ExamplePointers& examples, Device device) {
  std::vector<Tokens> utterances;
  for (const Example* example : examples) {
    for (const Tokens& utterance : example->context) append(utterances.emplace_back(), utterance);
  }
  const Packed packed = pack(utterances, device);
  return {packed.packing, packed.rows.value(), Tensor::from(packed.place, device)};
}

}  // namespace heed
