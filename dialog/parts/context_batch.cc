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

UtteranceBatch pack_utterances(const ExamplePointers& examples, WhichUtterances which,
                               Device device) {
  std::vector<Tokens> utterances;
  std::vector<int32_t> lengths, last_of, last, rows;
  for (const Example* example : examples) {
    const size_t q = example->context.size(), first = which == WhichUtterances::kLast ? q - 1 : 0;
    for (size_t k = first; k < q; ++k) append(utterances.emplace_back(), example->context[k]);
    last_of.push_back(static_cast<int32_t>(utterances.size()) - 1);
  }
  const Packed packed = pack(utterances, device);
  for (size_t i = 0; i < utterances.size(); ++i) {
    lengths.push_back(static_cast<int32_t>(utterances[i].size()));
    for (int32_t t = 0; t < lengths.back(); ++t) {
      rows.push_back(static_cast<int32_t>(packed.packing.row(t, packed.place[i])));
    }
  }
  for (const int32_t i : last_of) last.push_back(packed.place[i]);
  return {packed.packing,
          packed.rows.value(),
          Tensor::from(packed.place, device),
          Tensor::from(last, device),
          Tensor::from(rows, device),
          Segments(lengths, device)};
}

std::vector<std::vector<int32_t>> tokens_of(const Packing& packing, const Tensor& tokens,
                                            const Tensor& sequences) {
  const std::vector<int32_t> ids = tokens.to_ints();
  std::vector<std::vector<int32_t>> all;
  for (const int32_t sequence : sequences.to_ints()) {
    all.emplace_back();
    for (int64_t t = 0; t < packing.length(sequence); ++t) {
      all.back().push_back(ids[packing.row(t, sequence)]);
    }
  }
  return all;
}

}  // namespace heed
