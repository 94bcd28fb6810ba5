// Two vocabularies and a gate (Chikai, Takayama & Arase, "Responsive and self-expressive dialogue
// generation", NLP4ConvAI 2019, section 3): a response in a desired domain d, whose words carry a
// desired sentiment s. The vocabulary has generic words, then sentiment words. Context tokens x_1,
// x_2 ..., each utterance with its <eou>; response y; one table of embeddings E:
//
//   h_txt = sigmoid(W_txt h_ave),   h_ave = mean_t BLSTM(E x_t)
//   h_dom = relu(W_2 relu(W_1 e_d))                             e_d, h_dom of E / 4 numbers
//   h_0   of layer l = W_enc,l [h_txt; h_dom],   cells 0
//   h_t   = LSTM([E y_{t-1}; e_s], h_{t-1})                     e_s of E / 4 numbers
//   a_t   = sigmoid(w_a h_t)
//   o_t   = [(1 - a_t) softmax(W_g h_t); a_t softmax(W_s h_t)]
//   L     = - sum_t ln o_t(y_t) - gate_weight sum_t q_t ln a_t,   q_t: y_t is a sentiment word
//
// With ModelConfig::gate_on_logits, as in the authors' program,
//
//   o_t   = softmax([(1 - a_t) W_g h_t; a_t W_s h_t]),   q_t: the most probable word and y_t are of
//                                                        the same kind
//
// The labels of d and s are those of ModelConfig::conditions(); for several values e is the mean,
// for none it is 0. The text does not give the initial cells. Sizes without a setting in heed have
// the text's ratio, 256 to 64 numbers.
#pragma once

#include "dialog/respond/structure.h"

namespace heed {

std::unique_ptr<Responder> make_two_vocabulary(const ModelConfig& config);  // blank, to be loaded

}  // namespace heed
