#pragma once

#include "tensor/tensor.h"

namespace heed {

// Throws ShapeError unless ids are i32 in [0, n): "op: id 3 is outside of [0, 3)". It reads the ids
// on the host, so it waits for the device.
void check_ids(const char* op, const Tensor& ids, int64_t n);

}  // namespace heed
