// What a model that writes responses is. Training, scoring, DAS, decoding, chat, pictures, bench
// and verify know no other; structures.cc has the list of models.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dialog/parts/attention_trace.h"
#include "dialog/parts/batch.h"
#include "dialog/parts/pooling.h"
#include "dialog/respond/structure.h"
#include "nn/layers.h"

namespace heed {

// The attention of one head of one layer, both counted from 1. Not for gradients.
struct HeadTrace {
  int layer, head;
  AttentionTrace attention;
};

// Teacher forcing over a batch. Rows are those of batch.response.packing, N'.
struct Taught {
  Var nll_total;             // -log p summed over all rows, each times its weight if it has one
  Tensor nll;                // (N')
  AttentionTrace attention;  // the one that counts, for the loss and for all that is measured;
                             // empty of a model without attention
  std::vector<HeadTrace> heads = {};  // what it was made of, and other layers'; none if it is alone
  Var added = {};  // what a training step adds to nll_total in its loss; undefined: nothing
};

// Of one decoding step, for each of its rows.
struct Written {
  Tensor logits;                  // (rows, V): the softmax of a row is the next token's p
  std::vector<double> attention;  // weights on the memory, row after row; none without attention
  std::vector<int64_t> begin;     // (rows + 1): where each row's begin
};

// Writes responses to the dialogues of a batch, any number of them side by side.
class Writer {
 public:
  virtual ~Writer() = default;
  // The next step: row r belongs to the dialogue dialogues[r] of the batch, in batch order,
  // continues the row parents[r] of the step before (in the first step: of the dialogue with that
  // number), and its last token is tokens[r]. Rows of a dialogue stand together, dialogues in their
  // order.
  virtual Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
                       const std::vector<int32_t>& tokens) = 0;
};

class Responder : public Module {
 public:
  virtual const ModelConfig& config() const = 0;
  virtual void init(uint64_t seed) = 0;  // draws the first weights
  virtual BatchParts parts() const = 0;  // of a batch, that it reads
  virtual Taught teach(const Batch& batch, const DropoutMode& drop = {}) const = 0;
  // What the encoder makes of each dialogue of the batch, as one vector: (B, d), in batch order.
  virtual Var representation(const Batch& batch, Pooling pooling) const = 0;
  // The model and the batch must outlive what is returned. Not for gradients.
  virtual std::unique_ptr<Writer> read(const Batch& batch) const = 0;
};

}  // namespace heed
