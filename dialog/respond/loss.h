#pragma once

#include "dialog/data/packed_list.h"
#include "dialog/parts/batch.h"
#include "dialog/respond/responder.h"

namespace heed {

// The attention loss (Xing & Gulla 2022, Eq. 9), summed over the steps of all dialogues:
//   sum_t mean_j (weight_tj M_j)^2        M_j = 1 on distractions, the mean over m tokens or q
//                                         utterances of the dialogue
// Undefined if the batch has no distraction: then the loss is 0.
Var attention_loss(const Batch& batch, const Taught& taught);

// The loss on the mass of a distraction, summed over the steps of all dialogues:
//   sum_t (1/q) sum_k (M_k sum of weight_tj over the rows j of utterance k)^2     q utterances
// In a memory of tokens each weight, and so the loss of Eq. 9, falls with the number of tokens: for
// even attention it is of the order 1 / m^2. This one does not. In a memory of utterances both are
// the same. Undefined as above.
Var attention_mass_loss(const Batch& batch, const Taught& taught);
enum class AttentionLoss { kRows, kMass };

// The inverse token frequency loss of Nakamura et al. 2018, -w log p: the weights of the V words,
//   w_y = c f_y^-exponent
// where f_y is the number of times that y is to be predicted in the responses (including <eos>),
// and c such that the mean of w over these is 1. The weight of words in no response is 0. f32 (V).
Tensor inverse_frequency_weights(const PackedList<Example>& examples, int64_t vocab_size,
                                 double exponent);

// The training loss: (1/B) sum over dialogues and steps of [-w log p(y_t) + lambda x attention
// loss], w = 1 or Batch::response.weights, plus the model's own terms (Taught::added). lambda 0
// leaves out the attention loss.
Var training_loss(const Batch& batch, const Taught& taught, double lambda,
                  AttentionLoss form = AttentionLoss::kRows);

}  // namespace heed
