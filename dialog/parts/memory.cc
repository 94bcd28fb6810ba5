#include "dialog/parts/memory.h"

#include <numeric>

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
        memory.utterance.push_back(static_cast<int32_t>(k));
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

UtteranceSequences pack_sequences(const ExamplePointers& examples, Device device) {
  std::vector<std::vector<int32_t>> rows;
  int32_t before = 0;
  for (const Example* example : examples) {
    std::vector<int32_t> utterances(example->context.size());
    std::iota(utterances.begin(), utterances.end(), before);
    before += static_cast<int32_t>(utterances.size());
    rows.push_back(std::move(utterances));
  }
  const Packed packed = pack(rows, device);
  const std::vector<int32_t> row_of = packed.rows.value().to_ints();
  return {packed.packing, packed.rows.value(),
          Tensor::from(inverse({row_of.begin(), row_of.end()}), device),
          Tensor::from(packed.place, device)};
}

}  // namespace heed
