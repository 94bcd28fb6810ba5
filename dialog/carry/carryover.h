// Slot carryover (Chen, Naik, He, Rastogi & Mathias 2019). For a dialogue of T tokens and n
// candidates, each a key, a value (tokens l..r) and a distance d:
//
// E w is a vector of the word, or its state in a pretrained encoder that reads it in its text.
//
//   h_1..h_T = BiLSTM(E w_1, .., E w_T);   c = [fwd_T; bwd_1]                       (2H)
//   i = mean of E over the words of the intent, 0 if there is none                  (E)
//   x = [mean of E over the key's words;  mean of h_l..h_r (value lstm) or of E w_l..w_r (average);
//        a learned vector of min(d, 10)]                                           (D)
//
// pointer (Algorithm 1):
//   e_0..e_n = BiLSTM(x_EOS, x_1, .., x_n)                                         (2H)
//   d_t = LSTM(x_{y_{t-1}}, d_{t-1}),  x_{y_0} = x_BOS,  d_0 = linear(last states of e)  (H)
//   p(y_t = j) = softmax_j(W [d_t; c; i] . e_j) over the j that are not chosen yet; y_t = 0 ends
//   loss: sum_t -ln p(y_t) of the candidates that apply, in order, and of the end
// self-attention, Z heads:
//   q_i = W_Q [x_i; c; i];  k_i = W_K x_i;  a_ij = q_i W k_j;  o_i = sum_j softmax_j(a_ij) k_j
//   x~_i = W_O [o_i of all heads] + b                                              (Eqs. 13 to 17)
//   p_i = sigmoid(W_2 relu(W_1 [x_i; x~_i; c; i] + b_1) + b_2);  applies if p >= 0.5
//   loss: sum_i binary cross entropy
// independent: the same without x~, so that candidates do not know of each other.
#pragma once

#include <string>
#include <vector>

#include "dialog/carry/encoded.h"
#include "dialog/pretrained/words.h"
#include "nn/layers.h"
#include "nn/lstm.h"
#include "nn/pointer.h"

namespace heed::carry {

constexpr const char *kPointer = "pointer", *kSelfAttention = "self-attention",
                     *kIndependent = "independent";

struct Config {
  std::string decoder = kSelfAttention;  // or pointer, independent
  std::string order = kTemporal;         // of a pointer's slots
  std::string value = "lstm";            // or average
  int64_t vocab_size = 10005, embedding_size = 128, hidden_size = 128;
  int64_t heads = 4, head_size = 16;  // of self-attention
  double dropout = 0.3;
  pretrained::Choice words = {};  // of the encoder's states `embedding_size` is the width

  void check() const;  // throws UsageError
};
struct Decision {
  std::vector<char> carry;   // of each slot
  std::vector<double> p;     // pointer: of the choice, 0 for slots that are not chosen
  std::vector<double> look;  // the slot's share of the attention, a mean over steps or over slots
                             // and heads; empty for independent
  std::vector<int32_t> chosen = {};  // pointer: the slots in the order of its choices
};

class Carryover : public Module {
 public:
  static constexpr auto& kMoreWords = kSpeakerWords;
  // Blank; `words` as of pretrained::words_in(), with kMoreWords.
  explicit Carryover(const Config& config, std::optional<pretrained::Words> words = {});

  // The mean over items of their loss.
  Var loss(const ItemBatch& batch, const DropoutMode& drop = {}) const;
  std::vector<Decision> decide(const ItemBatch& batch) const;
  // [fwd_T; bwd_1] of sequences of tokens: (B, 2H).
  Var contexts(const Packed& tokens) const;

  void visit(Visitor& v) override;
  Carryover like() const { return Carryover(config_, words_.like_words()); }
  const Config& config() const { return config_; }
  Device device() const { return words_.device(); }

 private:
  struct Read {
    Var x, context;  // (n, D), [c; i] (B, 2H + E)
  };
  Read read(const ItemBatch& batch, const DropoutMode& drop) const;

  struct Pointed {                    // the options of a pointer network
    Var inputs;                       // [x_EOS; x_BOS; x_1; ..]
    Var e = {};                       // item by item, in the order of `place`
    std::vector<int32_t> begin = {};  // of each item: the row of its e_0
    LstmState start = {};             // d_0 of each item
  };
  Pointed point(const ItemBatch& batch, const Read& read) const;
  Var pointer_loss(const ItemBatch& batch, const Read& read) const;
  std::vector<Decision> pointer_decisions(const ItemBatch& batch, const Read& read) const;
  // The logit of each slot; and the weights of self-attention (Z, P).
  Var logits(const ItemBatch& batch, const Read& read, const DropoutMode& drop,
             Var* weights = nullptr) const;

  Config config_;
  pretrained::WordReader words_;
  Embedding distance_;
  Lstm lstm_;
  // One of each, for the decoder in use.
  std::vector<Lstm> slots_, steps_;
  std::vector<Linear> start_h_, start_c_, query_;
  Var ends_;  // (2, D): x_EOS, x_BOS
  std::vector<Linear> w_q_, w_k_, w_o_, hidden_, output_;
  Var bilinear_;  // (Z, d_k, d_k)
};

}  // namespace heed::carry
