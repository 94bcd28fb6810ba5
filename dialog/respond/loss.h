#pragma once

#include "dialog/parts/batch.h"
#include "dialog/respond/responder.h"

namespace heed {

// The attention loss (Xing & Gulla 2022, Eq. 9), summed over the steps of all dialogues:
//   sum_t mean_j (weight_tj M_j)^2        M_j = 1 on distractions, the mean over m tokens or q
//                                         utterances of the dialogue
// Undefined where the batch holds no distraction: then it is 0.
Var attention_loss(const Batch& batch, const Taught& taught);

// The training loss: (1/B) sum over dialogues and steps of [-log p(y_t) + lambda x attention loss],
// and what the model adds (Taught::added). lambda 0 leaves the attention loss out.
Var training_loss(const Batch& batch, const Taught& taught, double lambda);

}  // namespace heed
