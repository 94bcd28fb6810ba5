// A probe with one hidden layer.
// Numbers that the paper does not give are scikit-learn's defaults.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "dialog/stats/metrics.h"
#include "nn/layers.h"

namespace heed::probe {

struct MlpOptions {
  int64_t hidden = 100, batch = 200;
  double rate = 1e-3;  // Adam's
  double l2 = 1e-4;    // l2 / 2 |W|^2 of the weights is added to the loss of a batch
  int max_epochs = 200, patience = 10;
  double tolerance = 1e-4;  // a loss counts as improved if it falls by more than this
  uint64_t seed = 1;
};

// logits = W_2 max(W_1 x + b_1, 0) + b_2, one for each label; loss: the binary cross entropies of
// an example's labels, summed; their mean over the examples of a batch.
class Mlp : public Module {
 public:
  Mlp(int64_t in, int64_t hidden, int64_t labels) : first_(in, hidden), second_(hidden, labels) {}
  void visit(Visitor& v) override;
  Var operator()(const Var& x) const;    // f32 (n, in) -> (n, labels)
  Tensor scores(const Tensor& x) const;  // f32 or f64 (n, in) -> f64 (n, labels)
  Var penalty() const;                   // |W_1|^2 + |W_2|^2

 private:
  Linear first_, second_;
};

struct FittedMlp {
  std::unique_ptr<Mlp> model;
  int epochs = 0;
  bool converged = false;  // the patience ended it, not max_epochs
};
// x f32 or f64 (n, d), the labels of each of the n examples, below `size`. Trained in f32; the
// result is the same for any number of threads.
FittedMlp fit_mlp(const Tensor& x, const std::vector<LabelIds>& labels, int64_t size,
                  const MlpOptions& options = {});

}  // namespace heed::probe
