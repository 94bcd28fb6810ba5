#include "dialog/parts/batch.h"

#include <algorithm>
#include <numeric>

namespace heed {
namespace {

// Positions 0 .. n-1, the largest key first; equal ones keep their order.
template <class Key> std::vector<int64_t> descending(int64_t n, Key key) {
  std::vector<int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return key(a) > key(b); });
  return order;
}

// order[i] = position  ->  inverse[position] = i
std::vector<int32_t> inverse(const std::vector<int64_t>& order) {
  std::vector<int32_t> result(order.size());
  for (size_t i = 0; i < order.size(); ++i) result[order[i]] = static_cast<int32_t>(i);
  return result;
}

template <class Length> Packing pack(const std::vector<int64_t>& order, Length length) {
  std::vector<int32_t> lengths;
  for (int64_t i : order) lengths.push_back(static_cast<int32_t>(length(i)));
  return Packing(lengths);
}

std::vector<int32_t> with_eou(const Example& example) {
  std::vector<int32_t> tokens;
  for (const auto& utterance : example.context) {
    tokens.insert(tokens.end(), utterance.begin(), utterance.end());
    tokens.push_back(kEou);
  }
  return tokens;
}

void check(const Example& example) {
  if (example.context.empty()) throw DataError("example " + example.id + ": no context");
  for (const auto& utterance : example.context) {
    if (utterance.empty()) throw DataError("example " + example.id + ": an empty utterance");
  }
  if (example.distraction.size() != example.context.size()) {
    throw DataError("example " + example.id + ": " + std::to_string(example.context.size()) +
                    " utterances, but flags of distractions for " +
                    std::to_string(example.distraction.size()));
  }
}

void pack_encoder(Batch& batch, const std::vector<std::vector<int32_t>>& contexts, Device device) {
  const auto order = descending(batch.size, [&](int64_t b) { return contexts[b].size(); });
  batch.encoder = pack(order, [&](int64_t b) { return contexts[b].size(); });
  std::vector<int32_t> packed(batch.encoder.rows());
  for (int64_t s = 0; s < batch.size; ++s) {
    const std::vector<int32_t>& tokens = contexts[order[s]];
    for (size_t t = 0; t < tokens.size(); ++t) packed[batch.encoder.row(t, s)] = tokens[t];
  }
  batch.context_tokens = Tensor::from(packed, device);
  batch.encoder_to_batch = Tensor::from(inverse(order), device);
}

// Memory: all tokens of a dialogue, or the <eou> of each utterance.
void lay_out_memory(Batch& batch, const std::vector<const Example*>& examples, bool hierarchical,
                    Device device) {
  const std::vector<int32_t> sequence = batch.encoder_to_batch.to_ints();
  std::vector<int32_t> lengths, rows, query_rows;
  for (int64_t b = 0; b < batch.size; ++b) {
    const Example& example = *examples[batch.order[b]];
    const size_t before = rows.size();
    int64_t t = 0;
    for (size_t k = 0; k < example.context.size(); ++k) {
      const int64_t end = t + static_cast<int64_t>(example.context[k].size());
      for (t = hierarchical ? end : t; t <= end; ++t) {
        rows.push_back(static_cast<int32_t>(batch.encoder.row(t, sequence[b])));
        batch.distraction.push_back(example.distraction[k] ? 1.0f : 0.0f);
      }
    }
    lengths.push_back(static_cast<int32_t>(rows.size() - before));
    query_rows.push_back(static_cast<int32_t>(rows.size()) - 1);
  }
  batch.memory = Segments(lengths, device);
  batch.memory_rows = Tensor::from(rows, device);
  batch.query_rows = Tensor::from(query_rows, device);
}

void pack_integration(Batch& batch, Device device) {
  const auto order = descending(batch.size, [&](int64_t b) { return batch.memory.length(b); });
  batch.integration = pack(order, [&](int64_t b) { return batch.memory.length(b); });
  std::vector<int32_t> rows(batch.integration.rows());
  for (int64_t s = 0; s < batch.size; ++s) {
    const int64_t first = batch.memory.begin(order[s]);
    for (int64_t k = 0; k < batch.memory.length(order[s]); ++k) {
      rows[batch.integration.row(k, s)] = static_cast<int32_t>(first + k);
    }
  }
  batch.integration_rows = Tensor::from(rows, device);
  batch.integration_to_batch = Tensor::from(inverse(order), device);
}

void pack_decoder(Batch& batch, const std::vector<const Example*>& examples, Device device) {
  const auto response = [&](int64_t b) -> const std::vector<int32_t>& {
    return examples[batch.order[b]]->response;
  };
  std::vector<int32_t> lengths;
  for (int64_t b = 0; b < batch.size; ++b) {
    lengths.push_back(static_cast<int32_t>(response(b).size()) + 1);
  }
  batch.decoder = Packing(lengths);
  std::vector<int32_t> inputs(batch.decoder.rows()), targets(batch.decoder.rows());
  for (int64_t b = 0; b < batch.size; ++b) {
    const std::vector<int32_t>& words = response(b);
    for (int64_t t = 0; t < lengths[b]; ++t) {
      const int64_t row = batch.decoder.row(t, b);
      inputs[row] = t == 0 ? kSos : words[t - 1];
      targets[row] = t + 1 == lengths[b] ? kEos : words[t];
    }
  }
  batch.inputs = Tensor::from(inputs, device);
  batch.targets = Tensor::from(targets, device);
  batch.dialogue_of_step = Tensor::from(batch.decoder.sequence_ids(), device);
}

}  // namespace

bool Batch::has_distraction() const {
  return std::any_of(distraction.begin(), distraction.end(), [](float m) { return m != 0; });
}

int64_t example_tokens(const Example& example) {
  int64_t count = static_cast<int64_t>(example.response.size()) + 1;
  for (const auto& utterance : example.context) count += static_cast<int64_t>(utterance.size()) + 1;
  return count;
}

Batch make_batch(const std::vector<const Example*>& examples, bool hierarchical, Device device) {
  if (examples.empty()) throw DataError("batch: no examples");
  Batch batch;
  batch.size = static_cast<int64_t>(examples.size());
  for (const Example* example : examples) {
    check(*example);
    batch.token_count += example_tokens(*example);
  }
  batch.order = descending(batch.size, [&](int64_t i) { return examples[i]->response.size(); });
  std::vector<std::vector<int32_t>> contexts;
  for (int64_t i : batch.order) contexts.push_back(with_eou(*examples[i]));
  pack_encoder(batch, contexts, device);
  lay_out_memory(batch, examples, hierarchical, device);
  pack_integration(batch, device);
  pack_decoder(batch, examples, device);
  return batch;
}

}  // namespace heed
