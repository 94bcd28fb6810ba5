#include "dialog/respond/hred.h"

#include <numeric>

#include "autograd/keep_packed.h"
#include "autograd/ops.h"

namespace heed {
namespace {

LstmOptions lstm_options(const ModelConfig& c) {
  return {.layers = c.num_layers, .bias = c.lstm_bias};
}

class HredWriter : public Writer {
 public:
  HredWriter(const HredResponder& model, const Batch& batch)
      : model_(model),
        encoded_(model.encode(batch)),
        segments_(batch.memory.segments),
        state_(encoded_.state) {}

  Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
               const std::vector<int32_t>& tokens) override {
    const Device device = state_.top().device();
    const Segments looked_at = segments_.select(dialogues);
    const HredResponder::Step out =
        model_.step(encoded_.memory, looked_at, model_.token_part(Tensor::from(tokens, device)),
                    state_.gather(Tensor::from(parents, device)));
    state_ = out.state;
    Written written{
        model_.logits(state_.top()).value().to(Device()), out.weights.value().to_vector(), {}};
    for (int64_t r = 0; r < looked_at.count(); ++r) written.begin.push_back(looked_at.begin(r));
    written.begin.push_back(looked_at.total());
    return written;
  }

 private:
  const HredResponder& model_;
  const HredResponder::Encoded encoded_;
  const Segments segments_;
  LstmState state_;
};

}  // namespace

HredResponder::HredResponder(const ModelConfig& c)
    : config_((c.check(), c)),
      source_(c.vocab_size, c.embedding_size),
      utterance_(c.embedding_size, c.hidden_size, lstm_options(c)),
      context_(c.hidden_size, c.hidden_size, lstm_options(c)),
      target_(c.vocab_size, c.embedding_size),
      attention_(c.hidden_size, c.hidden_size, c.hidden_size),
      input_(c.embedding_size + c.hidden_size, c.embedding_size),
      decoder_(c.embedding_size, c.hidden_size, lstm_options(c)),
      output_(c.hidden_size, c.vocab_size, /*with_bias=*/false) {}

void HredResponder::visit(Visitor& v) {
  v("encoder.embedding", source_);
  v("encoder.lstm", utterance_);
  v("context.lstm", context_);
  v("decoder.embedding", target_);
  v("decoder.attention", attention_);
  v("decoder.combine", input_);
  v("decoder.lstm", decoder_);
  v("decoder.output", output_);
}

HredResponder::Encoded HredResponder::encode(const Batch& batch, const DropoutMode& drop) const {
  const UtteranceBatch& u = batch.utterances;
  const MemorySequences& s = batch.sequences;
  const Var words = drop(source_(u.tokens), "encoder.embedding");
  const Var utterances =
      gather_rows(utterance_(u.packing, words, {}, drop, "encoder.lstm").state.top(), u.to_memory);
  const Lstm::Output read =
      context_(s.packing, gather_rows(utterances, s.rows), {}, drop, "context.lstm");
  return {attention_.read(gather_rows(read.y, s.to_memory)), read.state.gather(s.to_batch)};
}

// W_in [e; c] + b_in = W_in[:, :E] e + b_in + W_in[:, E:] c: the first part is made for all steps
// at once.
Var HredResponder::token_part(const Tensor& tokens, const DropoutMode& drop) const {
  return affine_columns(drop(target_(tokens), "decoder.embedding"), input_.weight, 0) + input_.bias;
}

HredResponder::Step HredResponder::step(const AdditiveAttention::Memory& memory,
                                        const Segments& segments, const Var& token_part,
                                        const LstmState& state, const DropoutMode& drop) const {
  const Attended attended = attention_(state.top(), memory, segments);
  const Var context = drop(attended.context, "decoder.context");
  const Var input = token_part + affine_columns(context, input_.weight, config_.embedding_size);
  const Packing one = Packing::single_step(token_part.shape()[0]);
  return {attended.weights, decoder_(one, input, state, drop, "decoder.lstm").state};
}

Taught HredResponder::teach(const Batch& batch, const DropoutMode& drop) const {
  const Encoded encoded = encode(batch, drop);
  const Packing& packing = batch.response.packing;
  const Segments& segments = batch.memory.segments;
  const Var words = token_part(batch.response.inputs, drop);
  LstmState state = encoded.state;
  std::vector<Var> hidden, weights;
  {
    KeepPacked weights_of_all_steps;
    for (int64_t t = 0; t < packing.steps(); ++t) {
      const int64_t running = packing.batch_size(t), at = packing.offset(t);
      Step out = step(encoded.memory, segments.first(running), rows(words, at, at + running),
                      state.first(running), drop.at(t));
      state = std::move(out.state);
      hidden.push_back(state.top());
      weights.push_back(out.weights);
    }
  }
  const CrossEntropy loss =
      linear_cross_entropy(concat(hidden, 0), output_.weight, batch.response.targets);
  return {loss.total, loss.nll, AttentionTrace::step_by_step(weights, segments)};
}

Var HredResponder::representation(const Batch& batch, Pooling pooling) const {
  return pool_layers(encode(batch).state, pooling);  // of the second LSTM
}

std::unique_ptr<Writer> HredResponder::read(const Batch& batch) const {
  return std::make_unique<HredWriter>(*this, batch);
}

}  // namespace heed
