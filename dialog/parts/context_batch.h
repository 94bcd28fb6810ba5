#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "autograd/packing.h"
#include "dialog/data/example.h"

namespace heed {

using ExamplePointers = std::vector<const Example*>;

// All tokens of each context as one sequence, every utterance closed by <eou>; packed, the longest
// context first.
struct ContextBatch {
  Packing packing;
  Tensor tokens;    // i32 (N)
  Tensor to_batch;  // i32 (B): batch position -> sequence
};
ContextBatch pack_contexts(const ExamplePointers& examples, Device device);

// Utterances, each as a sequence of its own, closed by <eou>; packed, the longest first.
struct UtteranceBatch {
  Packing packing;
  Tensor tokens;       // i32 (N)
  Tensor to_memory;    // i32 (Q): utterance, dialogue after dialogue -> sequence
  Tensor last;         // i32 (B): the sequence of each dialogue's last utterance
  Tensor token_rows;   // i32 (N): token, utterance after utterance -> row of the packing
  Segments of_tokens;  // the tokens of each utterance: Q segments of N rows
};
// Every utterance of the contexts, or only the last one of each.
enum class WhichUtterances { kAll, kLast };
UtteranceBatch pack_utterances(const ExamplePointers& examples, WhichUtterances which,
                               Device device);

// The tokens, i32 (N) in the order of the packing, of each of these sequences, i32 (n).
std::vector<std::vector<int32_t>> tokens_of(const Packing& packing, const Tensor& tokens,
                                            const Tensor& sequences);

// Positions 0 .. n-1, the largest key first; equal ones keep their order.
template <class Key> std::vector<int64_t> descending(int64_t n, Key key) {
  std::vector<int64_t> order(n);
  for (int64_t i = 0; i < n; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return key(a) > key(b); });
  return order;
}
// order[i] = position  ->  inverse[position] = i
std::vector<int32_t> inverse(const std::vector<int64_t>& order);

}  // namespace heed
