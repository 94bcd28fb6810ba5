#include "autograd/ops.h"
#include "optim/optim.h"

namespace heed {

Adagrad::Adagrad(Module& module, const Options& options)
    : Optimizer(module, options.rate, options.weight_decay, options.groups),
      options_(options),
      h_(remember("h")) {
  if (!(options.rate >= 0) || !(options.weight_decay >= 0) || !(options.eps > 0)) {
    throw UsageError("Adagrad: needs rate, weight_decay >= 0 and eps > 0");
  }
}

void Adagrad::update(const std::vector<Update>& all) {
  for (const Update& u : all) {
    const Var p = u.p(), g = u.g() + u.weight_decay * p, h = h_[u.index] + square(g);
    h_[u.index].copy_from(h.value());
    u.p().copy_from((p - u.rate * g / (sqrt(h) + u.not_zero(options_.eps))).value());
  }
}

}  // namespace heed
