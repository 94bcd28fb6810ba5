// A ragged batch: everything that a model needs to know about the shapes of its dialogues, made
// once, on the host. Nothing is padded.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/parts/memory.h"
#include "dialog/parts/response_batch.h"

namespace heed {

// The parts that a model needs.
struct BatchParts {
  MemoryOf memory = MemoryOf::kUtterances;
  bool sequences = true;    // Batch::sequences
  bool utterances = false;  // Batch::utterances
  bool queries = false;     // Batch::queries
};

// One kind of Example::conditions, for all dialogues.
struct ConditionBatch {
  Tensor ids;         // i32 (P), dialogue after dialogue in batch order
  Segments segments;  // of each dialogue; some may have none
};

// Dialogues are in *batch order*: longest response first, so that the decoder's running dialogues
// are always the first ones. The context is packed in its own order (longest context first), and so
// are the other parts; their to_batch maps back to batch order.
struct Batch {
  int64_t size = 0;            // B
  int64_t token_count = 0;     // context tokens (with <eou>) + predicted tokens (with <eos>)
  std::vector<int64_t> order;  // batch position -> position in the examples given

  ContextBatch context;
  Memory memory;
  ResponseBatch response;
  UtteranceSequences sequences;  // if requested
  UtteranceBatch utterances, queries;
  std::vector<ConditionBatch> conditions;  // as many as the examples have
};

// Throws DataError for no examples, for contexts without an utterance, for empty utterances and for
// examples with different numbers of conditions.
Batch make_batch(const ExamplePointers& examples, const BatchParts& parts, Device device = {});

// Tokens of an example as a batch counts them: context with <eou>, response with <eos>.
int64_t example_tokens(const Example& example);

// The examples in batches of at most `batch_size` of similar length, the longest first, with their
// positions in `examples`. Throws UsageError for a batch size below 1.
struct SomeExamples {
  std::vector<int64_t> positions;
  ExamplePointers examples;
};
std::vector<SomeExamples> batches_by_length(const std::vector<Example>& examples,
                                            int64_t batch_size);

// Pointers to examples, which must stay where they are.
ExamplePointers pointers(const std::vector<Example>& examples);

}  // namespace heed
