// Response models whose decoder goes step by step and may look at a memory. Such a model says how
// it reads a context, and what one step computes; teaching and writing follow from that.
#pragma once

#include <memory>
#include <vector>

#include "dialog/parts/output_layer.h"
#include "dialog/respond/responder.h"
#include "nn/attention.h"
#include "nn/lstm.h"

namespace heed {

class StepwiseResponder : public Responder {
 public:
  // What a step leaves to the next one: rows, one for each dialogue or hypothesis.
  struct State {
    LstmState lstm;
    std::vector<Var> rows;  // whatever else, each (B, ...)

    State gather(const Tensor& ids) const;
    State first(int64_t batch) const;
  };
  // Rows that attention looks at, with segments of their own.
  struct Block {
    Attention::Memory memory;
    Segments segments;
  };
  // A context that was read; all in batch order.
  struct Encoded {
    Attention::Memory memory;        // the rows to look at; undefined of a model without attention
    Segments segments;               // of the memory
    State state;                     // starts the decoder
    std::vector<Block> blocks = {};  // what else the model's steps look at
  };
  struct Step {
    std::vector<Var> made;  // (B', ...) each: what hidden() needs of a step
    Var weights;            // of the segments' rows; undefined without attention
    State state;
  };

  virtual Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const = 0;
  // What the input tokens add to a step, i32 (n) -> (n, ...): made for all steps at once.
  virtual Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const = 0;
  // One step of B' rows, each of which looks at its segment of the memory.
  virtual Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
                    const State& state, const DropoutMode& drop = {}) const = 0;
  // What the output layer reads, (n, H), of what n steps made.
  virtual Var hidden(const std::vector<Var>& made) const { return made[0]; }
  virtual const OutputLayer& output() const = 0;

  // Teacher forcing, step after step, from what was read: what the output layer reads in all steps
  // (N', H), the rows of batch.response.packing.
  struct Unrolled {
    Var hidden;
    AttentionTrace attention;
  };
  Unrolled unroll(const Batch& batch, const Encoded& encoded, const DropoutMode& drop = {}) const;
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override {
    return teach_stepwise(batch, encode(batch, drop), drop);
  }
  std::unique_ptr<Writer> read(const Batch& batch) const override;

 protected:
  Taught teach_stepwise(const Batch& batch, const Encoded& encoded, const DropoutMode& drop) const;
  // -log p of the responses, for hidden states (N', H) of all their steps.
  CrossEntropy loss_of(const Batch& batch, const Var& hidden) const {
    return output().loss(hidden, batch.response.targets, batch.response.weights);
  }
};

}  // namespace heed
