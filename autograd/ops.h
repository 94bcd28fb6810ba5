// Every op: what it computes, on which shapes. An op throws ShapeError for shapes or element types
// that do not fit, with the op's name and what was given. Gradients stand in ops/*.cc, under the
// forward computation of each op.
//
// Shapes: (..., C) is any number of leading axes; negative axes count from the back.
#pragma once

#include <vector>

#include "autograd/attention_pairs.h"
#include "autograd/packing.h"
#include "autograd/var.h"
#include "tensor/random.h"

namespace heed {

// ---- arithmetic: elementwise, with broadcasting as in NumPy: axes are matched from the last one,
// and an axis of size 1 (or a missing one) is repeated
Var add(const Var& a, const Var& b);
Var sub(const Var& a, const Var& b);
Var mul(const Var& a, const Var& b);
Var div(const Var& a, const Var& b);
Var add(const Var& a, double b);
Var sub(double a, const Var& b);
Var mul(const Var& a, double b);
Var div(double c, const Var& x);
Var div(const Var& x, double c);
// clang-format off
inline Var operator+(const Var& a, const Var& b) { return add(a, b); }
inline Var operator-(const Var& a, const Var& b) { return sub(a, b); }
inline Var operator*(const Var& a, const Var& b) { return mul(a, b); }
inline Var operator/(const Var& a, const Var& b) { return div(a, b); }
inline Var operator+(const Var& a, double b) { return add(a, b); }
inline Var operator-(const Var& a, double b) { return add(a, -b); }
inline Var operator*(const Var& a, double b) { return mul(a, b); }
inline Var operator/(const Var& a, double b) { return div(a, b); }
inline Var operator+(double a, const Var& b) { return add(b, a); }
inline Var operator-(double a, const Var& b) { return sub(a, b); }
inline Var operator*(double a, const Var& b) { return mul(b, a); }
inline Var operator/(double a, const Var& b) { return div(a, b); }
// clang-format on
// The smaller and the larger of the two; NaN if one is. At ties each gets half of the gradient.
Var minimum(const Var& a, const Var& b);
Var maximum(const Var& a, const Var& b);
Var minimum(const Var& a, double b);
Var maximum(const Var& a, double b);
// a^b; the gradient of b is NaN where a < 0
Var pow(const Var& a, const Var& b);

// ---- elementwise functions, of any shape
Var neg(const Var& x);  // -x
inline Var operator-(const Var& x) {
  return neg(x);
}
Var exp(const Var& x);      // e^x
Var log(const Var& x);      // ln x
Var sqrt(const Var& x);     // x^(1/2)
Var square(const Var& x);   // x^2
Var tanh(const Var& x);     // (e^x - e^-x) / (e^x + e^-x)
Var sigmoid(const Var& x);  // 1 / (1 + e^-x)
Var relu(const Var& x);     // max(x, 0)
Var gelu(const Var& x);     // x Phi(x), Phi the normal distribution function; f32: within 1.3e-6
Var abs(const Var& x);      // |x|, with the gradient 0 at 0
Var sin(const Var& x);
Var cos(const Var& x);
Var log1p(const Var& x);                     // ln(1 + x), accurate near 0
Var expm1(const Var& x);                     // e^x - 1, accurate near 0
Var silu(const Var& x);                      // x / (1 + e^-x)
Var softplus(const Var& x);                  // ln(1 + e^x)
Var leaky_relu(const Var& x, double slope);  // x where x > 0, else slope x
// min(max(x, low), high); gradient where low <= x <= high. UsageError unless low <= high. For one
// bound alone the other is INFINITY or -INFINITY.
Var clamp(const Var& x, double low, double high);
Var pow(const Var& x, double c);  // x^c; for x < 0, c must be an integer
// mask ? a : b for a mask (i32) like those of autograd/discrete.h; the three broadcast. a and b may
// be i32.
Var where(const Tensor& mask, const Var& a, const Var& b);
Var where(const Tensor& mask, const Var& a, double b);
Var where(const Tensor& mask, double a, const Var& b);
// x with `value` where mask (i32), which broadcasts to x, is not 0
Var masked_fill(const Var& x, const Tensor& mask, double value);
// keep_i x_i / (1 - p), keep_i = 1 with probability 1 - p from the random stream `key`; x itself
// where p = 0. Srivastava et al. 2014.
Var dropout(const Var& x, double p, RandomKey key);

// softmax((x + g) / temperature) over the last axis, with Gumbel noise g from the random stream
// `key`: a relaxed sample from softmax(x), which is softer at a higher temperature. If `hard`, it
// returns the one-hot of the largest element, with the gradient of the soft sample.
// UsageError unless temperature > 0. Jang et al. 2017, Maddison et al. 2017.
Var gumbel_softmax(const Var& x, double temperature, RandomKey key, bool hard = false);
// The value of `hard`, but the gradient goes to `soft`, of the same shape. Bengio et al. 2013.
Var straight_through(const Var& soft, const Tensor& hard);

// ---- products
Var matmul(const Var& a, const Var& b);  // (m, k) (k, n) -> (m, n)
Var bmm(const Var& a, const Var& b);     // (b, m, k) (b, k, n) -> (b, m, n)
// x W^T + b:  x (..., in), W (out, in), b (out) or undefined -> (..., out)
Var affine(const Var& x, const Var& w, const Var& b = {});
// x W'^T for the columns W' = W[:, first_col : first_col + in]: the part of [.., x, ..] W^T that
// comes from x, without the concatenation.
Var affine_columns(const Var& x, const Var& w, int64_t first_col);

// ---- reductions. sum() and max() take i32, too; a sum beyond 32 bits throws ShapeError.
Var sum(const Var& x);   // all elements -> ()
Var mean(const Var& x);  // all elements -> ()
// Over one axis or several, which are removed, or keep size 1 (keepdim). sum(x, true) and
// sum(x, 0, 1) do not compile, here and below: say which axis keeps size 1, and {0, 1} for two
// axes.
Var sum(const Var& x, int axis, bool keepdim = false);
Var sum(const Var& x, const std::vector<int>& axes, bool keepdim = false);
Var mean(const Var& x, int axis, bool keepdim = false);
Var mean(const Var& x, const std::vector<int>& axes, bool keepdim = false);
// Of no elements it is 1. The gradient is right where elements are zero.
Var prod(const Var& x);  // all elements -> ()
Var prod(const Var& x, int axis, bool keepdim = false);
Var prod(const Var& x, const std::vector<int>& axes, bool keepdim = false);
// NaN if an element is NaN. The gradient goes to the first maximum.
Var max(const Var& x);  // all elements -> ()
Var max(const Var& x, int axis, bool keepdim = false);
Var max(const Var& x, const std::vector<int>& axes, bool keepdim = false);
Var cumsum(const Var& x, int axis);  // y_j = sum_{k <= j} x_k along the axis
HEED_NEEDS_AXIS(sum);
HEED_NEEDS_AXIS(mean);
HEED_NEEDS_AXIS(prod);
HEED_NEEDS_AXIS(max);
HEED_NEEDS_AXIS(cumsum);

// ---- over the last axis
Var softmax(const Var& x);      // e^x_i / sum_j e^x_j
Var log_softmax(const Var& x);  // ln softmax(x)
// z gain + bias, z = (x - mean) / sqrt(variance + eps);  gain, bias (C).  Ba et al. 2016.
// UsageError unless eps >= 0.
Var layer_norm(const Var& x, const Var& gain, const Var& bias, double eps = 1e-5);

// ---- losses; more of them, made of ops, in nn/losses.h
// (n, C), i32 (n) -> (n): -ln p_target, or with label smoothing e (in [0, 1), Szegedy et al. 2016)
// (1 - e) (-ln p_target) + e mean_j(-ln p_j), for p = softmax(logits)
Var cross_entropy(const Var& logits, const Tensor& targets, double smoothing = 0);
Var squared_error(const Var& x, const Var& target);  // sum (x - target)^2 -> ()
// cross_entropy(affine(x, w), targets, smoothing) in chunks of rows: the logits of all rows never
// exist at once. x (n, in), w (C, in). `total` is the sum of the losses, each times its row's
// weight (n) if there are weights; through `nll` (n), which is -ln p_target also where the loss is
// smoothed or weighted, no gradient flows.
struct [[nodiscard]] CrossEntropy {
  Var total;
  Tensor nll;
};
CrossEntropy linear_cross_entropy(const Var& x, const Var& w, const Tensor& targets,
                                  double smoothing = 0, const Tensor& weights = {});

// ---- rows and shapes; all but the scatters take i32, too
Var gather_rows(const Var& x, const Tensor& ids);  // x (n, ...), i32 (m) -> (m, ...): x[ids_i]
Var scatter_rows(const Var& x, const Tensor& ids,
                 int64_t n);  // (m, ...) -> (n, ...): y[ids_i] += x_i
// One index for each element: y_j = x[ids_j] along the axis. x (.., n, ..), ids i32 (.., m, ..)
Var gather_along(const Var& x, const Tensor& ids, int axis);
// y[ids_j] += x_j along the axis, in the order of j: x, ids (.., m, ..) -> (.., n, ..). Weights on
// source words become weights on the vocabulary: scatter_along(attention, source_words, vocabulary,
// 1) (pointer networks)
Var scatter_along(const Var& x, const Tensor& ids, int64_t n, int axis);
// One element of each row: (..., C), i32 (...) -> (...): x[.., ids]. In REINFORCE, the
// log-probability of the sampled action.
Var pick(const Var& x, const Tensor& ids);
Var reshape(const Var& x, Shape shape);
// The range [begin, end) of the leading axis. Negative numbers count from the end, kEnd is the end.
Var rows(const Var& x, int64_t begin, int64_t end);
Var concat(const std::vector<Var>& parts, int axis);
[[nodiscard]] std::vector<Var> split(const Var& x, const std::vector<int64_t>& sizes, int axis);
Var slice(const Var& x, int axis, int64_t begin, int64_t end);  // rows() of any axis
Var stack(const std::vector<Var>& parts);                       // n x (...) -> (n, ...)
Var transpose(const Var& x, int axis_a, int axis_b);            // swaps two axes
Var expand(const Var& x, Shape shape);                          // broadcasts to the shape

// ---- recurrent
// The recurrence of an LSTM layer over a packed ragged batch (Hochreiter & Schmidhuber 1997, with
// forget gates):
//   a_t = gates_t + h_{t-1} W_hh^T           four gates side by side, in the order i, f, g, o
//   i, f, o = sigmoid(a_i), sigmoid(a_f), sigmoid(a_o);  g = tanh(a_g)
//   c_t = f c_{t-1} + i g;   h_t = o tanh(c_t)
// gates (N, 4H) is what the input contributes: affine(x, W_ih, b). w_hh (4H, H). h0 and c0 (B, H)
// are zeros if left undefined. The op computes the gates of all steps in the memory of `gates` if
// nobody else refers to it, so pass a temporary or use std::move().
struct [[nodiscard]] LstmOutput {
  Var y;     // (N, H): h_t of all steps
  Var h, c;  // (B, H): after each sequence's last step
};
LstmOutput lstm(const Packing& packing, Var gates, const Var& w_hh, const Var& h0 = {},
                const Var& c0 = {});

// The recurrence of a GRU layer (Cho et al. 2014), in the form of PyTorch, which is that of cuDNN:
//   u_t = h_{t-1} W_hh^T + b_hh              three parts side by side, in the order r, z, n
//   r, z = sigmoid(gates_t + u_t);   n = tanh(gates_t + r u_t);   h_t = (1 - z) n + z h_{t-1}
// gates (N, 3H) is affine(x, W_ih, b_ih). w_hh (3H, H), b_hh (3H); b_hh and h0 (B, H) are zeros if
// left undefined. It reuses the memory of `gates` as lstm() does.
struct [[nodiscard]] GruOutput {
  Var y;  // (N, H): h_t of all steps
  Var h;  // (B, H): after each sequence's last step
};
GruOutput gru(const Packing& packing, Var gates, const Var& w_hh, const Var& b_hh = {},
              const Var& h0 = {});

// ---- attention over ragged segments, with one query per segment: query b attends to the memory
// rows of segment b. The B segments have P rows in total, of a memory of M rows. M is larger than P
// after Segments::first(), and may be smaller after Segments::select(). Throws ShapeError for a
// selected memory that needs a gradient.
Var segment_scores(const Var& query, const Var& memory, const Segments& s);  // (B,H) (M,H) -> (P)
Var segment_softmax(const Var& scores, const Segments& s);                   // (P) -> (P)
Var segment_context(const Var& weights, const Var& memory,
                    const Segments& s);  // (P) (M,H) -> (B,H)

// ---- multi-head attention, with several queries per segment. Head h uses the columns
// [h D/heads, (h + 1) D/heads) of all rows, and has its own weight for each of the P pairs (query,
// row that it sees). N queries, M memory rows. Vaswani et al. 2017.
//   softmax_j(q_i . k_j / sqrt(D / heads))         q (N, D), k (M, D) -> (heads, P)
Var attention_weights(const Var& q, const Var& k, const AttentionPairs& pairs, int64_t heads);
//   sum_j w_ij v_j                                 w (heads, P), v (M, D) -> (N, D)
Var attention_context(const Var& w, const Var& v, const AttentionPairs& pairs);

// ---- pooling: ragged rows x (M, H) -> one row per segment (B, H). Throws ShapeError for a segment
// without rows.
Var segment_mean(const Var& x, const Segments& s);
Var segment_max(const Var& x, const Segments& s);  // NaN, and the gradient, as in max()
// The same for each sequence of a packing. x (N, H) is ordered step by step, as lstm() and gru()
// return it.
Var segment_mean(const Var& x, const Packing& packing);
Var segment_max(const Var& x, const Packing& packing);

}  // namespace heed
