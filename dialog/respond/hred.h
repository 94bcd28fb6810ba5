// A hierarchical recurrent encoder-decoder with attention (Sordoni et al. 2015; in this form
// Parthasarathi, Pineau & Chandar 2020, section 3): every utterance is read on its own, and a
// second LSTM reads the utterances.
//
//   u_k      = last state of LSTM(tokens of utterance k, <eou> last), from zero
//   g_1..g_q = LSTM(u_1 .. u_q); its final state starts the decoder
//   c_t      = sum_k a_tk g_k,   a_t = softmax_k(v . tanh(W_q s_{t-1} + W_m g_k))
//   s_t      = LSTM(W_in [embedding(y_{t-1}); c_t] + b_in, s_{t-1}),   logits = W_o s_t
//
// All LSTMs have num_layers layers; states are those of the top layer. W_o has no bias, as in all
// response models of heed.
#pragma once

#include <memory>

#include "dialog/respond/responder.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/lstm.h"

namespace heed {

class HredResponder : public Responder {
 public:
  explicit HredResponder(const ModelConfig& config);  // blank, to be loaded
  void visit(Visitor& v) override;
  const ModelConfig& config() const override { return config_; }
  BatchParts parts() const override { return {.sequences = true, .utterances = true}; }
  void init(uint64_t seed) override { heed::init(*this, seed); }
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var representation(const Batch& batch, Pooling pooling) const override;
  std::unique_ptr<Writer> read(const Batch& batch) const override;

  struct Encoded {
    AdditiveAttention::Memory
        memory;       // g_1..g_q, dialogue after dialogue, and what is made of them
    LstmState state;  // starts the decoder
  };
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const;
  // What the last tokens add to the decoder's input: i32 (n) -> (n, E)
  Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const;
  struct Step {
    Var weights;  // of the segments' rows
    LstmState state;
  };
  Step step(const AdditiveAttention::Memory& memory, const Segments& segments,
            const Var& token_part, const LstmState& state, const DropoutMode& drop = {}) const;
  Var logits(const Var& hidden) const { return output_(hidden); }

 private:
  ModelConfig config_;
  Embedding source_;
  Lstm utterance_, context_;
  Embedding target_;
  AdditiveAttention attention_;
  Linear input_;  // W_in, b_in
  Lstm decoder_;
  Linear output_;
};

}  // namespace heed
