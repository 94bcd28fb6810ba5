#include "dialog/respond/models/hred.h"

#include "autograd/ops.h"
#include "tensor/random_tensor.h"

namespace heed {
namespace {

using LooksAt = HredResponder::LooksAt;

// Columns of the decoder's input [E y; g; z; a]: what stands before z, and the whole.
int64_t before_noise(const ModelConfig& c) {
  return c.embedding_size + c.hidden_size;
}
int64_t noise_size(const ModelConfig& c) {
  return c.noise == Noise::kNone ? 0 : c.embedding_size;
}
int64_t input_size(const ModelConfig& c, LooksAt looks_at) {
  const int64_t attended = looks_at == LooksAt::kNothing ? 0 : 2 * c.hidden_size;
  return before_noise(c) + noise_size(c) + attended;
}

}  // namespace

HredResponder::HredResponder(const ModelConfig& c, LooksAt looks_at)
    : StepwiseResponder(c),
      looks_at_(looks_at),
      embedding_(c.vocab_size, c.embedding_size),
      utterances_(c.embedding_size, c.hidden_size, {.layers = c.num_layers, .bidirectional = true}),
      dialogues_(2 * c.hidden_size, c.hidden_size, {.layers = c.num_layers}),
      decoder_(input_size(c, looks_at), c.hidden_size, {.layers = c.num_layers}),
      output_(c.hidden_size, c.vocab_size) {
  const int64_t h = c.hidden_size;
  for (int64_t l = 0; l < c.num_layers; ++l) start_.emplace_back(attends() ? 3 * h : h, h);
  if (!attends()) return;
  words_.push_back(utterances_.like());
  attention_.emplace_back(h, 2 * h, h);
}

void HredResponder::visit(Visitor& v) {
  v("encoder.embedding", embedding_);
  v("encoder.gru", utterances_);
  v("context.gru", dialogues_);
  for (Gru& gru : words_) v("attention.gru", gru);
  for (AdditiveAttention& attention : attention_) v("decoder.attention", attention);
  v("decoder.start", start_);
  v("decoder.gru", decoder_);
  v("decoder.output", output_);
}

BatchParts HredResponder::parts() const {
  const bool all = looks_at_ == LooksAt::kAll;
  return {.memory = all ? MemoryOf::kTokens : MemoryOf::kUtterances,
          .utterances = true,
          .queries = looks_at_ == LooksAt::kCurrent};
}

GruState HredResponder::read_dialogues(const Batch& batch, const DropoutMode& drop) const {
  const UtteranceBatch& u = batch.utterances;
  const UtteranceSequences& s = batch.sequences;
  const Var words = drop(embedding_(u.tokens), "encoder.embedding");
  const Var read =
      gather_rows(utterances_(u.packing, words, {}, drop, "encoder.gru").state.top(), u.to_memory);
  return dialogues_(s.packing, gather_rows(read, s.rows), {}, drop, "context.gru")
      .state.gather(s.to_batch);
}

StepwiseResponder::Encoded HredResponder::encode(const Batch& batch,
                                                 const DropoutMode& drop) const {
  const GruState g = read_dialogues(batch, drop);
  Encoded out{{}, batch.memory.segments, {}};
  GruState last;  // of aRNN
  if (attends()) {
    const bool all = looks_at_ == LooksAt::kAll;
    const UtteranceBatch& u = all ? batch.utterances : batch.queries;
    const Var words = drop(embedding_(u.tokens), "attention.embedding");
    const Gru::Output read = words_[0](u.packing, words, {}, drop, "attention.gru");
    out.memory = attention_[0].read(gather_rows(read.y, u.token_rows));
    if (!all) out.segments = u.of_tokens;
    last = read.state.gather(u.last);
  }
  for (size_t l = 0; l < start_.size(); ++l) {
    const Var from = attends() ? concat({g.h[l], last.h[2 * l], last.h[2 * l + 1]}, 1) : g.h[l];
    out.state.lstm.h.push_back(tanh(start_[l](from)));
  }
  // What is the same in all steps.
  Var gates = affine_columns(g.top(), decoder_.weight_ih(0), config_.embedding_size);
  if (config_.noise == Noise::kUtterance && drop.draws()) {
    gates = gates + noise_part(noise(batch.size, drop));
  }
  out.state.rows = {gates};
  return out;
}

Tensor HredResponder::noise(int64_t rows, const DropoutMode& drop) const {
  const Var& like = embedding_.weight;
  return normal({rows, config_.embedding_size}, 0, 1, drop.key("noise"), like.dtype(),
                like.device());
}

Var HredResponder::noise_part(const Tensor& z) const {
  return affine_columns(z, decoder_.weight_ih(0), before_noise(config_));
}

Var HredResponder::token_part(const Tensor& tokens, const DropoutMode& drop) const {
  return affine_columns(drop(embedding_(tokens), "decoder.embedding"), decoder_.weight_ih(0), 0);
}

StepwiseResponder::Step HredResponder::step(const Encoded& encoded, const Segments& segments,
                                            const Var& token_part, const State& state,
                                            const DropoutMode& drop) const {
  const int64_t rows = token_part.shape()[0];
  Var gates = token_part + state.rows[0], attended;
  Step out;
  if (config_.noise == Noise::kWord && drop.draws()) {
    gates = gates + noise_part(noise(rows, drop));
  }
  if (attends()) {
    const Attended a = attention_[0](state.lstm.top(), encoded.memory, segments);
    attended = drop(a.context, "decoder.context");
    if (looks_at_ == LooksAt::kAll) out.weights = a.weights;
  }
  const Gru::Output next = decoder_.from_gates(Packing::single_step(rows), gates, attended,
                                               state.lstm, drop, "decoder.gru");
  out.made = {next.y};
  out.state = {next.state, state.rows};
  return out;
}

Var HredResponder::representation(const Batch& batch, Pooling pooling) const {
  return pool_layers(read_dialogues(batch, {}), pooling);
}

}  // namespace heed
