// Two vocabularies and a gate (Chikai, Takayama & Arase, "Responsive and self-expressive dialogue
// generation", NLP4ConvAI 2019, section 3): a response in a desired domain d, whose words carry a
// desired sentiment s. The vocabulary has generic words, then sentiment words. Context tokens x_1,
// x_2 ..., each utterance with its <eou>; response y; one table of embeddings E:
//
//   h_txt = sigmoid(W_txt h_ave),   h_ave = mean_t BLSTM(E x_t)
//   h_dom = relu(W_2 relu(W_1 e_d))                             e_d, h_dom of E / 4 numbers
//   h_0   of layer l = W_enc,l [h_txt; h_dom],   cells 0
//   h_t   = LSTM([E y_{t-1}; e_s], h_{t-1})                     e_s of E / 4 numbers
//   a_t   = sigmoid(w_a h_t)
//   o_t   = [(1 - a_t) softmax(W_g h_t); a_t softmax(W_s h_t)]
//   L     = - sum_t ln o_t(y_t) - gate_weight sum_t q_t ln a_t,   q_t: y_t is a sentiment word
//
// The labels of d and s are those of ModelConfig::conditions(); for several values e is the mean,
// for none it is 0. The text does not give the initial cells. Sizes without a setting in heed have
// the text's ratio, 256 to 64 numbers.
#pragma once

#include "dialog/respond/stepwise.h"
#include "nn/init.h"

namespace heed {

class TwoVocabularyResponder : public StepwiseResponder {
 public:
  explicit TwoVocabularyResponder(const ModelConfig& config);  // blank, to be loaded

  void visit(Visitor& v) override;
  const ModelConfig& config() const override { return config_; }
  BatchParts parts() const override { return {.memory = MemoryOf::kTokens, .sequences = false}; }
  void init(uint64_t seed) override { heed::init(*this, seed); }
  Var representation(const Batch& batch, Pooling pooling) const override;
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const override;  // (n, 4H)
  Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
            const State& state, const DropoutMode& drop = {}) const override;
  const OutputLayer& output() const override { return output_; }
  Taught teach(const Batch& batch, const DropoutMode& drop = {}) const override;

 private:
  ModelConfig config_;
  Embedding embedding_;
  Lstm reader_;
  Linear text_;                 // W_txt
  Embedding domain_;            // rows e_d
  Linear domain_1_, domain_2_;  // W_1, W_2
  std::vector<Linear> start_;   // W_enc of each layer
  Embedding sentiment_;         // rows e_s
  Lstm decoder_;
  GatedOutput output_;
};

}  // namespace heed
