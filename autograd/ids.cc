#include "autograd/ids.h"

namespace heed {

void check_ids(const char* op, const Tensor& ids, int64_t n) {
  check_shape(ids.defined() && ids.dtype() == DType::i32, op, ": ids must be i32, got ",
              name_of(ids.dtype()), " ", ids.shape());
  for (int32_t id : ids.to_ints()) {
    check_shape(id >= 0 && id < n, op, ": id ", id, " is outside of [0, ", n, ")");
  }
}

}  // namespace heed
