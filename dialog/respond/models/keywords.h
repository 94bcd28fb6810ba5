// Responses with keywords for their query, and a loss on sampled words (Takayama & Arase, "Relevant
// and informative response generation using pointwise mutual information", NLP4ConvAI 2019). Query
// x, the last utterance of the context, or all of it (ModelConfig::whole_query); response y; one
// table of embeddings E; PPMI of the pairs of neighbouring utterances in the training data
// (dialog/text/ppmi.h):
//
//   v_f   = sum over the different words q of x of PPMI(q, .), divided by its sum    (V)
//   h     = GRU(E x_1, E x_2 ...),   m = tanh(W_2 tanh(W_1 v_f + b_1) + b_2)         (H), (H)
//   s_t   = GRU(E y_{t-1}, s_{t-1}),   s_0 = [h; m]                                  (2H)
//   p_t   = (1 - l_t) softmax(W_o s_t) + l_t v_f,   l_t = sigmoid(w . s_t + b)
//
// In training, words are also sampled, and V_pred, the k words with the largest v_f, should be
// among them:
//
//   y~_t  = softmax((ln p_t + g) / tau),   g = -ln(-ln u),   B = sum_t y~_t
//   l_v   = -(1/k) sum over v in V_pred of min(B_v, 1)
//   L     = (1 - a) l_CE + a l_v                                   a: ModelConfig::keyword_weight
//
// The paper does not say how v_f becomes a distribution, nor give k, tau and a. If no word is
// associated with the query, l_t = 0. heed's loss is a sum over steps, so l_v is multiplied by the
// number of its response's steps. All networks have num_layers layers; h is per layer, m shared.
#pragma once

#include <map>
#include <vector>

#include "dialog/data/distraction.h"
#include "dialog/respond/stepwise.h"
#include "dialog/text/ppmi.h"
#include "nn/gru.h"

namespace heed {

class KeywordResponder : public StepwiseResponder {
 public:
  static constexpr size_t kKeywords = 20;                // k
  static constexpr double kTemperature = 1;              // tau
  explicit KeywordResponder(const ModelConfig& config);  // blank, to be loaded
  // PPMI where it is not 0: ppmi.query and ppmi.response, i32 (n), which are word ids, and
  // ppmi.value (n).
  static Tables learn(const ModelConfig& config, const TrainData& data, uint64_t seed);

  void visit(Visitor& v) override;
  BatchParts parts() const override {
    return {.sequences = false, .queries = !config_.whole_query};
  }
  Var representation(const Batch& batch, Pooling pooling) const override;
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const override;  // (n, E)
  Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
            const State& state, const DropoutMode& drop = {}) const override;
  Var hidden(const std::vector<Var>& made) const override { return concat(made, 1); }
  const OutputLayer& output() const override { return output_; }
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override;

  // v_f of each dialogue, where it is not 0.
  std::vector<std::map<int32_t, double>> scores(const Batch& batch) const;
  // l_v of the words y~ (N', V) sampled in all steps, times the number of steps of its response, in
  // total.
  Var keyword_loss(const Batch& batch, const Var& drawn) const;

 private:
  GruState read_query(const Batch& batch, const DropoutMode& drop) const;  // h, in batch order

  Ppmi ppmi_;
  Embedding embedding_;
  Gru query_;
  Linear first_, second_;  // W_1, b_1; W_2, b_2
  Gru decoder_;
  MixedOutput output_;
};

}  // namespace heed
