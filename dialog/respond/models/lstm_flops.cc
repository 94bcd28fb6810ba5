// How much work a training step of the five structures is.
#include "dialog/respond/models/lstm.h"

namespace heed {
namespace {

// A stack of LSTM layers over n rows. The first step has no product with h without an initial
// state.
double lstm(double n, double first_step, double in, double hidden, double layers) {
  const double recurrent = (n - first_step) * hidden;
  return 2 * 4 * hidden * (n * in + n * hidden * (layers - 1) + recurrent * layers);
}

// The same with `hidden` numbers a layer from two directions of half of them.
double bilstm(double n, double first_step, double in, double hidden, double layers) {
  const double each = hidden / 2, recurrent = (n - first_step) * each;
  return 2 * (2 * 4 * each * (n * in + n * hidden * (layers - 1) + recurrent * layers));
}

// What a score costs besides a product of two rows: of the queries, and of the memory once.
double scoring(AttentionScore score, double queries, double memory, double hidden) {
  if (score == AttentionScore::kDot) return 0;
  return 2 * hidden * hidden * (queries + (score == AttentionScore::kAdditive ? memory : 0));
}

}  // namespace

double LstmResponder::training_flops(const Batch& batch) const {
  const ModelConfig& c = config_;
  const double e = c.embedding_size, h = c.hidden_size, layers = c.num_layers;
  const double batch_size = batch.size, tokens = batch.context.packing.rows(),
               steps = batch.response.packing.rows();
  double forward = c.bidirectional ? bilstm(tokens, batch_size, e, h, layers)
                                   : lstm(tokens, batch_size, e, h, layers);
  if (c.structure.integration) {
    forward += lstm(batch.sequences.packing.rows(), batch_size, h, h, layers);
  }
  forward += lstm(steps, 0, e, h, layers);
  // Once a dialogue where the context vector never changes, else once a step: its part of the
  // gates, its part of W_c, and the attention itself (scores and weighted sum).
  const double contexts = c.structure.static_query ? batch_size : steps;
  double looked_at = batch.memory.segments.total();
  if (!c.structure.static_query) {
    for (int64_t b = 0; b < batch.size; ++b) {
      looked_at +=
          static_cast<double>(batch.memory.segments.length(b) * batch.response.packing.length(b));
    }
  }
  const double fed = c.input_feeding ? 4 * h * h : 0;
  forward += contexts * 2 * (fed + h * h) + steps * 2 * h * h + looked_at * 4 * h;
  forward += scoring(c.attention_score(), contexts, batch.memory.segments.total(), h);
  forward += decoder_.output.flops(steps);
  return 3 * forward;
}

}  // namespace heed
