#include "dialog/respond/models/lstm.h"

namespace heed {
namespace {

// Of each layer [forward; backward], (B, H) from two states (B, H / 2).
std::vector<Var> side_by_side(const std::vector<Var>& states) {
  std::vector<Var> joined;
  for (size_t l = 0; l < states.size(); l += 2) {
    joined.push_back(concat({states[l], states[l + 1]}, 1));
  }
  return joined;
}

}  // namespace

LstmResponder::LstmResponder(const ModelConfig& c)
    : StepwiseResponder(c),
      source_(c.vocab_size, c.embedding_size),
      // Two directions of half the size side by side are as wide as one.
      encoder_(c.embedding_size, c.bidirectional ? c.hidden_size / 2 : c.hidden_size,
               {.layers = c.num_layers, .bias = c.lstm_bias, .bidirectional = c.bidirectional}),
      target_(c.vocab_size, c.embedding_size),
      decoder_(c.input_feeding ? c.embedding_size + c.hidden_size : c.embedding_size, c.hidden_size,
               {.layers = c.num_layers, .bias = c.lstm_bias}),
      attention_(c.attention_score(), c.hidden_size, c.hidden_size, c.hidden_size),
      combine_(2 * c.hidden_size, c.hidden_size, /*with_bias=*/false),
      output_(c.hidden_size, c.vocab_size) {
  if (c.structure.integration) {
    integration_.emplace_back(c.hidden_size, c.hidden_size,
                              LstmOptions{.layers = c.num_layers, .bias = c.lstm_bias});
  }
}

LstmResponder::LstmResponder(const ModelConfig& config, uint64_t seed) : LstmResponder(config) {
  LstmResponder::init(seed);
}

void LstmResponder::visit(Visitor& v) {
  v("encoder.embedding", source_);
  v("encoder.lstm", encoder_);
  for (Lstm& lstm : integration_) v("integration.lstm", lstm);
  v("decoder.embedding", target_);
  v("decoder.lstm", decoder_);
  v("decoder.attention", attention_);
  v("decoder.combine", combine_);
  v("decoder.output", output_);
}

LstmResponder::ReadContext LstmResponder::read_context(const Batch& batch,
                                                       const DropoutMode& drop) const {
  const Var embedded = drop(source_(batch.context.tokens), "encoder.embedding");
  const Lstm::Output read = encoder_(batch.context.packing, embedded, {}, drop, "encoder.lstm");
  const Var memory = gather_rows(read.y, batch.memory.rows);
  ReadContext out{memory, batch.memory.segments, batch.memory.query_rows, {}};
  if (config_.structure.integration) {
    const Var utterances = gather_rows(memory, batch.sequences.rows);
    out.state = integration_[0](batch.sequences.packing, utterances, {}, drop, "integration.lstm")
                    .state.gather(batch.sequences.to_batch);
  } else {
    out.state = read.state.gather(batch.context.to_batch);
  }
  if (config_.bidirectional) out.state = {side_by_side(out.state.h), side_by_side(out.state.c)};
  return out;
}

LstmResponder::Started LstmResponder::start(const ReadContext& context,
                                            const DropoutMode& drop) const {
  const bool is_static = config_.structure.static_query;
  Started out{{attention_.read(context.memory), context.segments, {context.state, {}}}, {}};
  const Var query =
      is_static ? gather_rows(context.memory, context.query_rows) : context.state.top();
  out.start = attention_(query, out.memory, out.segments);
  out.state.rows = {out.start.context};
  if (is_static) {
    out.state.rows = {query, affine_columns(drop(out.start.context, "decoder.context"),
                                            decoder_.weight_ih(0), config_.embedding_size)};
  }
  return out;
}

Var LstmResponder::token_part(const Tensor& tokens, const DropoutMode& drop) const {
  const Var embedded = drop(target_(tokens), "decoder.embedding");
  return affine_columns(embedded, decoder_.weight_ih(0), 0);
}

StepwiseResponder::Step LstmResponder::step(const Encoded& encoded, const Segments& segments,
                                            const Var& token_part, const State& state,
                                            const DropoutMode& drop) const {
  const bool is_static = config_.structure.static_query;
  const bool is_fed = !is_static && config_.input_feeding;
  const Var fed = is_fed ? drop(state.rows[0], "decoder.context") : Var();
  const Lstm::Output out = decoder_.from_gates(Packing::single_step(token_part.shape()[0]),
                                               is_static ? token_part + state.rows[1] : token_part,
                                               fed, state.lstm, drop, "decoder.lstm");
  const Attended attended = attention_(is_static ? state.rows[0] : out.y, encoded.memory, segments);
  return {{out.y, attended.context},
          attended.weights,
          {out.state, is_static ? state.rows : std::vector<Var>{attended.context}}};
}

// tanh(W_c [c; h]),   W_c [c; h] = W_c[:, :H] c + W_c[:, H:] h
Var LstmResponder::hidden(const std::vector<Var>& made) const {
  const Var& w = combine_.weight;
  return tanh(affine_columns(made[1], w, 0) + affine_columns(made[0], w, config_.hidden_size));
}

// The context vector is the same in every step: its products are made once a dialogue, and all
// steps of the decoder are one LSTM call.
Taught LstmResponder::teach_static(const Batch& batch, const Started& started,
                                   const DropoutMode& drop) const {
  const Var gates = gather_rows(started.state.rows[1], batch.response.dialogue_of_step);
  const Var h =
      decoder_
          .from_gates(batch.response.packing, token_part(batch.response.inputs, drop) + gates,
                      Var(), started.state.lstm, drop, "decoder.lstm")
          .y;
  const Var& w = combine_.weight;
  const Var context_part = affine_columns(started.start.context, w, 0);
  const CrossEntropy loss =
      loss_of(batch, tanh(gather_rows(context_part, batch.response.dialogue_of_step) +
                          affine_columns(h, w, config_.hidden_size)));
  return {loss.total, loss.nll,
          AttentionTrace::same_in_all_steps(started.start.weights, started.segments)};
}

// No step waits for the context vector of the one before: all are one LSTM call.
Taught LstmResponder::teach_unfed(const Batch& batch, const Started& started,
                                  const DropoutMode& drop) const {
  const Packing& packing = batch.response.packing;
  const Var h = decoder_
                    .from_gates(packing, token_part(batch.response.inputs, drop), Var(),
                                started.state.lstm, drop, "decoder.lstm")
                    .y;
  std::vector<Var> contexts, weights;
  for (int64_t t = 0; t < packing.steps(); ++t) {
    const int64_t running = packing.batch_size(t), at = packing.offset(t);
    const Attended attended =
        attention_(rows(h, at, at + running), started.memory, started.segments.first(running));
    contexts.push_back(attended.context);
    weights.push_back(attended.weights);
  }
  const CrossEntropy loss =
      loss_of(batch, drop(hidden({h, concat(contexts, 0)}), "decoder.combine"));
  return {loss.total, loss.nll, AttentionTrace::step_by_step(weights, started.segments)};
}

BatchParts LstmResponder::parts() const {
  const Structure& s = config_.structure;
  return {.memory = s.hierarchical ? MemoryOf::kUtterances : MemoryOf::kTokens,
          .sequences = s.integration};
}

Taught LstmResponder::teach(const Batch& batch, const DropoutMode& drop) const {
  return teach(batch, start(read_context(batch, drop), drop), drop);
}

Taught LstmResponder::teach(const Batch& batch, const Started& started,
                            const DropoutMode& drop) const {
  if (config_.structure.static_query) return teach_static(batch, started, drop);
  return config_.input_feeding ? teach_stepwise(batch, started, drop)
                               : teach_unfed(batch, started, drop);
}

}  // namespace heed
