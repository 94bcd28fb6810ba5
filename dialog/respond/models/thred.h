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
// (dialog/text/lda.h), each with up to kTopicWords words; w are the words of the context's topic in
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

#include <memory>
#include <optional>
#include <vector>

#include "dialog/respond/stepwise.h"
#include "dialog/text/lda.h"
#include "nn/gru.h"
#include "nn/init.h"

namespace heed {

class ThredResponder : public StepwiseResponder {
 public:
  static constexpr size_t kTopicWords = 100;
  explicit ThredResponder(const ModelConfig& config);  // blank, to be loaded
  // topics.counts, i32 (V, ModelConfig::topics): tokens of each word and topic.
  static Tables learn(const ModelConfig& config, const TrainData& data, uint64_t seed);
  // The same of topics made elsewhere, a line of the file for each: its words, the most probable
  // first. The last one counts as one token, the one before it as two ... Throws DataError with the
  // line if none of them can be in a topic's list, and if there are no lines or too many.
  static Tables of_file(const std::string& path, const Vocabulary& vocabulary);

  void visit(Visitor& v) override;
  const ModelConfig& config() const override { return config_; }
  BatchParts parts() const override;
  void init(uint64_t seed) override { heed::init(*this, seed); }
  Var representation(const Batch& batch, Pooling pooling) const override;
  Encoded encode(const Batch& batch, const DropoutMode& drop = {}) const override;
  Var token_part(const Tensor& tokens, const DropoutMode& drop = {}) const override;  // (n, E)
  Step step(const Encoded& encoded, const Segments& segments, const Var& token_part,
            const State& state, const DropoutMode& drop = {}) const override;
  Var hidden(const std::vector<Var>& made) const override { return concat(made, 1); }
  const OutputLayer& output() const override { return *output_; }

 private:
  bool flat() const { return !config_.structure.hierarchical; }
  // An encoded context, and its final state c_q (B, H) before a word is written.
  struct Read {
    Encoded encoded;
    Var last;
  };
  Read read_context(const Batch& batch, const DropoutMode& drop) const;
  // c_1, c_2 ... for each row of s (B', H), over the utterances of its segment: (P, H), row after
  // row.
  Var integrate(const Encoded& encoded, const Segments& segments, const Var& s) const;
  // Of a flat context: attention to its words by s (B', H), and c_1 (B', H).
  struct Message {
    Var weights, c;
  };
  Message message(const Encoded& encoded, const Segments& segments, const Var& s) const;
  // The topic words of each dialogue.
  Block read_topics(const Batch& batch) const;

  struct Topics {
    explicit Topics(const ModelConfig& config);
    WordIds all() const;  // K

    // The words of a text's topic; words that no topic has are ignored.
    const WordIds& of(WordIds text) const;

    TopicModel model;
    std::vector<WordIds> words;  // of each topic
  };

  ModelConfig config_;
  std::optional<Topics> topics_;
  Embedding embedding_;
  Gru utterances_;
  std::vector<AdditiveAttention> message_, context_, topic_words_;  // one or none
  Gru integration_;
  std::vector<Linear> start_;  // W_l, b_l
  Gru decoder_;
  std::unique_ptr<OutputLayer> output_;
};

}  // namespace heed
