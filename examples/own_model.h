// Your own response model, in one file: a bag of words for each utterance, and an LSTM that attends
// to these bags in every step.
//   m_k = tanh(W mean(embeddings of utterance k) + b)      the memory, a row an utterance
//   h_0 = c_0 = mean_k m_k                                 in every layer
//   c_t = sum_k a_tk m_k,   a_t = softmax_k(m_k . h_{t-1})
//   h_t = LSTM([embedding(y_{t-1}); c_t], h_{t-1}),   logits = W_o h_t
#pragma once

#include "autograd/ops.h"
#include "dialog/respond/stepwise.h"

class BagOfWords : public heed::StepwiseResponder {
 public:
  explicit BagOfWords(const heed::ModelConfig& config)
      : StepwiseResponder(config),
        words_(config.vocab_size, config.embedding_size),
        reader_(config.embedding_size, config.hidden_size),
        decoder_(config.embedding_size + config.hidden_size, config.hidden_size,
                 {.layers = config.num_layers}),
        output_(config.hidden_size, config.vocab_size) {}

  void visit(heed::Visitor& v) override {
    v("words", words_);
    v("reader", reader_);
    v("decoder", decoder_);
    v("output", output_);
  }
  heed::BatchParts parts() const override { return {.sequences = false, .utterances = true}; }

  Encoded encode(const heed::Batch& batch, const heed::DropoutMode& drop) const override {
    const heed::UtteranceBatch& u = batch.utterances;
    const heed::Var words = drop(words_(u.tokens), "words");
    const heed::Var bags = gather_rows(segment_mean(words, u.packing), u.to_memory);
    const heed::Var memory = tanh(reader_(bags));
    const heed::Segments& dialogues = batch.memory.segments;
    const std::vector<heed::Var> start(config_.num_layers, segment_mean(memory, dialogues));
    return {
        {.keys = {}, .values = memory}, dialogues, {.lstm = {.h = start, .c = start}, .rows = {}}};
  }

  heed::Var token_part(const heed::Tensor& tokens, const heed::DropoutMode& drop) const override {
    return drop(words_(tokens), "tokens");
  }

  Step step(const Encoded& encoded, const heed::Segments& segments, const heed::Var& token_part,
            const State& state, const heed::DropoutMode& drop) const override {
    const heed::Attended looked = attend(state.lstm.top(), encoded.memory.values, segments);
    const heed::Lstm::Output out =
        decoder_(heed::Packing::single_step(token_part.shape()[0]),
                 heed::concat({token_part, looked.context}, 1), state.lstm, drop);
    return {{out.y}, looked.weights, {out.state, {}}};
  }
  const heed::OutputLayer& output() const override { return output_; }

 private:
  heed::Embedding words_;
  heed::Linear reader_;
  heed::Lstm decoder_;
  heed::SoftmaxOutput output_;
};
