// The encoder of BERT (Devlin et al. 2019), over ragged batches: no padding is computed.
//   x_i = LN(E_word[id_i] + E_position[i] + E_type[type_i])
//   h = LN(x + W_o attention(x) + b_o);   y = LN(h + W_2 gelu(W_1 h + b_1) + b_2)      each layer
#pragma once

#include <string>
#include <vector>

#include "dialog/pretrained/word_piece.h"
#include "nn/transformer.h"

namespace heed::pretrained {

// The names are those of config.json in the `transformers` package.
struct BertConfig {
  int64_t vocab_size = 0, hidden_size = 0, num_hidden_layers = 0, num_attention_heads = 0;
  int64_t intermediate_size = 0, max_position_embeddings = 0, type_vocab_size = 0;
  double layer_norm_eps = 1e-12;
};

// One layer: each part is normalised after its output is added (post-norm).
class BertLayer : public Module {
 public:
  explicit BertLayer(const BertConfig& config);
  Var operator()(const Var& x, const AttentionPairs& pairs) const;  // (N, hidden_size)
  void visit(Visitor& v) override;                                  // the names of `transformers`

  MultiHeadAttention attention;
  FeedForward feed_forward;
  LayerNorm norm1, norm2;
};

class Bert : public Module {
 public:
  explicit Bert(const BertConfig& config);  // blank, to be loaded

  struct States {
    std::vector<Var> layers;  // (N, hidden_size): the embeddings, and the output of each layer
    Segments segments;        // the rows of each text
  };
  // `last`: layers above this one are not computed; -1: all are. Throws ShapeError for a text
  // without pieces, or with more than max_position_embeddings.
  States operator()(const std::vector<Pieces>& texts, int last = -1) const;
  void visit(Visitor& v) override;
  Bert like() const { return Bert(config_); }
  const BertConfig& config() const { return config_; }
  Device device() const { return words.weight.device(); }

  Embedding words, positions, types;
  LayerNorm norm;
  std::vector<BertLayer> layers;

 private:
  BertConfig config_;
};

// The means over the pieces of each text, normalised to length 1: (texts, hidden_size). `layer` is
// an index into layers, 0 for the embeddings; -1: the last.
Var mean_vectors(const Bert::States& states, int layer = -1);

}  // namespace heed::pretrained
