// The structure "dynamic": attention over utterances, a new context vector in each step.
//
//   a b <eou>   c d e <eou>   f g <eou>        tokens of the context
//   o-o---o-----o-o-o---o-----o-o---o          encoder: one LSTM over all of them
//         |             |             |
//        H_1           H_2           H_3       memory: the q states at the <eou>s
//          \____________|____________/
//                       | weights = softmax(memory . h_t), a new query in each step
//                      c_t
//                       |
//   o--------o----------o--->                  decoder: [y_{t-1}; c_{t-1}] -> h_t
//                       |                      logits = W_o tanh(W_c [c_t; h_t])
//   the last state of the encoder starts the decoder
//
// What differs from its neighbour: diff examples/static.h examples/dynamic.h
#pragma once

#include "dialog/parts/batch.h"
#include "dialog/respond/responder.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/lstm.h"

namespace examples {

using namespace heed;

struct Dynamic : Module {
  static constexpr BatchParts kParts = {.memory = MemoryOf::kUtterances};

  // H = width, also of the embeddings; all parameters uniform in [-0.1, 0.1)
  Dynamic(int64_t words, int64_t width, uint64_t seed)
      : source(words, width),
        encoder(width, width, {.bias = false}),
        target(words, width),
        decoder(2 * width, width, {.bias = false}),
        combine(2 * width, width, /*with_bias=*/false),
        output(width, words, /*with_bias=*/false) {
    init_uniform(*this, -0.1, 0.1, seed);
  }

  void visit(Visitor& v) override {
    v("encoder.embedding", source);
    v("encoder.lstm", encoder);
    v("decoder.embedding", target);
    v("decoder.lstm", decoder);
    v("decoder.combine", combine);
    v("decoder.output", output);
  }

  // Teacher forcing: the decoder reads the true words. In the batch are N context tokens, Q memory
  // rows and N' words to predict; *_to_batch lead from an LSTM's order to the decoder's.
  Taught operator()(const Batch& batch) const {
    const Lstm::Output read =
        encoder(batch.context.packing, source(batch.context.tokens));  // (N, H)
    // The states at the <eou>s, (Q, H), dialogue after dialogue.
    const Var memory = gather_rows(read.y, batch.memory.rows);
    LstmState state = read.state.gather(batch.context.to_batch);

    const Var words = target(batch.response.inputs);                     // (N', H)
    Var c = attend(state.top(), memory, batch.memory.segments).context;  // c_0, (B, H)
    std::vector<Var> hidden, contexts, weights;
    for (int64_t t = 0; t < batch.response.packing.steps(); ++t) {
      // The first n dialogues are still running; their words are the rows [at, at + n).
      const int64_t n = batch.response.packing.batch_size(t), at = batch.response.packing.offset(t);
      const Var input = concat({rows(words, at, at + n), rows(c, 0, n)}, 1);
      state = decoder(Packing::single_step(n), input, state.first(n)).state;
      const Attended attended = attend(state.top(), memory, batch.memory.segments.first(n));
      c = attended.context;
      hidden.push_back(state.top());
      contexts.push_back(c);
      weights.push_back(attended.weights);
    }

    const Var z = tanh(combine(concat({concat(contexts, 0), concat(hidden, 0)}, 1)));
    const CrossEntropy loss = linear_cross_entropy(z, output.weight, batch.response.targets);
    return {loss.total, loss.nll, AttentionTrace::step_by_step(weights, batch.memory.segments)};
  }

  Embedding source;
  Lstm encoder;
  Embedding target;
  Lstm decoder;
  Linear combine, output;
};

}  // namespace examples
