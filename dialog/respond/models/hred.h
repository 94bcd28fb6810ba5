// HRED of GRUs, with attention to words and with noise (Olabiyi, Salimov, Khazane & Mueller,
// "Multi-turn dialogue response generation in an adversarial learning framework", NLP4ConvAI 2019,
// section 3.1): the generator of hredGAN. Utterances x_1..x_q, tokens w_k1, w_k2 ..., <eou> last;
// response y; one table of embeddings E for all:
//
//   u_k  = the last states, both directions, of eRNN(E w_k1, E w_k2 ...)      (2H)
//   g_k  = cRNN(u_k, g_{k-1}),   g_0 = 0                                      (H)
//   h'_j = aRNN(E w_j), both directions, each utterance from zero             (2H)
//   a_t  = sum_j softmax_j(v . tanh(W_q s_{t-1} + W_m h'_j)) h'_j             (2H)
//   s_t  = dRNN([E y_{t-1}; g_q; z_t; a_t], s_{t-1}),   logits = W_o s_t
//   s_0  of layer l = tanh(W_l [g_q of layer l; last states, both ways, of layer l of aRNN] + b_l)
//
//   structure                a_t attends to
//   hred-gru                 nothing: no aRNN, no a_t
//   hred-attention-current   the words of the current utterance x_q, as in the paper
//   hred-attention           the words of all utterances; s_0 has aRNN's states after x_q
//
// Only hred-attention has attention scores: with the current utterance alone, the history gets 0 by
// construction.
//
// z_t ~ N(0, I), of E numbers, is drawn only in training (ModelConfig::noise): never, once per
// response, or once per word; otherwise it is 0. The paper gives neither the size of z nor how the
// states of aRNN and cRNN make s_0. W_o has no bias, as in all response models of heed. All
// networks have num_layers layers, with both biases of PyTorch's GRU.
#pragma once

#include <vector>

#include "dialog/respond/stepwise.h"
#include "nn/gru.h"

namespace heed {

class HredResponder : public StepwiseResponder {
 public:
  enum class LooksAt { kNothing, kCurrent, kAll };

  HredResponder(const ModelConfig& config, LooksAt looks_at);  // blank, to be loaded

  void visit(Visitor& v) override;
  BatchParts parts() const override;
  Var representation(const Batch& batch, Pooling pooling) const override;
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const override;  // (n, 3H)
  Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
            const State& state, const DropoutMode& drop = {}) const override;
  const OutputLayer& output() const override { return output_; }

  // The parts that a word-level discriminator shares: E, and the states g_q of cRNN, all layers, in
  // batch order.
  const Embedding& embedding() const { return embedding_; }
  GruState read_dialogues(const Batch& batch, const DropoutMode& drop = {}) const;
  // The contribution of noise z (n, E) to a token_part(), or to state.rows[0] for a whole answer.
  Var noise_part(const Tensor& z) const;

 private:
  bool attends() const { return looks_at_ != LooksAt::kNothing; }
  Tensor noise(int64_t rows, const DropoutMode& drop) const;  // (rows, E)

  LooksAt looks_at_;
  Embedding embedding_;
  Gru utterances_, dialogues_;  // eRNN, cRNN
  std::vector<Gru> words_;      // aRNN; one or none, and so below
  std::vector<AdditiveAttention> attention_;
  std::vector<Linear> start_;  // W_l, b_l
  Gru decoder_;
  SoftmaxOutput output_;
};

}  // namespace heed
