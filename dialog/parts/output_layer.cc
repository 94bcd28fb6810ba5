#include "dialog/parts/output_layer.h"

#include <set>

#include "base/error.h"

namespace heed {
CrossEntropy OutputLayer::loss(const Var& hidden, const Tensor& targets,
                               const Tensor& weights) const {
  return loss_of(logits(hidden), targets, weights);
}

CrossEntropy OutputLayer::loss_of(const Var& logits, const Tensor& targets, const Tensor& weights) {
  const Var nll = cross_entropy(logits, targets);
  return {weights.defined() ? sum(mul(nll, Var(weights))) : sum(nll), nll.value()};
}

CrossEntropy SoftmaxOutput::loss(const Var& hidden, const Tensor& targets,
                                 const Tensor& weights) const {
  return linear_cross_entropy(hidden, weight_.weight, targets, 0, weights);
}

JointSoftmaxOutput::JointSoftmaxOutput(int64_t in, int64_t first, int64_t vocab_size,
                                       std::vector<int32_t> part)
    : all_(first, vocab_size, /*with_bias=*/false),
      vocab_size_(vocab_size),
      part_(std::move(part)) {
  const std::set<int32_t> different(part_.begin(), part_.end());
  const bool inside =
      part_.empty() || (*different.begin() >= 0 && *different.rbegin() < vocab_size);
  if (!inside || different.size() != part_.size()) {
    throw UsageError("joint softmax: expected different words of the " +
                     std::to_string(vocab_size) + " of the vocabulary");
  }
  if (!part_.empty()) of_part_.emplace_back(in, std::ssize(part_), /*with_bias=*/false);
}

void JointSoftmaxOutput::visit(Visitor& v) {
  all_.visit(v);
  for (Linear& part : of_part_) v("part", part);
}

// ln(exp a + exp b) = a + ln(1 + exp(b - a)), for the words of K alone.
Var JointSoftmaxOutput::logits(const Var& hidden) const {
  const int64_t first = all_.weight.shape()[1];
  const Var a = all_(hidden.shape()[1] == first ? hidden : slice(hidden, 1, 0, first));
  if (part_.empty()) return a;
  std::vector<int32_t> columns;
  for (int64_t row = 0; row < a.shape()[0]; ++row) {
    columns.insert(columns.end(), part_.begin(), part_.end());
  }
  const Tensor ids = Tensor::from(columns, a.device()).reshape({a.shape()[0], std::ssize(part_)});
  const Var added = softplus(of_part_[0](hidden) - gather_along(a, ids, 1));
  return a + scatter_along(added, ids, vocab_size_, 1);
}

GatedOutput::GatedOutput(int64_t in, int64_t vocab_size, int64_t special, bool on_logits)
    : general_(in, vocab_size - special, /*with_bias=*/false), on_logits_(on_logits) {
  if (special == 0) return;
  special_.emplace_back(in, special, /*with_bias=*/false);
  gate_.emplace_back(in, 1, /*with_bias=*/false);
}

void GatedOutput::visit(Visitor& v) {
  general_.visit(v);
  for (Linear& special : special_) v("special", special);
  for (Linear& gate : gate_) v("gate", gate);
}

// ln g = -ln(1 + e^-z),   ln(1 - g) = -ln(1 + e^z),   z = w hidden
Var GatedOutput::logits(const Var& hidden) const {
  const Var general = general_(hidden);
  if (special_.empty()) return log_softmax(general);
  const Var z = gate_[0](hidden), special = special_[0](hidden);
  if (on_logits_) return concat({mul(sigmoid(-z), general), mul(sigmoid(z), special)}, 1);
  return concat({log_softmax(general) - softplus(z), log_softmax(special) - softplus(-z)}, 1);
}

Var GatedOutput::log_gate(const Var& hidden) const {
  const Var z = gate_.at(0)(hidden);
  return -softplus(-reshape(z, {z.shape()[0]}));
}

void MixedOutput::visit(Visitor& v) {
  softmax_.visit(v);
  v("gate", gate_);
}

Var MixedOutput::logits(const Var& hidden) const {
  const int64_t in = softmax_.weight.shape()[1];
  return logits(slice(hidden, 1, 0, in), slice(hidden, 1, in, kEnd));
}

// (1 - g) softmax(a) + g v = (1 - g) (e^a / M + e^z v), and so up to a constant of the row
//   ln p = a + ln(1 + e^(z + ln v - ln softmax(a)))
Var MixedOutput::logits(const Var& h, const Var& log_v) const {
  const Var a = softmax_(h);
  return a + softplus(gate_(h) + log_v - log_softmax(a));
}

}  // namespace heed
