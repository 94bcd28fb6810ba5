// Ops that are made of the ops of autograd/ops.h, so that their gradients need no code. What that
// header says about shapes, axes and errors applies here.
#pragma once

#include <vector>

#include "autograd/ops.h"

namespace heed {

// ---- a += b is a = a + b: `a` becomes a new Var, and other Vars of the old value keep it. Throws
// UsageError if `a` is a parameter: use set_value() for those.
Var& assign(Var& a, Var result);
template <class T> Var& operator+=(Var& a, const T& b) {
  return assign(a, a + b);
}
template <class T> Var& operator-=(Var& a, const T& b) {
  return assign(a, a - b);
}
template <class T> Var& operator*=(Var& a, const T& b) {
  return assign(a, a * b);
}
template <class T> Var& operator/=(Var& a, const T& b) {
  return assign(a, a / b);
}

// ---- reductions over one axis, which is removed, or keeps size 1 (keepdim)
// NaN if an element is NaN. The gradient goes to the first minimum.
Var min(const Var& x);  // all elements -> ()
Var min(const Var& x, int axis, bool keepdim = false);
// sum_i (x_i - mean)^2 / (n - correction). ShapeError unless n > correction.
Var variance(const Var& x, int axis, bool keepdim = false, int correction = 1);
// The square root of the variance; its gradient is 0 where it is 0.
Var stddev(const Var& x, int axis, bool keepdim = false, int correction = 1);
// ln sum_i e^x_i, without overflow
Var logsumexp(const Var& x, int axis, bool keepdim = false);
// (sum_i x_i^2)^(1/2), of all elements -> () or over an axis; its gradient is 0 where it is 0.
Var norm(const Var& x);
Var norm(const Var& x, int axis, bool keepdim = false);
HEED_NEEDS_AXIS(min);
HEED_NEEDS_AXIS(variance);
HEED_NEEDS_AXIS(stddev);
HEED_NEEDS_AXIS(logsumexp);
HEED_NEEDS_AXIS(norm);
// a . b / (max(|a|, 1e-8) max(|b|, 1e-8)) over the axis, which is removed. a and b broadcast, and
// the axis is one of the shape that they broadcast to.
Var cosine_similarity(const Var& a, const Var& b, int axis = -1);

// ---- sum_j w_ij v_j with the weights that attention_weights(q, k, pairs, heads) has: (N, D). v is
// as large as k. Where no gradient is wanted, the weights are never stored (on the CPU).
Var attention(const Var& q, const Var& k, const Var& v, const AttentionPairs& pairs, int64_t heads);

// ---- rows and shapes
// Axis i of the result is axis axes[i] of x.
Var permute(const Var& x, const std::vector<int>& axes);
Var squeeze(const Var& x, int axis);  // without the axis, whose size must be 1
HEED_NEEDS_AXIS(squeeze);
// x[.., i, ..]: one index of the axis, which is removed. A negative i counts from the end.
Var select(const Var& x, int axis, int64_t i);
// x (.., n, m) where column <= row + diagonal, else 0
Var tril(const Var& x, int64_t diagonal = 0);
// The k largest of each row, the largest first, equal ones by column; NaN counts as -infinity.
// (.., C) -> (.., k). ShapeError unless 1 <= k <= C. A GPU reads a row 2 k times.
struct [[nodiscard]] TopK {
  Var values;
  Tensor ids;  // i32
};
TopK top_k(const Var& x, int64_t k);

// ---- without a gradient
// The position along the axis, which is removed, of the first minimum, or of the first NaN -> i32
Tensor argmin(const Var& x, int axis);
HEED_NEEDS_AXIS(argmin);
// n numbers from `begin` to `end`, both included, at equal distances; not of i32
Tensor linspace(double begin, double end, int64_t n, DType dtype = DType::f32);
Tensor eye(int64_t n, DType dtype = DType::f32);  // (n, n), 1 on the diagonal
// The numbers 0 ... n - 1 in an order drawn from the random stream `key` -> i32 (n)
Tensor randperm(int64_t n, RandomKey key);

}  // namespace heed
