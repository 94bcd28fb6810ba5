// The five dialogue structures as one model with three switches (Xing & Gulla 2022, Eqs. 1-6).
//
//   encoder      one LSTM over all context tokens, utterances closed by <eou>          Eq. 2
//   memory       its m token states, or its q states at the <eou>s
//   integration  (UI) an LSTM over the q utterance states                              Eq. 6
//   attention    weights = softmax(memory . query), c = weights . memory               Eqs. 3-5
//   decoder      h_t = LSTM([embedding(y_{t-1}); c_{t-1}]), c_0 from the initial state
//   output       logits = W_o tanh(W_c [c_t; h_t])
//
// ModelConfig has three options beside (Luong et al. 2015; all together, with non-hier, the
// generator of Bruni & Fernández 2017): another score than the dot product, memory . (W query) or
// an additive one (nn/attention.h); an encoder in both directions, whose final states start the
// decoder side by side, layer by layer; and a decoder without input feeding,
//                h_t = LSTM(embedding(y_{t-1}))
// whose states are then known before any attention: dropout falls on tanh(W_c [c_t; h_t]), in place
// of the c_{t-1} that is not fed.
#pragma once

#include <string>
#include <vector>

#include "dialog/respond/responder.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/lstm.h"

namespace heed {

class LstmResponder : public Responder {
 public:
  explicit LstmResponder(const ModelConfig& config);  // blank, to be loaded
  // Parameters are uniform in [-0.1, 0.1).
  LstmResponder(const ModelConfig& config, uint64_t seed);
  void visit(Visitor& v) override;
  LstmResponder like() const { return LstmResponder(config_); }
  const ModelConfig& config() const override { return config_; }
  void init(uint64_t seed) override { init_uniform(*this, -0.1, 0.1, seed); }
  BatchParts parts() const override;
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var representation(const Batch& batch, Pooling pooling) const override;
  std::unique_ptr<Writer> read(const Batch& batch) const override;

  // What a context leaves behind: rows to look at, and the state that starts the decoder.
  struct ReadContext {
    Var memory;         // (M, H)
    Segments segments;  // of the memory
    Tensor query_rows;  // i32 (B): the memory row of each dialogue's last utterance
    LstmState state;
  };
  ReadContext read_context(const Batch& batch, const DropoutMode& drop = {}) const;

  // What the decoder starts from; all in batch order.
  struct Encoded {
    Attention::Memory memory;  // (M, H)
    Segments segments;         // of the memory
    LstmState state;           // starts the decoder
    Attended start;            // c_0 and its weights; for static structures those of all steps
    Var context_gates;  // for static structures, (B, 4H): what c_0 adds to the gates in all steps
  };
  Encoded encode(const ReadContext& context, const DropoutMode& drop = {}) const;
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const {
    return encode(read_context(batch, drop), drop);
  }
  // The responses of a batch after what was encoded, perhaps of other contexts than its own.
  Taught teach(const Batch& batch, const Encoded& encoded, const DropoutMode& drop = {}) const;

  // One decoding step for the first `rows of token_gates` dialogues. Static structures read `start`
  // and `context_gates` of `encoded`, dynamic ones its memory.
  struct Step {
    Var hidden;         // (B', H): h_t of the top layer
    Attended attended;  // c_t, weights
    LstmState state;
  };
  Step step(const Encoded& encoded, const Var& token_gates, const Var& context,
            const LstmState& state, const DropoutMode& drop = {}) const;
  // What the input tokens add to the first decoder layer's gates, i32 (n) -> (n, 4H).
  Var token_gates(const Tensor& tokens, const DropoutMode& drop = {}) const;
  // logits (n, V) for hidden states and contexts (n, H)
  Var logits(const Var& hidden, const Var& context) const;

 private:
  struct Side : Module {
    Side(const ModelConfig& config, Lstm reads);
    void visit(Visitor& v) override;
    Embedding embedding;
    Lstm lstm;
  };
  struct Integration : Module {
    explicit Integration(const ModelConfig& config);
    void visit(Visitor& v) override { v("lstm", lstm); }
    Lstm lstm;
  };
  struct Decoder : Side {
    explicit Decoder(const ModelConfig& config);
    void visit(Visitor& v) override;
    Attention attention;
    Linear combine, output;
  };
  struct Decoded {
    Var z;  // tanh(W_c [c_t; h_t]), (N', H)
    AttentionTrace attention;
  };
  Decoded decode_static(const Batch& batch, const Encoded& encoded, const DropoutMode& drop) const;
  Decoded decode_dynamic(const Batch& batch, const Encoded& encoded, const DropoutMode& drop) const;
  Decoded decode_unfed(const Batch& batch, const Encoded& encoded, const DropoutMode& drop) const;

  ModelConfig config_;
  Side encoder_;
  std::vector<Integration> integration_;  // one or none
  Decoder decoder_;
};

}  // namespace heed
