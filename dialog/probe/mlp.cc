#include "dialog/probe/mlp.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/losses.h"
#include "optim/optim.h"
#include "tensor/random.h"

namespace heed::probe {
namespace {

// Glorot & Bengio's bounds for weights and biases alike, as scikit-learn draws them.
void draw(Mlp& model, uint64_t seed) {
  double bound = 0;
  for (const NamedParameter& p : parameters(model)) {
    const Shape& shape = p.var.shape();
    if (shape.rank() == 2) bound = std::sqrt(6.0 / static_cast<double>(shape[0] + shape[1]));
    Var parameter = p.var;
    parameter.set_value(uniform(shape, -bound, bound, init_key(seed, p.name)));
  }
}

// Targets of some of the examples: 1 where an example has a label, else 0.
Tensor targets_of(const std::vector<LabelIds>& labels, const std::vector<int32_t>& examples,
                  int64_t size) {
  const auto rows = static_cast<int64_t>(examples.size());
  const Tensor targets = Tensor::zeros({rows, size});
  for (int64_t r = 0; r < rows; ++r) {
    for (const int32_t label : labels[examples[r]]) targets.data<float>()[r * size + label] = 1;
  }
  return targets;
}

// Mean loss of an epoch in an order of its own.
double train_epoch(Mlp& model, Adam& optimizer, const Var& x, const std::vector<LabelIds>& labels,
                   int64_t size, const MlpOptions& options, int epoch) {
  std::vector<int32_t> order(labels.size());
  std::iota(order.begin(), order.end(), 0);
  Rng rng(options.seed, "probe.mlp", epoch);
  rng.shuffle(order);
  double total = 0;
  for (size_t at = 0; at < order.size(); at += options.batch) {
    const size_t end = std::min(order.size(), at + static_cast<size_t>(options.batch));
    const std::vector<int32_t> part(order.begin() + static_cast<int64_t>(at),
                                    order.begin() + static_cast<int64_t>(end));
    const Var logits = model(gather_rows(x, Tensor::from(part)));
    const Var losses = binary_cross_entropy(logits, Var(targets_of(labels, part, size)));
    const auto rows = static_cast<double>(part.size());
    const Var loss = (1 / rows) * (sum(losses) + (options.l2 / 2) * model.penalty());
    zero_grad(model);
    loss.backward();
    optimizer.step();
    total += loss.value().item() * rows;
  }
  return total / static_cast<double>(order.size());
}

}  // namespace

void Mlp::visit(Visitor& v) {
  v("first", first_);
  v("second", second_);
}

Var Mlp::operator()(const Var& x) const {
  return second_(relu(first_(x)));
}

Tensor Mlp::scores(const Tensor& x) const {
  const NoGrad guard;
  return (*this)(Var(x.to(DType::f32))).value().to(DType::f64);
}

Var Mlp::penalty() const {
  return sum(square(first_.weight)) + sum(square(second_.weight));
}

FittedMlp fit_mlp(const Tensor& x, const std::vector<LabelIds>& labels, int64_t size,
                  const MlpOptions& options) {
  check_shape(x.shape().rank() == 2 && x.shape()[0] == static_cast<int64_t>(labels.size()),
              "mlp: expected x (", labels.size(), ", d), got ", x.shape());
  FittedMlp fitted{std::make_unique<Mlp>(x.shape()[1], options.hidden, size)};
  draw(*fitted.model, options.seed);
  Adam optimizer(*fitted.model, {.rate = options.rate});
  const Var inputs(x.to(DType::f32));
  double best = std::numeric_limits<double>::infinity();
  int without_improvement = 0;
  while (fitted.epochs < options.max_epochs && !fitted.converged) {
    const double loss =
        train_epoch(*fitted.model, optimizer, inputs, labels, size, options, fitted.epochs++);
    without_improvement = loss > best - options.tolerance ? without_improvement + 1 : 0;
    best = std::min(best, loss);
    fitted.converged = without_improvement > options.patience;
  }
  return fitted;
}

}  // namespace heed::probe
