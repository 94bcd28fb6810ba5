// A Transformer that responds (Vaswani et al. 2017), pre-normalised (Xiong et al. 2020), in the
// form of Parthasarathi, Pineau & Chandar 2020: d = hidden_size, num_layers layers on each side,
// feed-forward parts of 4 d with ReLU.
//
//   z_0 = sqrt(d) embedding(x) + P,  P sinusoidal;   encoder layers, then a norm: e_1 .. e_m
//   decoder layers: causal self-attention, attention to e, feed-forward; a norm: s_t;
//   logits = W_o s_t
//
// Its memory is the m tokens of the context. Its attention is the mean over the heads of the last
// layer's attention to e.
#pragma once

#include <memory>
#include <vector>

#include "dialog/parts/output_layer.h"
#include "dialog/respond/responder.h"
#include "nn/transformer.h"

namespace heed {

class TransformerResponder : public Responder {
 public:
  explicit TransformerResponder(const ModelConfig& config);  // blank, to be loaded
  void visit(Visitor& v) override;
  const ModelConfig& config() const override { return config_; }
  BatchParts parts() const override { return {.memory = MemoryOf::kTokens, .sequences = false}; }
  // By the laws of the layers, but tables from N(0, 1 / d): times sqrt(d) they are as large as P.
  void init(uint64_t seed) override;
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var representation(const Batch& batch, Pooling pooling) const override;
  std::unique_ptr<Writer> read(const Batch& batch) const override;

  // e_1 .. e_m of all dialogues, one after the other.
  Var encode(const Batch& batch, const DropoutMode& drop = {}) const;
  // sqrt(d) embedding(y) + P of the last tokens, i32 (n), at these positions of their responses
  Var embed(const Tensor& tokens, const std::vector<int32_t>& positions,
            const DropoutMode& drop = {}) const;
  const std::vector<TransformerDecoderLayer>& decoder() const { return decoder_; }
  Var logits(const Var& y) const { return output_.logits(decoder_norm_(y)); }

 private:
  ModelConfig config_;
  Embedding source_;
  std::vector<TransformerEncoderLayer> encoder_;
  LayerNorm encoder_norm_;
  Embedding target_;
  std::vector<TransformerDecoderLayer> decoder_;
  LayerNorm decoder_norm_;
  SoftmaxOutput output_;
};

}  // namespace heed
