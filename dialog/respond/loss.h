#pragma once

#include "dialog/data/packed_list.h"
#include "dialog/parts/batch.h"
#include "dialog/respond/responder.h"

namespace heed {

// The attention loss (Xing & Gulla 2022, Eq. 9), summed over the steps of all dialogues:
//   sum_t mean_j (weight_tj M_j)^2        M_j = 1 on distractions, the mean over m tokens or q
//                                         utterances of the dialogue
// Undefined where the batch holds no distraction: then it is 0.
Var attention_loss(const Batch& batch, const Taught& taught);

// The inverse token frequency loss of Nakamura et al. 2018, -w log p: the weights of the V words,
//   w_y = c f_y^-exponent
// for the f_y times that y is to be predicted in the responses (<eos> too), and c such that the
// mean of w over these times is 1. Words that are in none weigh 0. f32 (V).
Tensor inverse_frequency_weights(const PackedList<Example>& examples, int64_t vocab_size,
                                 double exponent);

// The training loss: (1/B) sum over dialogues and steps of [-w log p(y_t) + lambda x attention
// loss], w = 1 or Batch::response.weights, and what the model adds (Taught::added). lambda 0 leaves
// the attention loss out.
Var training_loss(const Batch& batch, const Taught& taught, double lambda);

}  // namespace heed
