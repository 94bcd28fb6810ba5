// Transformer layers over ragged batches (Vaswani et al. 2017), in the order that trains without
// warm-up (pre-norm): each part reads its normalised input and adds its output to the input (Xiong
// et al. 2020).
// The rows of a sequence are contiguous; AttentionPairs says which row sees which. A stack of
// layers needs a LayerNorm after the last one.
#pragma once

#include <string_view>
#include <vector>

#include "autograd/attention_pairs.h"
#include "nn/attention.h"
#include "nn/layers.h"

namespace heed {

// y = output(sum_j w_ij value(m_j)),  w_i = softmax_j(query(x_i) . key(m_j) / sqrt(width / heads)),
// in each head with its part of the columns. x (N, width), memory (M, memory_width). Both calls
// return y (N, width) and the weights (heads, P) as they are before dropout; mean(weights, 0) is
// the mean over heads.
class MultiHeadAttention : public Module {
 public:
  // memory_width 0: as wide as x. Throws ShapeError unless heads divide the width.
  MultiHeadAttention(int64_t width, int64_t heads, int64_t memory_width = 0);

  Attended operator()(const Var& x, const Var& memory, const AttentionPairs& pairs,
                      const DropoutMode& drop = {}, std::string_view place = {}) const {
    return (*this)(x, read(memory), pairs, drop, place);
  }
  // What all calls with the same memory share, such as the steps of a decoder.
  struct Memory {
    Var keys, values;  // (M, width)
  };
  Memory read(const Var& memory) const { return {key(memory), value(memory)}; }
  Attended operator()(const Var& x, const Memory& memory, const AttentionPairs& pairs,
                      const DropoutMode& drop = {}, std::string_view place = {}) const;
  // y of x with itself, without the weights.
  Var context(const Var& x, const AttentionPairs& pairs) const;
  void visit(Visitor& v) override;
  MultiHeadAttention like() const;

  Linear query, key, value, output;

 private:
  int64_t heads_;
};

struct TransformerOptions {
  int64_t heads = 8;
  int64_t hidden = 0;        // units of the feed-forward part; 0: 4 x width
  bool relu = false;         // instead of GELU
  int64_t memory_width = 0;  // of the memory that a decoder layer attends to; 0: width
};

// The part of a layer that sees each row alone:  linear2(drop(gelu(linear1(x)))), or relu
class FeedForward : public Module {
 public:
  FeedForward(int64_t width, int64_t hidden, bool relu);
  Var operator()(const Var& x, const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override;
  FeedForward like() const { return {linear1.weight.shape()[1], linear1.weight.shape()[0], relu_}; }

  Linear linear1, linear2;

 private:
  bool relu_;
};

// x += attention(norm1(x));  x += feed_forward(norm2(x)).  With causal pairs it is the layer of a
// language model. Dropout draws by the name `place`, or if that is empty by the layer's own, here
// and below.
class TransformerEncoderLayer : public Module {
 public:
  explicit TransformerEncoderLayer(int64_t width, TransformerOptions options = {});

  struct [[nodiscard]] Output {
    Var y;        // (N, width)
    Var weights;  // (heads, P)
  };
  // x (N, width), pairs of these rows with each other
  Output operator()(const Var& x, const AttentionPairs& pairs, const DropoutMode& drop = {},
                    std::string_view place = {}) const;
  void visit(Visitor& v) override;
  TransformerEncoderLayer like() const { return TransformerEncoderLayer(width_, options_); }

  MultiHeadAttention attention;
  FeedForward feed_forward;
  LayerNorm norm1, norm2;

 private:
  int64_t width_;
  TransformerOptions options_;
};

// x += self_attention(norm1(x));  x += attention(norm2(x), memory);  x += feed_forward(norm3(x))
class TransformerDecoderLayer : public Module {
 public:
  explicit TransformerDecoderLayer(int64_t width, TransformerOptions options = {});

  struct [[nodiscard]] Output {
    Var y;             // (N, width)
    Var self_weights;  // (heads, P of `self`)
    Var weights;       // (heads, P of `cross`): of the memory
  };
  // x (N, width); memory (M, memory_width), or what attention.read() made of it; `self`: pairs of
  // the rows with each other, causal as a rule; `cross`: pairs of the rows with the memory.
  Output operator()(const Var& x, const Var& memory, const AttentionPairs& self,
                    const AttentionPairs& cross, const DropoutMode& drop = {},
                    std::string_view place = {}) const {
    return (*this)(x, attention.read(memory), self, cross, drop, place);
  }
  Output operator()(const Var& x, const MultiHeadAttention::Memory& memory,
                    const AttentionPairs& self, const AttentionPairs& cross,
                    const DropoutMode& drop = {}, std::string_view place = {}) const;
  void visit(Visitor& v) override;
  TransformerDecoderLayer like() const { return TransformerDecoderLayer(width_, options_); }

  MultiHeadAttention self_attention, attention;
  FeedForward feed_forward;
  LayerNorm norm1, norm2, norm3;

 private:
  int64_t width_;
  TransformerOptions options_;
};

// The place of every row in its sequence: 0, 1, 2 ...
[[nodiscard]] std::vector<int32_t> positions(const Segments& rows);
[[nodiscard]] std::vector<int32_t> positions(const Packing& packing);

// Row i (width) encodes the position p_i:  sin(p f_0), cos(p f_0), sin(p f_1), ...  with
// f_k = 10000^(-2k / width). Add it to embeddings whose values are about 1 in size. Throws
// ShapeError for a negative position and for i32.
Tensor sinusoidal_positions(const std::vector<int32_t>& positions, int64_t width,
                            DType dtype = DType::f32, Device device = {});

}  // namespace heed
