// The structure "static": attention over utterances, one context vector for all steps.
//
//   a b <eou>   c d e <eou>   f g <eou>        tokens of the context
//   o-o---o-----o-o-o---o-----o-o---o          encoder: one LSTM over all of them
//         |             |             |
//        H_1           H_2           H_3       memory: the q states at the <eou>s
//          \____________|____________/
//                       | weights = softmax(memory . H_q), the query is the last utterance
//                       c
//                       |
//   o--------o----------o--->                  decoder: [y_{t-1}; c] -> h_t
//                       |                      logits = W_o tanh(W_c [c; h_t])
//   the last state of the encoder starts the decoder
#pragma once

#include "dialog/parts/batch.h"
#include "dialog/respond/responder.h"
#include "nn/attention.h"
#include "nn/init.h"
#include "nn/lstm.h"

namespace examples {

using namespace heed;

struct Static : Module {
  static constexpr BatchParts kParts = {.memory = MemoryOf::kUtterances};

  // H = width, also of the embeddings; all parameters uniform in [-0.1, 0.1)
  Static(int64_t words, int64_t width, uint64_t seed)
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
    const LstmState state = read.state.gather(batch.context.to_batch);

    const Var query = gather_rows(memory, batch.memory.query_rows);  // H_q, (B, H)
    const Attended attended = attend(query, memory, batch.memory.segments);
    const Var c = gather_rows(attended.context, batch.response.dialogue_of_step);  // (N', H)
    const Var input = concat({target(batch.response.inputs), c}, 1);               // (N', 2H)
    const Var h = decoder(batch.response.packing, input, state).y;                 // (N', H)

    const Var z = tanh(combine(concat({c, h}, 1)));
    const CrossEntropy loss = linear_cross_entropy(z, output.weight, batch.response.targets);
    return {loss.total, loss.nll,
            AttentionTrace::same_in_all_steps(attended.weights, batch.memory.segments)};
  }

  Embedding source;
  Lstm encoder;
  Embedding target;
  Lstm decoder;
  Linear combine, output;
};

}  // namespace examples
