#pragma once

#include <cstdint>
#include <vector>

#include "dialog/parts/context_batch.h"

namespace heed {

// The rows that a decoder attends to, dialogue by dialogue: a context's m tokens or q utterances.
struct Memory {
  Segments segments;               // M rows in B segments
  Tensor rows;                     // i32 (M): the row in the packed context of each row; for an
                                   // utterance the row of its <eou>
  Tensor query_rows;               // i32 (B): the memory row of each dialogue's last utterance
  std::vector<float> distraction;  // (M): Eq. 9's mask, 1 on rows of distractions
  std::vector<int32_t> utterance;  // (M): the utterance of each row, its place in its dialogue

  bool has_distraction() const;
};
enum class MemoryOf { kTokens, kUtterances };
Memory lay_out_memory(const ExamplePointers& examples, const ContextBatch& context, MemoryOf of,
                      Device device);

// The utterances of each dialogue as a sequence, packed with the longest first, for an LSTM over
// them. They are numbered dialogue after dialogue, like the rows of a memory of utterances.
struct UtteranceSequences {
  Packing packing;
  Tensor rows;       // i32 (Q): the utterance of each packed row
  Tensor to_memory;  // i32 (Q): the packed row of each utterance
  Tensor to_batch;   // i32 (B)
};
UtteranceSequences pack_sequences(const ExamplePointers& examples, Device device);

}  // namespace heed
