#pragma once

#include "dialog/respond/responder.h"

namespace heed {

// Floating-point operations of the matrix products and of the attention in one training step,
// counted from shapes: 2 m n k for a product, once forward and twice backward. Elementwise work,
// embeddings and the update (below 1 %) are left out. Of the LSTM structures; 0 for the others, of
// which nobody has counted them.
double training_flops(const ModelConfig& config, const Batch& batch);

}  // namespace heed
