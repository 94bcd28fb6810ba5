// Broadcasting as in NumPy: axes are matched from the last one, and an axis of size 1 (or a missing
// one) is repeated.
#pragma once

#include "tensor/kernels/layout.h"
#include "tensor/tensor.h"

namespace heed {

// The shape that a and b broadcast to. Throws ShapeError "op: shapes do not broadcast, (2, 3) and
// (4)".
Shape broadcast_shape(const char* op, const Shape& a, const Shape& b);

// How a tensor of shape `from` is repeated to shape `to`. Neighbouring axes that are all repeated,
// or all not, are merged, so that contiguous runs are as long as possible. Throws ShapeError
// "expand: (4) does not broadcast to (2, 3)".
Broadcast broadcast_map(const Shape& from, const Shape& to);

// x repeated to the shape; x itself if it has the shape. Any element type.
Tensor broadcast_to(const Tensor& x, const Shape& shape);

}  // namespace heed
