// Functions without a gradient: masks, positions, classes.
//
// A mask is i32: 1 where a condition holds, else 0. where() and masked_fill() take masks for values
// of any element type. To count or to multiply with one, convert it by mask.to(DType::f32):
//   accuracy = mean(equal(argmax(logits, -1), targets).to(DType::f32))
#pragma once

#include "autograd/var.h"

namespace heed {

// ---- comparisons of f32, f64 or i32, with broadcasting -> i32 mask. Comparisons with NaN give
// 0, except not_equal.
Tensor equal(const Var& a, const Var& b);
Tensor not_equal(const Var& a, const Var& b);
Tensor less(const Var& a, const Var& b);
Tensor less_equal(const Var& a, const Var& b);
Tensor greater(const Var& a, const Var& b);
Tensor greater_equal(const Var& a, const Var& b);
// With a number. Throws ShapeError if a is i32 and the number is not an integer.
Tensor equal(const Var& a, double b);
Tensor not_equal(const Var& a, double b);
Tensor less(const Var& a, double b);
Tensor less_equal(const Var& a, double b);
Tensor greater(const Var& a, double b);
Tensor greater_equal(const Var& a, double b);

// The position along the axis, which is removed, of the first maximum, or of the first NaN -> i32.
// x may be i32.
Tensor argmax(const Var& x, int axis);
HEED_NEEDS_AXIS(argmax);
// ids i32 (...) -> (..., classes): 1 at the position of the id, else 0
Tensor one_hot(const Tensor& ids, int64_t classes, DType dtype = DType::f32);
// begin, begin + step, ..., up to but not including `end` -> (n)
Tensor arange(int64_t begin, int64_t end, int64_t step = 1, DType dtype = DType::i32,
              Device device = {});

// Samples a class for each row of logits (..., C) from softmax(logits), as the argmax of
// logits + Gumbel noise from the random stream `key` -> i32 (...). It never samples a class whose
// logit is -infinity or NaN, except class 0 of a row that has no other.
Tensor categorical(const Var& logits, RandomKey key);

}  // namespace heed
