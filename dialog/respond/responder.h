// The interface of models that write responses. Training, scoring, DAS, decoding, chat, pictures,
// bench and verify know only it; structures.cc has the list of models.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dialog/parts/attention_trace.h"
#include "dialog/parts/batch.h"
#include "dialog/parts/pooling.h"
#include "dialog/respond/structure.h"
#include "nn/init.h"
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
  AttentionTrace attention;  // the attention of the loss and of all measurements; empty for a
                             // model without attention
  std::vector<HeadTrace> heads = {};  // its heads and those of other layers; none if it is alone
  Var added = {};  // a term that a training step adds to nll_total in its loss; may be undefined
};

// The output of a decoding step, for each of its rows.
struct Written {
  Tensor logits;                  // (rows, V): the softmax of a row is the next token's p
  std::vector<double> attention;  // weights on the memory, row after row; none without attention
  std::vector<int64_t> begin;     // (rows + 1): where each row's weights begin
};

// Writes responses to the dialogues of a batch, any number of them in parallel.
class Writer {
 public:
  virtual ~Writer() = default;
  // The next step: row r belongs to the dialogue dialogues[r] of the batch, in batch order. It
  // continues row parents[r] of the step before (in the first step: the dialogue with that number),
  // and its last token is tokens[r]. Rows of a dialogue are contiguous, and dialogues are in their
  // order.
  virtual Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
                       const std::vector<int32_t>& tokens) = 0;
};

class Responder : public Module {
 public:
  explicit Responder(const ModelConfig& config)  // blank, to be loaded; throws UsageError
      : config_((config.check(), config)) {}
  const ModelConfig& config() const { return config_; }
  // Draws the initial weights: by the laws of the layers.
  virtual void init(uint64_t seed) { heed::init(*this, seed); }
  virtual BatchParts parts() const = 0;  // the parts of a batch that it reads
  virtual Taught teach(const Batch& batch, const DropoutMode& drop = {}) const = 0;
  // The encoder's vector of each dialogue of the batch: (B, d), in batch order.
  virtual Var representation(const Batch& batch, Pooling pooling) const = 0;
  // The model and the batch must outlive the result. Not for gradients.
  virtual std::unique_ptr<Writer> read(const Batch& batch) const = 0;

 protected:
  ModelConfig config_;
};

}  // namespace heed
