#include "dialog/parts/context_batch.h"

namespace heed {
namespace {

using Tokens = std::vector<int32_t>;

struct Packed {
  Packing packing;
  Tensor tokens, place;  // place: sequence as it was given -> as it is packed
};

Packed pack(const std::vector<Tokens>& sequences, Device device) {
  const auto order = descending(static_cast<int64_t>(sequences.size()),
                                [&](int64_t i) { return sequences[i].size(); });
  std::vector<int32_t> lengths;
  for (int64_t i : order) lengths.push_back(static_cast<int32_t>(sequences[i].size()));
  Packed packed{Packing(lengths), {}, Tensor::from(inverse(order), device)};
  Tokens rows(packed.packing.rows());
  for (size_t s = 0; s < order.size(); ++s) {
    const Tokens& tokens = sequences[order[s]];
    for (size_t t = 0; t < tokens.size(); ++t) {
      rows[packed.packing.row(static_cast<int64_t>(t), static_cast<int64_t>(s))] = tokens[t];
    }
  }
  packed.tokens = Tensor::from(rows, device);
  return packed;
}

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
  return {packed.packing, packed.tokens, packed.place};
}

UtteranceBatch pack_utterances(const ExamplePointers& examples, Device device) {
  std::vector<Tokens> utterances;
  for (const Example* example : examples) {
    for (const Tokens& utterance : example->context) append(utterances.emplace_back(), utterance);
  }
  const Packed packed = pack(utterances, device);
  return {packed.packing, packed.tokens, packed.place};
}

}  // namespace heed
