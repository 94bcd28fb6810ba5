// THRED, attention to words and to utterances after an integration network (Dziri, Kamalloo,
// Mathewson & Zaiane, "Augmenting neural response generation with context-aware topical attention",
// NLP4ConvAI 2019, Eqs. 2 to 7). Utterances 1..q, tokens w_i1, w_i2 ..., <eou> last; response y;
// one table of embeddings E for all. In each decoding step t:
//
//   h_i. = GRU(E w_i1, E w_i2 ...), both directions, each utterance from zero       (2H)
//   m_i  = sum_j softmax_j(v . tanh(W [s_{t-1}; c_{i-1}] + U h_ij)) h_ij             Eq. 2
//   c_i  = GRU(m_i, c_{i-1}),   i = 1..q,   c_0 = 0                                  Eq. 3
//   r_t  = sum_i g_i c_i,   g = softmax_i(v' . tanh(W' s_{t-1} + U' c_i))            Eqs. 4, 5
//   s_t  = GRU([E y_{t-1}; r_t], s_{t-1}),   logits = W_o [s_t; E y_{t-1}]           Eq. 7
//   s_0  of layer l = tanh(W_l c_q + b_l), with c of s_{-1} = 0
//
// The structure thred-topics has topic words, too: topics of the training dialogues by LDA
// (dialog/text/lda.h), each with up to 100 words; w are the words of the context's topic in
// the equations
//
//   k_t  = sum_w softmax_w(v" . tanh(W" [s_{t-1}; c_q] + U" E w)) E w                Eq. 6
//   s_t  = GRU([E y_{t-1}; r_t; k_t], s_{t-1})
//   p(y) = (exp a_y + [y in K] exp b_y) / M,   K the words of all topics             Eq. 7
//   a    = W_o [s_t; E y_{t-1}],   b = W_K [s_t; E y_{t-1}; r_t]
//
// The most frequent words, at most 1,000 and a tenth of the vocabulary, are in no topic's list, and
// stop words are not counted at all.
//
// Without message attention (ModelConfig::message_attention), as in the authors' program, m_i is
// the last states, both directions, of utterance i, so that the c_i are the same in all steps.
//
// The flat forms, seq2seq-gru and with topic words ta-seq2seq, read the whole context as one
// utterance, <eou> behind each of its parts: q = 1, so that g = 1 and r_t = c_1. Here the attention
// that counts is that of Eq. 2, on the words of the context. Xing et al., "Topic aware neural
// response generation", AAAI 2017, which the paper compares with, starts from another decoder.
//
// In the others it is g, on utterances *after integration*: c_i has seen the utterances
// 1..i. The text calls W_o a tanh, with which no perplexity below some thousands could be reached;
// here it is linear, without a bias, as in all response models of heed. The GRU over the c_i has
// one layer, the others have num_layers.
#pragma once

#include "dialog/respond/structure.h"
#include "dialog/text/vocabulary.h"

namespace heed {

std::unique_ptr<Responder> make_thred(const ModelConfig& config);  // blank, to be loaded

// topics.counts, i32 (V, ModelConfig::topics): tokens of each word and topic.
Tables learn_topics(const ModelConfig& config, const TrainData& data, uint64_t seed);
// The same of topics made elsewhere, a line of the file for each: its words, the most probable
// first. The last one counts as one token, the one before it as two ... Throws DataError with the
// line if none of them can be in a topic's list, and if there are no lines or too many.
Tables topics_of_file(const std::string& path, const Vocabulary& vocabulary);

}  // namespace heed
