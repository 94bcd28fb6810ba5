// Response models whose decoder works step by step and may attend to a memory. Such a model defines
// how it reads a context, and what one step computes; teacher forcing and writing follow from that.
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
  using Responder::Responder;

  // The state that a step passes to the next one: rows, one for each dialogue or hypothesis.
  struct State {
    LstmState lstm;
    std::vector<Var> rows;  // anything else, each (B, ...)

    State gather(const Tensor& ids) const;
    State first(int64_t batch) const;
  };
  // Rows to attend to, with segments of their own.
  struct Block {
    Attention::Memory memory;
    Segments segments;
  };
  // An encoded context; all in batch order.
  struct Encoded {
    Attention::Memory memory;        // the rows to attend to; undefined without attention
    Segments segments;               // of the memory
    State state;                     // starts the decoder
    std::vector<Block> blocks = {};  // more rows that the model's steps attend to
  };
  struct Step {
    std::vector<Var> made;  // (B', ...) each: the step's results that hidden() needs
    Var weights;            // of the segments' rows; undefined without attention
    State state;
  };

  virtual Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const = 0;
  // The contribution of input tokens to a step, i32 (n) -> (n, ...), for all steps at once.
  virtual Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const = 0;
  // One step of B' rows, each of which attends to its segment of the memory.
  virtual Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
                    const State& state, const DropoutMode& drop = {}) const = 0;
  // The input of the output layer, (n, H), from the results of n steps.
  virtual Var hidden(const std::vector<Var>& made) const { return made[0]; }
  virtual const OutputLayer& output() const = 0;

  // Teacher forcing, step after step, after the encoded context: the input of the output layer in
  // all steps (N', H), the rows of batch.response.packing.
  struct Unrolled {
    Var hidden;
    AttentionTrace attention;
  };
  Unrolled unroll(const Batch& batch, const Encoded& encoded, const DropoutMode& drop = {}) const;
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override {
    return teach_stepwise(batch, encode(batch, drop), drop);
  }
  std::unique_ptr<Writer> read(const Batch& batch) const override;
  // Of the state that starts the decoder.
  Var representation(const Batch& batch, Pooling pooling) const override {
    return pool_layers(encode(batch).state.lstm, pooling);
  }

 protected:
  Taught teach_stepwise(const Batch& batch, const Encoded& encoded, const DropoutMode& drop) const;
  // -log p of the responses, for hidden states (N', H) of all their steps.
  CrossEntropy loss_of(const Batch& batch, const Var& hidden) const {
    return output().loss(hidden, batch.response.targets, batch.response.weights);
  }
};

// Writes after encoded contexts, which are its dialogues, in their order.
class StepWriter : public Writer {
 public:
  StepWriter(const StepwiseResponder& model, StepwiseResponder::Encoded encoded);
  Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
               const std::vector<int32_t>& tokens) override;

 protected:
  const std::vector<int32_t>& dialogues() const { return dialogues_; }  // of each row of the step
  virtual Var token_part(const std::vector<int32_t>& tokens);

 private:
  Tensor ids(const std::vector<int32_t>& values) const {
    return Tensor::from(values, state_.lstm.h[0].device());
  }

  const StepwiseResponder& model_;
  const StepwiseResponder::Encoded encoded_;
  Segments segments_;  // of encoded_, one for each row; rows of a dialogue share theirs
  StepwiseResponder::State state_;
  std::vector<int32_t> dialogues_;
  std::vector<int32_t> rows_;  // 0, 1, ...: what `parents` is where no row moves
};

}  // namespace heed
