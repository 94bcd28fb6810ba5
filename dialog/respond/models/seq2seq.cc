#include "dialog/respond/models/seq2seq.h"

#include "autograd/ops.h"
#include "dialog/respond/stepwise.h"

namespace heed {
namespace {

using Encoder = Structure::Encoder;

// Forward and backward, (N, 2H) and two states a layer, added up.
Lstm::Output add_directions(const Lstm::Output& both) {
  const int64_t rows = both.y.shape()[0], width = both.y.shape()[1] / 2;
  Lstm::Output added{sum(reshape(both.y, {rows, 2, width}), 1), {}};
  for (size_t l = 0; l < both.state.h.size(); l += 2) {
    added.state.h.push_back(both.state.h[l] + both.state.h[l + 1]);
    added.state.c.push_back(both.state.c[l] + both.state.c[l + 1]);
  }
  return added;
}

class Seq2SeqResponder : public StepwiseResponder {
 public:
  explicit Seq2SeqResponder(const ModelConfig& c)
      : StepwiseResponder(c),
        encoder_(c.structure.encoder),
        source_(c.vocab_size, c.embedding_size),
        first_(c.embedding_size, c.hidden_size,
               {.layers = c.num_layers,
                .bias = c.lstm_bias,
                .bidirectional = encoder_ == Encoder::kBothWays}),
        target_(c.vocab_size, c.embedding_size),
        decoder_(c.embedding_size, c.hidden_size, {.layers = c.num_layers, .bias = c.lstm_bias}),
        output_(c.hidden_size, c.vocab_size) {
    if (encoder_ == Encoder::kStacked || encoder_ == Encoder::kUtterances) {
      second_.emplace_back(c.hidden_size, c.hidden_size,
                           LstmOptions{.layers = c.num_layers, .bias = c.lstm_bias});
    }
    if (!attends()) return;
    attention_.emplace_back(c.attention_score(), c.hidden_size, c.hidden_size, c.hidden_size);
    input_.emplace_back(c.embedding_size + c.hidden_size, c.embedding_size);
  }

  void visit(Visitor& v) override {
    v("encoder.embedding", source_);
    v("encoder.lstm", first_);
    for (Lstm& lstm : second_) v("context.lstm", lstm);
    v("decoder.embedding", target_);
    for (Attention& attention : attention_) v("decoder.attention", attention);
    for (Linear& input : input_) v("decoder.combine", input);
    v("decoder.lstm", decoder_);
    v("decoder.output", output_);
  }

  BatchParts parts() const override {
    if (encoder_ == Encoder::kUtterances) return {.sequences = true, .utterances = true};
    return {.memory = MemoryOf::kTokens, .sequences = false};
  }

  Encoded encode(const Batch& batch, const DropoutMode& drop) const override {
    const Lstm::Output context =
        encoder_ == Encoder::kUtterances ? read_utterances(batch, drop) : read_tokens(batch, drop);
    return {attends() ? attention_[0].read(context.y) : Attention::Memory(),
            batch.memory.segments,
            {context.state, {}}};
  }

  // W_in [e; c] + b_in = W_in[:, :E] e + b_in + W_in[:, E:] c: the first part is made for all steps
  // at once. (n, E)
  Var token_part(const Tensor& tokens, const DropoutMode& drop) const override {
    const Var words = drop(target_(tokens), "decoder.embedding");
    return attends() ? affine_columns(words, input_[0].weight, 0) + input_[0].bias : words;
  }

  Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
            const State& state, const DropoutMode& drop) const override {
    const Packing one = Packing::single_step(token_part.shape()[0]);
    Var input = token_part, weights;
    if (attends()) {
      const Attended attended = attention_[0](state.lstm.top(), encoded.memory, segments);
      const Var context = drop(attended.context, "decoder.context");
      input = token_part + affine_columns(context, input_[0].weight, config_.embedding_size);
      weights = attended.weights;
    }
    const Lstm::Output out = decoder_(one, input, state.lstm, drop, "decoder.lstm");
    return {{out.state.top()}, weights, {out.state, {}}};
  }

  const OutputLayer& output() const override { return output_; }

  Taught teach(const Batch& batch, const DropoutMode& drop) const override {
    const Encoded encoded = encode(batch, drop);
    if (attends()) return teach_stepwise(batch, encoded, drop);
    // Every input is known in advance: all steps are one LSTM call.
    const CrossEntropy loss =
        loss_of(batch, decoder_(batch.response.packing, token_part(batch.response.inputs, drop),
                                encoded.state.lstm, drop, "decoder.lstm")
                           .y);
    return {loss.total, loss.nll, {}};
  }

 private:
  bool attends() const { return config_.structure.attention; }

  // The rows of a memory and the states after them, both in batch order.
  Lstm::Output read_tokens(const Batch& batch, const DropoutMode& drop) const {
    const ContextBatch& context = batch.context;
    const Var words = drop(source_(context.tokens), "encoder.embedding");
    Lstm::Output out = first_(context.packing, words, {}, drop, "encoder.lstm");
    if (encoder_ == Encoder::kBothWays) out = add_directions(out);
    if (encoder_ == Encoder::kStacked) {
      out = second_[0](context.packing, drop(out.y, "context.input"), {}, drop, "context.lstm");
    }
    return {gather_rows(out.y, batch.memory.rows), out.state.gather(context.to_batch)};
  }

  Lstm::Output read_utterances(const Batch& batch, const DropoutMode& drop) const {
    const UtteranceBatch& u = batch.utterances;
    const UtteranceSequences& s = batch.sequences;
    const Var words = drop(source_(u.tokens), "encoder.embedding");
    const Var utterances =
        gather_rows(first_(u.packing, words, {}, drop, "encoder.lstm").state.top(), u.to_memory);
    const Lstm::Output out =
        second_[0](s.packing, gather_rows(utterances, s.rows), {}, drop, "context.lstm");
    return {gather_rows(out.y, s.to_memory), out.state.gather(s.to_batch)};
  }

  const Encoder encoder_;
  Embedding source_;
  Lstm first_;
  std::vector<Lstm> second_;  // one or none, and so below
  Embedding target_;
  std::vector<Attention> attention_;
  std::vector<Linear> input_;  // W_in, b_in
  Lstm decoder_;
  SoftmaxOutput output_;
};

}  // namespace

std::unique_ptr<Responder> make_seq2seq(const ModelConfig& config) {
  return std::make_unique<Seq2SeqResponder>(config);
}

}  // namespace heed
