// The last layer of a model that writes: a distribution over the V words of the vocabulary from
// hidden states. Losses, decoding and operation counts use it, and have no softmax of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "nn/layers.h"

namespace heed {

class OutputLayer : public Module {
 public:
  // Numbers whose softmax over the last axis is p: (n, in) -> (n, V). They equal log p up to a
  // constant per row.
  virtual Var logits(const Var& hidden) const = 0;
  // -log p of the targets, i32 (n); in the total each is multiplied by its weight (n), if given.
  [[nodiscard]] virtual CrossEntropy loss(const Var& hidden, const Tensor& targets,
                                          const Tensor& weights = {}) const;
  // The same for logits that are already computed.
  [[nodiscard]] static CrossEntropy loss_of(const Var& logits, const Tensor& targets,
                                            const Tensor& weights = {});
};

// p = softmax(W hidden).   W (V, in), called "weight"; the logits of all rows never exist at once.
class SoftmaxOutput : public OutputLayer {
 public:
  SoftmaxOutput(int64_t in, int64_t vocab_size) : weight_(in, vocab_size, /*with_bias=*/false) {}
  void visit(Visitor& v) override { weight_.visit(v); }
  Var logits(const Var& hidden) const override { return weight_(hidden); }
  CrossEntropy loss(const Var& hidden, const Tensor& targets,
                    const Tensor& weights = {}) const override;

 private:
  Linear weight_;
};

// One softmax to which some words contribute twice (THRED: Dziri et al. 2019, Eq. 7):
//   p(y) = (exp a_y + [y in K] exp b_y) / M,   a = W_a hidden[:, :first],   b = W_b hidden
// W_a (V, first), called "weight"; W_b (|K|, in), called "part.weight". With K empty it is
// softmax(a).
class JointSoftmaxOutput : public OutputLayer {
 public:
  // `a` reads the first `first` of the `in` numbers of a hidden state; `part` are the different
  // words of K. Throws UsageError for ids outside of the vocabulary.
  JointSoftmaxOutput(int64_t in, int64_t first, int64_t vocab_size, std::vector<int32_t> part);
  void visit(Visitor& v) override;
  Var logits(const Var& hidden) const override;

 private:
  Linear all_;
  std::vector<Linear> of_part_;  // one or none
  int64_t vocab_size_;
  std::vector<int32_t> part_;
};

// Two vocabularies and a gate (section 7 of the specification: Chikai et al. 2019): the last
// `special` words of the vocabulary have a softmax of their own,
//   p = [(1 - g) softmax(W_1 hidden); g softmax(W_2 hidden)],   g = sigmoid(w hidden)
// W_1 (V - special, in), called "weight", W_2 (special, in), "special.weight", w (1, in),
// "gate.weight". With special = 0 it is softmax(W_1 hidden).
class GatedOutput : public OutputLayer {
 public:
  GatedOutput(int64_t in, int64_t vocab_size, int64_t special);
  void visit(Visitor& v) override;
  Var logits(const Var& hidden) const override;  // log p
  Var log_gate(const Var& hidden) const;         // ln g, (n); for a loss of its own

 private:
  Linear general_;
  std::vector<Linear> special_, gate_;  // one or none
};

// A softmax mixed with a distribution v over words that is part of each row (Takayama & Arase
// 2019), hidden = [h; ln v]:
//   p = (1 - g) softmax(a) + g v,   a = W h,   g = sigmoid(z),   z = w h + b
// ln 0 is kLogOfNone; a row whose v is all 0 has g = 0. W (V, in), called "weight"; w (1, in) and
// b, "gate.weight" and "gate.bias".
class MixedOutput : public OutputLayer {
 public:
  static constexpr double kLogOfNone = -1e9;

  MixedOutput(int64_t in, int64_t vocab_size)
      : softmax_(in, vocab_size, /*with_bias=*/false), gate_(in, 1) {}
  void visit(Visitor& v) override;
  Var logits(const Var& hidden) const override;
  Var logits(const Var& h, const Var& log_v) const;

 private:
  Linear softmax_, gate_;
};

}  // namespace heed
