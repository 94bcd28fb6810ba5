#include "dialog/respond/seq2seq.h"

#include <numeric>

#include "autograd/keep_packed.h"
#include "autograd/ops.h"

namespace heed {
namespace {

using Encoder = Structure::Encoder;

LstmOptions lstm_options(const ModelConfig& c) {
  return {.layers = c.num_layers, .bias = c.lstm_bias};
}

LstmOptions reader_options(const ModelConfig& c) {
  LstmOptions options = lstm_options(c);
  options.bidirectional = c.structure.encoder == Encoder::kBothWays;
  return options;
}

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

class Seq2SeqWriter : public Writer {
 public:
  Seq2SeqWriter(const Seq2SeqResponder& model, const Batch& batch)
      : model_(model),
        encoded_(model.encode(batch)),
        segments_(batch.memory.segments),
        state_(encoded_.state) {}

  Written step(const std::vector<int32_t>& dialogues, const std::vector<int32_t>& parents,
               const std::vector<int32_t>& tokens) override {
    const Device device = state_.top().device();
    const Segments looked_at = segments_.select(dialogues);
    const Seq2SeqResponder::Step out =
        model_.step(encoded_.memory, looked_at, model_.token_part(Tensor::from(tokens, device)),
                    state_.gather(Tensor::from(parents, device)));
    state_ = out.state;
    Written written{model_.logits(state_.top()).value(),
                    model_.attends() ? out.weights.value().to_vector() : std::vector<double>{},
                    {}};
    for (int64_t r = 0; r < looked_at.count(); ++r) written.begin.push_back(looked_at.begin(r));
    written.begin.push_back(looked_at.total());
    return written;
  }

 private:
  const Seq2SeqResponder& model_;
  const Seq2SeqResponder::Encoded encoded_;
  const Segments segments_;
  LstmState state_;
};

}  // namespace

Seq2SeqResponder::Seq2SeqResponder(const ModelConfig& c)
    : config_((c.check(), c)),
      source_(c.vocab_size, c.embedding_size),
      first_(c.embedding_size, c.hidden_size, reader_options(c)),
      target_(c.vocab_size, c.embedding_size),
      decoder_(c.embedding_size, c.hidden_size, lstm_options(c)),
      output_(c.hidden_size, c.vocab_size, /*with_bias=*/false) {
  const Encoder encoder = c.structure.encoder;
  if (encoder == Encoder::kStacked || encoder == Encoder::kUtterances) {
    second_.emplace_back(c.hidden_size, c.hidden_size, lstm_options(c));
  }
  if (!attends()) return;
  attention_.emplace_back(c.attention_score(), c.hidden_size, c.hidden_size, c.hidden_size);
  input_.emplace_back(c.embedding_size + c.hidden_size, c.embedding_size);
}

void Seq2SeqResponder::visit(Visitor& v) {
  v("encoder.embedding", source_);
  v("encoder.lstm", first_);
  for (Lstm& lstm : second_) v("context.lstm", lstm);
  v("decoder.embedding", target_);
  for (Attention& attention : attention_) v("decoder.attention", attention);
  for (Linear& input : input_) v("decoder.combine", input);
  v("decoder.lstm", decoder_);
  v("decoder.output", output_);
}

BatchParts Seq2SeqResponder::parts() const {
  if (config_.structure.encoder == Encoder::kUtterances) {
    return {.sequences = true, .utterances = true};
  }
  return {.memory = MemoryOf::kTokens, .sequences = false};
}

Seq2SeqResponder::ReadContext Seq2SeqResponder::read_tokens(const Batch& batch,
                                                            const DropoutMode& drop) const {
  const ContextBatch& context = batch.context;
  const Var words = drop(source_(context.tokens), "encoder.embedding");
  Lstm::Output out = first_(context.packing, words, {}, drop, "encoder.lstm");
  if (config_.structure.encoder == Encoder::kBothWays) out = add_directions(out);
  if (config_.structure.encoder == Encoder::kStacked) {
    out = second_[0](context.packing, drop(out.y, "context.input"), {}, drop, "context.lstm");
  }
  return {gather_rows(out.y, batch.memory.rows), out.state.gather(context.to_batch)};
}

Seq2SeqResponder::ReadContext Seq2SeqResponder::read_utterances(const Batch& batch,
                                                                const DropoutMode& drop) const {
  const UtteranceBatch& u = batch.utterances;
  const MemorySequences& s = batch.sequences;
  const Var words = drop(source_(u.tokens), "encoder.embedding");
  const Var utterances =
      gather_rows(first_(u.packing, words, {}, drop, "encoder.lstm").state.top(), u.to_memory);
  const Lstm::Output out =
      second_[0](s.packing, gather_rows(utterances, s.rows), {}, drop, "context.lstm");
  return {gather_rows(out.y, s.to_memory), out.state.gather(s.to_batch)};
}

Seq2SeqResponder::Encoded Seq2SeqResponder::encode(const Batch& batch,
                                                   const DropoutMode& drop) const {
  const ReadContext context = config_.structure.encoder == Encoder::kUtterances
                                  ? read_utterances(batch, drop)
                                  : read_tokens(batch, drop);
  if (!attends()) return {{}, context.state};
  return {attention_[0].read(context.memory), context.state};
}

// W_in [e; c] + b_in = W_in[:, :E] e + b_in + W_in[:, E:] c: the first part is made for all steps
// at once.
Var Seq2SeqResponder::token_part(const Tensor& tokens, const DropoutMode& drop) const {
  const Var words = drop(target_(tokens), "decoder.embedding");
  return attends() ? affine_columns(words, input_[0].weight, 0) + input_[0].bias : words;
}

Seq2SeqResponder::Step Seq2SeqResponder::step(const Attention::Memory& memory,
                                              const Segments& segments, const Var& token_part,
                                              const LstmState& state,
                                              const DropoutMode& drop) const {
  const Packing one = Packing::single_step(token_part.shape()[0]);
  if (!attends()) return {{}, decoder_(one, token_part, state, drop, "decoder.lstm").state};
  const Attended attended = attention_[0](state.top(), memory, segments);
  const Var context = drop(attended.context, "decoder.context");
  const Var input = token_part + affine_columns(context, input_[0].weight, config_.embedding_size);
  return {attended.weights, decoder_(one, input, state, drop, "decoder.lstm").state};
}

Taught Seq2SeqResponder::teach(const Batch& batch, const DropoutMode& drop) const {
  return attends() ? teach_attending(batch, drop) : teach_blind(batch, drop);
}

// Every input is known in advance: all steps are one LSTM call.
Taught Seq2SeqResponder::teach_blind(const Batch& batch, const DropoutMode& drop) const {
  const Var hidden = decoder_(batch.response.packing, token_part(batch.response.inputs, drop),
                              encode(batch, drop).state, drop, "decoder.lstm")
                         .y;
  const CrossEntropy loss = linear_cross_entropy(hidden, output_.weight, batch.response.targets, 0,
                                                 batch.response.weights);
  return {loss.total, loss.nll, {}};
}

Taught Seq2SeqResponder::teach_attending(const Batch& batch, const DropoutMode& drop) const {
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
  const CrossEntropy loss = linear_cross_entropy(concat(hidden, 0), output_.weight,
                                                 batch.response.targets, 0, batch.response.weights);
  return {loss.total, loss.nll, AttentionTrace::step_by_step(weights, segments)};
}

Var Seq2SeqResponder::representation(const Batch& batch, Pooling pooling) const {
  return pool_layers(encode(batch).state, pooling);
}

std::unique_ptr<Writer> Seq2SeqResponder::read(const Batch& batch) const {
  return std::make_unique<Seq2SeqWriter>(*this, batch);
}

}  // namespace heed
