#include "autograd/ops.h"

namespace heed {

Var cosine(const Var& a, const Var& b) {
  check_shape(a.shape() == b.shape(), "cosine: shapes differ, ", a.shape(), " and ", b.shape());
  return sum(a * b, -1) / sqrt(sum(square(a), -1) * sum(square(b), -1));
}

}  // namespace heed
