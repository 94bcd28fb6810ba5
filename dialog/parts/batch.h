// A ragged batch: everything that the model needs to know about the shapes of its dialogues, made
// once on the host. Nothing is padded.
#pragma once

#include <cstdint>
#include <vector>

#include "autograd/packing.h"
#include "dialog/data/example.h"

namespace heed {

// Dialogues stand in *batch order*: longest response first, so that the decoder's running dialogues
// are always the first ones. The encoder runs in its own order (longest context first), and the
// integration LSTM in another (most utterances first); *_to_batch lead back.
struct Batch {
  int64_t size = 0;            // B
  int64_t token_count = 0;     // context tokens (with <eou>) + predicted tokens (with <eos>)
  std::vector<int64_t> order;  // batch position -> position in the examples given

  Packing encoder;
  Tensor context_tokens;    // i32 (N), packed for the encoder
  Tensor encoder_to_batch;  // i32 (B): batch position -> sequence of the encoder

  Segments memory;                 // m tokens or q utterances a dialogue, dialogue after dialogue
  Tensor memory_rows;              // i32 (M): the encoder row of each memory row
  Tensor query_rows;               // i32 (B): the memory row of each dialogue's last utterance
  std::vector<float> distraction;  // (M): Eq. 9's mask, 1 on memory rows of distractions

  Packing integration;          // over the utterances of each dialogue
  Tensor integration_rows;      // i32: the memory row of each packed row
  Tensor integration_to_batch;  // i32 (B)

  Packing decoder;
  Tensor inputs, targets;   // i32 (N'): <sos> w1 .. wn  and  w1 .. wn <eos>, packed
  Tensor dialogue_of_step;  // i32 (N'): batch position of each decoder row

  bool has_distraction() const;
};

// Throws DataError for no examples, for contexts of no utterance and for empty utterances.
Batch make_batch(const std::vector<const Example*>& examples, bool hierarchical,
                 Device device = {});

// Tokens of an example as a batch counts them: context with <eou>, response with <eos>.
int64_t example_tokens(const Example& example);

}  // namespace heed
