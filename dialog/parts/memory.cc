#include "dialog/parts/memory.h"

namespace heed {

bool Memory::has_distraction() const {
  return std::any_of(distraction.begin(), distraction.end(), [](float m) { return m != 0; });
}

Memory lay_out_memory(const ExamplePointers& examples, const ContextBatch& context, MemoryOf of,
                      Device device) {
  Memory memory;
  const std::vector<int32_t> sequence = context.to_batch.to_ints();
  std::vector<int32_t> lengths, rows, query_rows;
  for (size_t b = 0; b < examples.size(); ++b) {
    const Example& example = *examples[b];
    const size_t before = rows.size();
    int64_t t = 0;
    for (size_t k = 0; k < example.context.size(); ++k) {
      const int64_t end = t + static_cast<int64_t>(example.context[k].size());
      for (t = of == MemoryOf::kUtterances ? end : t; t <= end; ++t) {
        rows.push_back(static_cast<int32_t>(context.packing.row(t, sequence[b])));
        memory.distraction.push_back(example.distraction[k] ? 1.0f : 0.0f);
      }
    }
    lengths.push_back(static_cast<int32_t>(rows.size() - before));
    query_rows.push_back(static_cast<int32_t>(rows.size()) - 1);
  }
  memory.segments = Segments(lengths, device);
  memory.rows = Tensor::from(rows, device);
  memory.query_rows = Tensor::from(query_rows, device);
  return memory;
}

MemorySequences pack_memory(const Memory& memory, Device device) {
  const Segments& segments = memory.segments;
  const auto order = descending(segments.count(), [&](int64_t b) { return segments.length(b); });
  std::vector<int32_t> lengths;
  for (int64_t b : order) lengths.push_back(static_cast<int32_t>(segments.length(b)));
  MemorySequences sequences{Packing(lengths), {}, {}, Tensor::from(inverse(order), device)};
  std::vector<int32_t> rows(sequences.packing.rows()), places(rows.size());
  for (size_t s = 0; s < order.size(); ++s) {
    for (int64_t k = 0; k < segments.length(order[s]); ++k) {
      const int64_t packed = sequences.packing.row(k, static_cast<int64_t>(s));
      rows[packed] = static_cast<int32_t>(segments.begin(order[s]) + k);
      places[rows[packed]] = static_cast<int32_t>(packed);
    }
  }
  sequences.rows = Tensor::from(rows, device);
  sequences.to_memory = Tensor::from(places, device);
  return sequences;
}

}  // namespace heed
