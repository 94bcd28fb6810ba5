// Two encoders, of contexts and of responses; the product of their vectors scores how well they fit
// (Swanson et al. 2019, Eqs. 1 to 5; Henderson et al. 2019; Lowe et al. 2015). Texts are ragged: no
// padding is computed.
//
//   lstm, sru      h_1 .. h_n = layers in both directions over the words' vectors
//                  u_j = tanh(W_a h_j);  alpha^i = softmax_j(v_i . u_j) for each head i
//                  f = mean over i of sum_j alpha_j^i h_j
//   hierarchical   the same (sru) for each utterance, and once more over the utterances' vectors;
//                  responses are one utterance
//   bag            f = W tanh(sum / sqrt(n)) + b, over the n words and bigrams
//   weighted-bag   f = W tanh(sqrt(n) sum_j a_j x_j) + b, the words weighted by attention to their
//                  vectors x_j instead of h_j (the reduction of Henderson et al.)
//   pretrained     the mean of the states of a BERT, the same one for both
//
//   dot            s(c, r) = f_c(c) . f_r(r)
//   cosine         the same with vectors of length 1, times a learned scale
//   bilinear       f_c(c) M f_r(r)
//   map            f_c(c) . (W + I) f_r(r), with vectors of length 1 of a frozen pretrained
//                  encoder: only W is learned, starting at 0 (Henderson et al. 2019)
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dialog/pretrained/bert.h"
#include "dialog/retrieve/sru.h"
#include "nn/lstm.h"

namespace heed::retrieve {

// The word ids of a text, every utterance closed by <eou>; for a pretrained encoder the result of
// WordPiece::read().
using Tokens = std::vector<int32_t>;
// The utterances of a text, each with its <eou>.
std::vector<Tokens> utterances_of(const Tokens& text);

struct Config {
  std::string encoder = "lstm";    // lstm, sru, hierarchical, bag, weighted-bag or pretrained
  std::string score = "cosine";    // cosine, dot, bilinear or map
  std::string pool = "attention";  // or last, of lstm: the states after the last word
  int64_t vocab_size = 10005, embedding_size = 128, hidden_size = 128;  // hidden: per direction
  int64_t layers = 1, heads = 4, attention_size = 32;
  int64_t buckets = 1 << 16;  // of bag: rows that word bigrams share; 0: no bigrams
  bool shared = true;         // one encoder for contexts and responses, or two
  bool bidirectional = true;  // of lstm
  double dropout = 0.2;       // of the vectors of words and of texts
  double scale = 5;           // of the cosine, before training

  bool pretrained() const { return encoder == "pretrained"; }
  bool bag() const { return encoder == "bag" || encoder == "weighted-bag"; }
  int64_t pairs() const { return encoder == "bag" ? buckets : 0; }  // rows for pairs of words
  bool attends() const { return !pretrained() && encoder != "bag" && pool == "attention"; }
  bool frozen() const { return score == "map"; }
  void check() const;  // throws UsageError
};
// Before a model of these sizes is made; without a pretrained encoder.
double parameter_count(const Config& config);

// The weights, in several heads, by which sequences of rows are summed to one vector each. As the
// mean over heads is linear, it is one sum with the weights a_j = mean over i of alpha_j^i.
class AttentionPooling : public Module {
 public:
  AttentionPooling(int64_t in, int64_t size, int64_t heads)
      : project_(in, size, /*with_bias=*/false), queries_(size, heads, /*with_bias=*/false) {}
  Var weights(const Var& h, const Segments& segments) const;  // (M, in) -> (M)
  void visit(Visitor& v) override;

 private:
  Linear project_, queries_;
};

// A tower's attention while it reads texts: the weights of the rows of its last pooling, which are
// words, with <eou> after each utterance, or (hierarchical) utterances. They sum to 1 for each
// text. Segment s belongs to text order[s].
struct Looks {
  Var weights;
  Segments segments;
  std::vector<int32_t> order;
};

// Recurrent layers over packed sequences, and their pooling.
class Recurrent : public Module {
 public:
  Recurrent(const Config& config, bool sru, int64_t in);
  // x (N, in) -> (sequences, width()), in the order of the packing. *looks, if given, gets weights
  // and segments.
  Var operator()(const Packing& packing, const Var& x, const DropoutMode& drop,
                 std::string_view place, Looks* looks = nullptr) const;
  void visit(Visitor& v) override;
  int64_t width() const { return width_; }

 private:
  std::vector<Lstm> lstm_;  // one or none, as pooling_
  std::vector<SruLayer> sru_;
  std::vector<AttentionPooling> pooling_;
  int64_t width_;
};

class Tower : public Module {
 public:
  Tower(const Config& config, bool hierarchical);
  // (texts, width()). Dropout draws by the name `place`. *looks, if given, is filled if attention
  // pools.
  Var operator()(const Embedding& embedding, const std::vector<Tokens>& texts,
                 const DropoutMode& drop, std::string_view place, Looks* looks = nullptr) const;
  void visit(Visitor& v) override;
  int64_t width() const;

 private:
  Var bag(const Embedding& embedding, const std::vector<Tokens>& texts, const DropoutMode& drop,
          const std::string& place, Looks* looks) const;

  int64_t vocab_size_, buckets_;
  std::vector<Linear> dense_;                  // of a bag
  std::vector<AttentionPooling> weighing_;     // of a weighted one
  std::vector<Recurrent> words_, utterances_;  // one or none
};

class DualEncoder : public Module {
 public:
  // Blank, to be loaded or drawn by init() (nn/init.h); `bert` if the encoder is pretrained.
  explicit DualEncoder(const Config& config, std::optional<pretrained::Bert> bert = {});

  // (texts, width): the score of a context and a response is the product of their vectors; the
  // context's vector includes the scale or M.
  enum class Side { kContexts, kResponses };
  Var contexts(const std::vector<Tokens>& texts, const DropoutMode& drop = {}) const {
    return scored(Side::kContexts, f(Side::kContexts, texts, drop));
  }
  Var responses(const std::vector<Tokens>& texts, const DropoutMode& drop = {}) const {
    return scored(Side::kResponses, f(Side::kResponses, texts, drop));
  }
  // These two have f_c or f_r, and its transformation for the score.
  Var f(Side side, const std::vector<Tokens>& texts, const DropoutMode& drop = {},
        Looks* looks = nullptr) const;
  Var scored(Side side, const Var& f) const;
  // f without a graph, f32 on the CPU, at most `batch` texts of similar length at a time; and
  // scored().
  using OnTexts = std::function<void(size_t done, size_t of)>;
  Tensor encode_f(Side side, std::vector<Tokens> texts, size_t batch,
                  const OnTexts& progress = {}) const;
  Tensor encode(Side side, std::vector<Tokens> texts, size_t batch,
                const OnTexts& progress = {}) const;
  void visit(Visitor& v) override;
  const Config& config() const { return config_; }
  int64_t width() const;
  Device device() const;

 private:
  Config config_;
  std::vector<pretrained::Bert> bert_;  // one or none
  std::vector<Embedding> embedding_;
  std::vector<Tower> towers_;     // none, one, or of contexts and of responses
  std::vector<Linear> bilinear_;  // M, or W
  Var scale_;                     // (1)
};

}  // namespace heed::retrieve
