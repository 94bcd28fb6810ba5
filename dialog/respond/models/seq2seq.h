// LSTM encoder-decoders with two switches: how the context is read, and whether the decoder attends
// (Parthasarathi, Pineau & Chandar 2020, section 3).
//
//   encoder     memory                                                starts the decoder
//   forward     h_1..h_m = LSTM(tokens of the context)                its final state
//   both ways   o_j = forward h_j + backward h_j                      the sum of both final states
//   stacked     h_1..h_m = LSTM(LSTM(tokens of the context))          the second one's final state
//   utterances  g_1..g_q = LSTM(u_1..u_q), u_k the last state of      its final state
//               LSTM(tokens of utterance k, <eou> last), from zero
//
// Decoder with attention (Bahdanau et al. 2015), memory k_1, k_2 ...:
//   c_t = sum_j a_tj k_j,   a_t = softmax_j(v . tanh(W_q s_{t-1} + W_m k_j))
//   (or the score k_j . (W s_{t-1}) or k_j . s_{t-1}: ModelConfig::attention)
//   s_t = LSTM(W_in [embedding(y_{t-1}); c_t] + b_in, s_{t-1}),   logits = W_o s_t
// without:
//   s_t = LSTM(embedding(y_{t-1}), s_{t-1}),   logits = W_o s_t
// Then it attends to nothing, and has no attention scores.
//
// With `utterances` it is a hierarchical recurrent encoder-decoder (HRED: Sordoni et al. 2015). All
// LSTMs have num_layers layers; states are those of the top layer. W_o has no bias, as in all
// response models of heed.
#pragma once

#include "dialog/respond/structure.h"

namespace heed {

std::unique_ptr<Responder> make_seq2seq(const ModelConfig& config);  // blank, to be loaded

}  // namespace heed
