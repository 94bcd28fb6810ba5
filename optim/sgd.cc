#include "optim/optim.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/update.h"

namespace heed {

Sgd::Sgd(Module& module, const Options& options)
    : Optimizer(module, options.rate, options.weight_decay, options.groups), options_(options) {
  if (!(options.rate >= 0) || !(options.momentum >= 0) || !(options.weight_decay >= 0)) {
    throw UsageError("Sgd: needs rate, momentum, weight_decay >= 0");
  }
  if (options.momentum > 0) velocity_ = &remember("velocity");
}

void Sgd::update(const std::vector<Update>& all) {
  for (const Update& u : all) {
    const Tensor& p = u.p();
    const Gradient& g = u.parameter.gradient();
    if (g.sparse() && !velocity_ && u.weight_decay == 0) {
      KERNEL(p, sgd_update_rows(p.data<T>(), g.rows.data<T>(), g.ids.data<int32_t>(),
                                u.scale.data<double>(), u.rate, g.ids.numel(),
                                p.shape().product(1, p.shape().rank())));
      continue;
    }
    const Tensor dense = u.parameter.grad();
    KERNEL(p, sgd_update(p.data<T>(), velocity_ ? (*velocity_)[u.index].data<T>() : nullptr,
                         dense.data<T>(), u.scale.data<double>(), T(u.rate), T(options_.momentum),
                         T(u.weight_decay), p.numel()));
  }
}

}  // namespace heed
