#include "labs/02-engine/variation.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/support/not_done.h"

namespace heed::lab {

Var checkpoint(const std::function<Var(const Var&)>&, const Var&) {
  not_done("lab 2, variation");
}

}  // namespace heed::lab
