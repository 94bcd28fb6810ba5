#pragma once

#include "dialog/parts/context_batch.h"

namespace heed {

// Responses for teacher forcing, packed in the order of the examples.
// The longest must come first.
struct ResponseBatch {
  Packing packing;
  Tensor inputs, targets;   // i32 (N'): <sos> w1 .. wn  and  w1 .. wn <eos>, packed
  Tensor dialogue_of_step;  // i32 (N'): batch position of each row
  Tensor weights = {};      // (N'): of each row's -log p under teacher forcing; none: all are 1
};
ResponseBatch pack_responses(const ExamplePointers& examples, Device device);

}  // namespace heed
