#include "tensor/kernels/pooling.h"

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/dispatch.h"
#include "tensor/kernels/index.h"

namespace heed {
namespace {

void check_pooling(const char* op, const Var& x, const Segments& s) {
  check_float(op, x);
  check_by_sequence(op, x);
  check_shape(x.shape().rank() == 2 && x.shape()[0] == s.memory_rows(), op, ": x ", x.shape(),
              " does not fit segments of ", s.memory_rows(), " rows, expected (", s.memory_rows(),
              ", H)");
  check_shape(!s.selected() || !wants_grad(x), op,
              ": a memory whose segments were selected gets no gradient");
  for (int64_t b = 0; b < s.count(); ++b) {
    check_shape(s.length(b) > 0, op, ": segment ", b, " is empty");
  }
  check_devices(op, s.offsets(), x.value());
}

}  // namespace

// y_b = sum_j x_j / length_b,   dx_j = dy_b / length_b
Var segment_mean(const Var& x, const Segments& s) {
  check_pooling("segment_mean", x, s);
  const int64_t count = s.count(), width = x.shape()[1];
  const Tensor y = Tensor::empty({count, width}, x.dtype(), x.device());
  KERNEL(y, segment_mean_forward(y.data<T>(), x.value().data<T>(), s.offsets().data<int32_t>(),
                                 s.starts().data<int32_t>(), count, width));

  return record("segment_mean", y, {x}, [s, count, width](Tensor dy, const Grads& dx) {
    KERNEL(dy, segment_mean_backward(dx.sum<T>(0), dy.data<T>(), s.offsets().data<int32_t>(),
                                     s.starts().data<int32_t>(), count, width));
  });
}

Var segment_mean(const Var& x, const Packing& packing) {
  const CalledOp called("segment_mean");
  check_float("segment_mean", x);
  return segment_mean(by_sequence(x, packing), packing.segments(x.device()));
}
Var segment_max(const Var& x, const Packing& packing) {
  const CalledOp called("segment_max");
  check_float("segment_max", x);
  return segment_max(by_sequence(x, packing), packing.segments(x.device()));
}

// y_b = max_j x_j at j = where,   dx_where = dy_b, all others 0
Var segment_max(const Var& x, const Segments& s) {
  check_pooling("segment_max", x, s);
  const int64_t count = s.count(), width = x.shape()[1];
  const Tensor y = Tensor::empty({count, width}, x.dtype(), x.device());
  const Tensor where = Tensor::empty({count, width}, DType::i32, x.device());
  KERNEL(y, segment_max_forward(y.data<T>(), where.data<int32_t>(), x.value().data<T>(),
                                s.offsets().data<int32_t>(), s.starts().data<int32_t>(), count,
                                width));

  return record("segment_max", y, {x}, [where, count, width](Tensor dy, const Grads& dx) {
    // n = 0: `where` counts the rows of all segments.
    KERNEL(dy,
           scatter_along(dx.sum<T>(0), dy.data<T>(), where.data<int32_t>(), count, 0, 1, width));
  });
}

}  // namespace heed
