// The five dialogue structures as one model with three switches (Xing & Gulla 2022, Eqs. 1-6).
//
//   encoder      one LSTM over all context tokens, utterances closed by <eou>          Eq. 2
//   memory       its m token states, or its q states at the <eou>s
//   integration  (UI) an LSTM over the q utterance states                              Eq. 6
//   attention    weights = softmax(memory . query), c = weights . memory               Eqs. 3-5
//   decoder      h_t = LSTM([embedding(y_{t-1}); c_{t-1}]), c_0 from the initial state
//   output       logits = W_o tanh(W_c [c_t; h_t])
//
// ModelConfig has three more options (Luong et al. 2015; all together, with non-hier, they give the
// generator of Bruni & Fernández 2017): another score than the dot product, memory . (W query) or
// an additive one (nn/attention.h); a bidirectional encoder, whose concatenated final states start
// the decoder, layer by layer; and a decoder without input feeding,
//                h_t = LSTM(embedding(y_{t-1}))
// whose states are known before any attention: dropout then applies to tanh(W_c [c_t; h_t]), since
// c_{t-1} is not an input.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/stepwise.h"

namespace heed {

class LstmResponder : public StepwiseResponder {
 public:
  explicit LstmResponder(const ModelConfig& config);  // blank, to be loaded
  // Parameters are uniform in [-0.1, 0.1).
  LstmResponder(const ModelConfig& config, uint64_t seed);
  void visit(Visitor& v) override;
  LstmResponder like() const { return LstmResponder(config_); }
  void init(uint64_t seed) override { init_uniform(*this, -0.1, 0.1, seed); }
  BatchParts parts() const override;
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override;

  // An encoded context: the rows to attend to, and the state that starts the decoder.
  struct ReadContext {
    Var memory;         // (M, H)
    Segments segments;  // of the memory
    Tensor query_rows;  // i32 (B): the memory row of each dialogue's last utterance
    LstmState state;
  };
  ReadContext read_context(const Batch& batch, const DropoutMode& drop = {}) const;

  // Besides the LSTM's, the rows of the state are c_{t-1} in dynamic structures. In static ones
  // they are constant: H_q and the contribution of c_0 to the gates of all steps, (B, 4H).
  struct Started : Encoded {
    Attended start;  // c_0 and its weights; in static structures those of all steps
  };
  Started start(const ReadContext& context, const DropoutMode& drop = {}) const;
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const override {
    return start(read_context(batch, drop), drop);
  }
  // Teacher forcing of a batch's responses after the contexts of `started`, perhaps others' ones.
  Taught teach(const Batch& batch, const Started& started, const DropoutMode& drop = {}) const;

  // The contribution to the first decoder layer's gates, (n, 4H).
  Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const override;
  Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
            const State& state, const DropoutMode& drop = {}) const override;
  Var hidden(const std::vector<Var>& made) const override;  // of h_t and c_t
  const OutputLayer& output() const override { return output_; }

 private:
  Taught teach_static(const Batch& batch, const Started& started, const DropoutMode& drop) const;
  Taught teach_unfed(const Batch& batch, const Started& started, const DropoutMode& drop) const;

  Embedding source_;
  Lstm encoder_;
  std::vector<Lstm> integration_;  // one or none
  Embedding target_;
  Lstm decoder_;
  Attention attention_;
  Linear combine_;  // W_c
  SoftmaxOutput output_;
};

}  // namespace heed
