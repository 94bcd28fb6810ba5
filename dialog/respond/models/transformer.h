// A Transformer that responds (Vaswani et al. 2017), pre-normalised (Xiong et al. 2020), in the
// form of Parthasarathi, Pineau & Chandar 2020: d = hidden_size, num_layers layers on each side,
// feed-forward parts of 4 d with ReLU.
//
//   z_0 = sqrt(d) embedding(x) + P,  P sinusoidal;   encoder layers, then a norm: e_1 .. e_m
//   decoder layers: causal self-attention, attention to e, feed-forward; a norm: s_t;
//   logits = W_o s_t
//
// Its memory is the m tokens of the context. Its attention is the mean over the heads of the last
// layer's attention to e.
#pragma once

#include "dialog/respond/structure.h"

namespace heed {

std::unique_ptr<Responder> make_transformer(const ModelConfig& config);  // blank, to be loaded

}  // namespace heed
