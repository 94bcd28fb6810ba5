#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/02-engine/variation.h"

namespace heed::lab {

Var checkpoint(const std::function<Var(const Var&)>& f, const Var& x) {
  const Tensor at = x.value();
  Tensor y;
  {
    const NoGrad guard;
    y = add(mul(f(Var(at)), @p), mul(Var(at), @q)).value();
  }
  return record("checkpoint", y, {x}, [f, at](Tensor dy, const Grads& dx) {
    const Var leaf = Var::parameter(at);
    sum(mul(add(mul(f(leaf), @p), mul(leaf, @q)), Var(dy))).backward();
    dx.add(0, leaf.grad());
  });
}

}  // namespace heed::lab
