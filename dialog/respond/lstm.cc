#include "dialog/respond/lstm.h"

#include "autograd/keep_packed.h"
#include "nn/init.h"

namespace heed {
namespace {

LstmOptions lstm_options(const ModelConfig& config) {
  return {config.num_layers, config.lstm_bias, /*bidirectional=*/false};
}

// Two directions of half the size side by side are as wide as one.
Lstm encoder_lstm(const ModelConfig& c) {
  LstmOptions options = lstm_options(c);
  options.bidirectional = c.bidirectional;
  return {c.embedding_size, c.bidirectional ? c.hidden_size / 2 : c.hidden_size, options};
}

// Of each layer [forward; backward], (B, H) from two states (B, H / 2).
std::vector<Var> side_by_side(const std::vector<Var>& states) {
  std::vector<Var> joined;
  for (size_t l = 0; l < states.size(); l += 2) {
    joined.push_back(concat({states[l], states[l + 1]}, 1));
  }
  return joined;
}

}  // namespace

LstmResponder::Side::Side(const ModelConfig& c, Lstm reads)
    : embedding(c.vocab_size, c.embedding_size), lstm(std::move(reads)) {}

void LstmResponder::Side::visit(Visitor& v) {
  v("embedding", embedding);
  v("lstm", lstm);
}

LstmResponder::Integration::Integration(const ModelConfig& c)
    : lstm(c.hidden_size, c.hidden_size, lstm_options(c)) {}

LstmResponder::Decoder::Decoder(const ModelConfig& c)
    : Side(c, Lstm(c.input_feeding ? c.embedding_size + c.hidden_size : c.embedding_size,
                   c.hidden_size, lstm_options(c))),
      attention(c.attention_score(), c.hidden_size, c.hidden_size, c.hidden_size),
      combine(2 * c.hidden_size, c.hidden_size, /*with_bias=*/false),
      output(c.hidden_size, c.vocab_size, /*with_bias=*/false) {}

void LstmResponder::Decoder::visit(Visitor& v) {
  Side::visit(v);
  v("attention", attention);
  v("combine", combine);
  v("output", output);
}

LstmResponder::LstmResponder(const ModelConfig& config)
    : config_((config.check(), config)), encoder_(config, encoder_lstm(config)), decoder_(config) {
  if (config.structure.integration) integration_.emplace_back(config);
}

LstmResponder::LstmResponder(const ModelConfig& config, uint64_t seed) : LstmResponder(config) {
  init(seed);
}

void LstmResponder::visit(Visitor& v) {
  v("encoder", encoder_);
  for (Integration& integration : integration_) v("integration", integration);
  v("decoder", decoder_);
}

LstmResponder::ReadContext LstmResponder::read_context(const Batch& batch,
                                                       const DropoutMode& drop) const {
  const Var embedded = drop(encoder_.embedding(batch.context.tokens), "encoder.embedding");
  const Lstm::Output read =
      encoder_.lstm(batch.context.packing, embedded, {}, drop, "encoder.lstm");
  const Var memory = gather_rows(read.y, batch.memory.rows);
  ReadContext out{memory, batch.memory.segments, batch.memory.query_rows, {}};
  if (config_.structure.integration) {
    const Var utterances = gather_rows(memory, batch.sequences.rows);
    out.state = integration_[0]
                    .lstm(batch.sequences.packing, utterances, {}, drop, "integration.lstm")
                    .state.gather(batch.sequences.to_batch);
  } else {
    out.state = read.state.gather(batch.context.to_batch);
  }
  if (config_.bidirectional) out.state = {side_by_side(out.state.h), side_by_side(out.state.c)};
  return out;
}

LstmResponder::Encoded LstmResponder::encode(const ReadContext& context,
                                             const DropoutMode& drop) const {
  Encoded out{decoder_.attention.read(context.memory), context.segments, context.state, {}, {}};
  const Var query = config_.structure.static_query ? gather_rows(context.memory, context.query_rows)
                                                   : context.state.top();
  out.start = decoder_.attention(query, out.memory, out.segments);
  if (config_.structure.static_query) {
    out.context_gates = affine_columns(drop(out.start.context, "decoder.context"),
                                       decoder_.lstm.weight_ih(0), config_.embedding_size);
  }
  return out;
}

Var LstmResponder::token_gates(const Tensor& tokens, const DropoutMode& drop) const {
  const Var embedded = drop(decoder_.embedding(tokens), "decoder.embedding");
  return affine_columns(embedded, decoder_.lstm.weight_ih(0), 0);
}

LstmResponder::Step LstmResponder::step(const Encoded& encoded, const Var& token_gates,
                                        const Var& context, const LstmState& state,
                                        const DropoutMode& drop) const {
  const int64_t running = token_gates.shape()[0];
  const Packing one = Packing::single_step(running);
  if (config_.structure.static_query) {
    const Lstm::Output out =
        decoder_.lstm.from_gates(one, token_gates + rows(encoded.context_gates, 0, running), Var(),
                                 state, drop, "decoder.lstm");
    return {out.y, encoded.start, out.state};
  }
  const Var fed = config_.input_feeding ? drop(context, "decoder.context") : Var();
  const Lstm::Output out =
      decoder_.lstm.from_gates(one, token_gates, fed, state, drop, "decoder.lstm");
  return {out.y, decoder_.attention(out.y, encoded.memory, encoded.segments.first(running)),
          out.state};
}

// W_c [c; h] = W_c[:, :H] c + W_c[:, H:] h
Var LstmResponder::logits(const Var& hidden, const Var& context) const {
  const Var& w = decoder_.combine.weight;
  const Var z =
      tanh(affine_columns(context, w, 0) + affine_columns(hidden, w, config_.hidden_size));
  return decoder_.output(z);
}

// The context vector is the same in every step: its products are made once a dialogue, and all
// steps of the decoder are one LSTM call.
LstmResponder::Decoded LstmResponder::decode_static(const Batch& batch, const Encoded& encoded,
                                                    const DropoutMode& drop) const {
  const Var context_gates = gather_rows(encoded.context_gates, batch.response.dialogue_of_step);
  const Var hidden = decoder_.lstm
                         .from_gates(batch.response.packing,
                                     token_gates(batch.response.inputs, drop) + context_gates,
                                     Var(), encoded.state, drop, "decoder.lstm")
                         .y;
  const Var& w = decoder_.combine.weight;
  const Var context_part = affine_columns(encoded.start.context, w, 0);
  return {tanh(gather_rows(context_part, batch.response.dialogue_of_step) +
               affine_columns(hidden, w, config_.hidden_size)),
          AttentionTrace::same_in_all_steps(encoded.start.weights, encoded.segments)};
}

// The context vector of a step depends on the state of the step before; everything else is made for
// all steps at once, before and after the loop.
LstmResponder::Decoded LstmResponder::decode_dynamic(const Batch& batch, const Encoded& encoded,
                                                     const DropoutMode& drop) const {
  const Packing& packing = batch.response.packing;
  const Var gates = token_gates(batch.response.inputs, drop);
  Var context = encoded.start.context;
  LstmState state = encoded.state;
  std::vector<Var> hidden, contexts, weights;
  {
    KeepPacked weights_of_all_steps;
    for (int64_t t = 0; t < packing.steps(); ++t) {
      const int64_t running = packing.batch_size(t), at = packing.offset(t);
      if (running < context.shape()[0]) context = rows(context, 0, running);
      Step out =
          step(encoded, rows(gates, at, at + running), context, state.first(running), drop.at(t));
      context = out.attended.context;
      state = std::move(out.state);
      hidden.push_back(out.hidden);
      contexts.push_back(context);
      weights.push_back(out.attended.weights);
    }
  }
  const Var& w = decoder_.combine.weight;
  return {tanh(affine_columns(concat(contexts, 0), w, 0) +
               affine_columns(concat(hidden, 0), w, config_.hidden_size)),
          AttentionTrace::step_by_step(weights, encoded.segments)};
}

// No step waits for the context vector of the one before: all are one LSTM call.
LstmResponder::Decoded LstmResponder::decode_unfed(const Batch& batch, const Encoded& encoded,
                                                   const DropoutMode& drop) const {
  const Packing& packing = batch.response.packing;
  const Var hidden = decoder_.lstm
                         .from_gates(packing, token_gates(batch.response.inputs, drop), Var(),
                                     encoded.state, drop, "decoder.lstm")
                         .y;
  std::vector<Var> contexts, weights;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    const int64_t running = packing.batch_size(t), at = packing.offset(t);
    const Attended attended = decoder_.attention(rows(hidden, at, at + running), encoded.memory,
                                                 encoded.segments.first(running));
    contexts.push_back(attended.context);
    weights.push_back(attended.weights);
  }
  const Var& w = decoder_.combine.weight;
  const Var z = tanh(affine_columns(concat(contexts, 0), w, 0) +
                     affine_columns(hidden, w, config_.hidden_size));
  return {drop(z, "decoder.combine"), AttentionTrace::step_by_step(weights, encoded.segments)};
}

BatchParts LstmResponder::parts() const {
  const Structure& s = config_.structure;
  return {.memory = s.hierarchical ? MemoryOf::kUtterances : MemoryOf::kTokens,
          .sequences = s.integration};
}

Taught LstmResponder::teach(const Batch& batch, const DropoutMode& drop) const {
  return teach(batch, encode(batch, drop), drop);
}

Taught LstmResponder::teach(const Batch& batch, const Encoded& encoded,
                            const DropoutMode& drop) const {
  const Decoded decoded = config_.structure.static_query ? decode_static(batch, encoded, drop)
                          : config_.input_feeding        ? decode_dynamic(batch, encoded, drop)
                                                         : decode_unfed(batch, encoded, drop);
  const CrossEntropy loss = linear_cross_entropy(decoded.z, decoder_.output.weight,
                                                 batch.response.targets, 0, batch.response.weights);
  return {loss.total, loss.nll, decoded.attention};
}

// Of the encoder, or of the integration LSTM where there is one: of what starts the decoder.
Var LstmResponder::representation(const Batch& batch, Pooling pooling) const {
  return pool_layers(encode(batch).state, pooling);
}

}  // namespace heed
