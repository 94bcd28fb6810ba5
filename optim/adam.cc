#include <cmath>

#include "optim/optim.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/update.h"

namespace heed {

Adam::Adam(Module& module, const Options& options)
    : Optimizer(module, options.rate, options.weight_decay, options.groups),
      options_(options),
      m_(remember("m")),
      v_(remember("v")),
      steps_(remember_numbers("steps", parameters_.size())) {
  if (!(options.rate >= 0) || !(options.weight_decay >= 0) || !(options.eps > 0) ||
      !(options.beta1 >= 0 && options.beta1 < 1) || !(options.beta2 >= 0 && options.beta2 < 1)) {
    throw UsageError("Adam: needs rate, weight_decay >= 0, eps > 0 and beta1, beta2 in [0, 1)");
  }
}

void Adam::update(const std::vector<Update>& all) {
  for (const Update& u : all) {
    const int32_t t = ++steps_[u.index];
    const double c1 = 1 - std::pow(options_.beta1, t), c2 = 1 - std::pow(options_.beta2, t);
    const Tensor& p = u.p();
    const Tensor dense = u.parameter.grad();
    const AdamFactors factors{
        u.rate, options_.beta1, options_.beta2, u.not_zero(options_.eps), u.weight_decay, c1, c2};
    KERNEL(p, adam_update(p.data<T>(), m_[u.index].data<T>(), v_[u.index].data<T>(),
                          dense.data<T>(), u.scale.data<double>(), factors, p.numel()));
  }
}

}  // namespace heed
