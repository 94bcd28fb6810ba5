// Ragged batches for the kernels of lab 7, and calls of these kernels.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "autograd/attention_pairs.h"
#include "labs/07-attention/by_loops.h"
#include "labs/support/check.h"
#include "tensor/kernels/attention.h"
#include "tensor/kernels/softmax.h"
#include "tensor/parallel.h"

namespace heed::lab {

inline const Tolerance kExact = {.relative = 1e-11, .absolute = 1e-11};
inline const Tolerance kOfLarge = {.relative = 1e-11, .absolute = 1e-8};
inline const Tolerance kRough = {.relative = 1e-5, .absolute = 1e-8};

// Some segments of drawn lengths, queries and a memory for them; more rows than belong to anybody.
struct Ragged {
  Segments s;
  Tensor query, memory, weights;

  Ragged(Draw& draw, const Segments& segments, DType dtype = DType::f64, int64_t width_or_0 = 0)
      : s(segments),
        query(draw.normal({s.count(), width_or_0 > 0 ? width_or_0 : width_of(draw)}, dtype)),
        memory(draw.normal({s.memory_rows() + s.total(), width()}, dtype)),
        weights(draw.normal({s.total()}, dtype)) {}
  int64_t width() const { return query.shape()[1]; }
  // One segment of those that stand one after the other.
  Ragged alone(int64_t b) const {
    Ragged one = *this;
    one.s = Segments({static_cast<int32_t>(s.length(b))});
    one.query = query.rows(b, b + 1);
    one.memory = memory.rows(s.begin(b), s.end(b));
    one.weights = weights.rows(s.begin(b), s.end(b));
    return one;
  }
  static int64_t width_of(Draw& draw) { return draw.between(2, 6); }
};

inline Segments draw_segments(Draw& draw, int64_t shortest = 1) {
  std::vector<int32_t> lengths = draw.ids(draw.between(3, 5), 6);
  for (int32_t& length : lengths) length += static_cast<int32_t>(shortest);
  if (shortest == 0) lengths[1] = 0;  // in the middle, and both ends have some rows
  for (int32_t* end : {&lengths.front(), &lengths.back()}) *end = std::max(*end, 2);
  lengths.insert(lengths.end() - 1, 1);  // a single row gets all the weight
  return Segments(lengths);
}

// The largest number of the first segment is its last one, that of the last segment its first one.
inline Tensor draw_scores(Draw& draw, const Segments& s) {
  const Tensor x = draw.normal({s.total()});
  const auto put_largest = [&](int64_t b, bool last) {
    double* const first = x.data<double>() + s.begin(b);
    std::iter_swap(std::max_element(first, first + s.length(b)),
                   last ? first + s.length(b) - 1 : first);
  };
  put_largest(0, true);
  put_largest(s.count() - 1, false);
  return x;
}

// So many that threads share them.
inline Segments many_segments(Draw& draw) {
  std::vector<int32_t> lengths = draw.ids(draw.between(30, 50), 6);
  lengths[1] = static_cast<int32_t>(draw.between(130, 150));
  lengths.back() = 3;
  return Segments(lengths);
}

// A long segment at which many queries look, more than stand in one part, between short ones, one
// of which has more queries than rows; wide rows, their width and number odd; large scores, and
// weights of which most are small.
inline Ragged draw_wide(Draw& draw) {
  const Segments memory({2, static_cast<int32_t>(2 * draw.between(65, 75) + 1), 1});
  std::vector<int32_t> chosen(draw.between(66, 70), 1);
  chosen.insert(chosen.begin(), 0);
  chosen.insert(chosen.end(), 3, 2);
  const Ragged r(draw, memory.select(chosen), DType::f64, 2 * draw.between(65, 75) + 1);
  for (int64_t i = 0; i < r.s.total(); ++i) {
    r.weights.data<double>()[i] *= std::pow(0.1, static_cast<double>(i % 8));
  }
  for (int64_t i = 0; i < r.query.numel(); ++i) r.query.data<double>()[i] *= 1000;
  return r;
}
inline const char* const kWide =
    "any number of queries may look at the same rows, a segment may have any number of rows, a row "
    "any number of columns, and a score or a weight any size: all of them count, and the "
    "numbers of a query stand one after the other";

// What several threads do to each other is seen by a check of its own, and nowhere before.
class OneThread {
 public:
  OneThread() { set_num_threads(1); }
  ~OneThread() { set_num_threads(before_); }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  const int before_ = num_threads();
};

template <class T> Tensor scores_of(const Ragged& r) {
  const Tensor y = unwritten({r.s.total()}, r.query.dtype());
  cpu::pair_dots<T>(y.data<T>(), r.query.data<T>(), r.memory.data<T>(), table_of(r.s), 1,
                    r.width());
  return y;
}

template <class T> Tensor softmax_of(const Tensor& x, const Segments& s) {
  const Tensor y = unwritten(x.shape(), x.dtype()), before = x.clone();
  cpu::segment_softmax_forward(y.data<T>(), x.data<T>(), s.offsets().data<int32_t>(), s.count());
  expect(x.to_vector() == before.to_vector(),
         "the scores were written to: they are read, and the softmax is written to y.");
  return y;
}

template <class T> Tensor context_of(const Ragged& r) {
  const Tensor y = unwritten({r.s.count(), r.width()}, r.query.dtype());
  cpu::pair_sums<T>(y.data<T>(), r.weights.data<T>(), r.memory.data<T>(), table_of(r.s), 1,
                    r.width());
  return y;
}

// An undefined gradient is one that nobody needs.
template <class T>
void add_score_gradients(const Ragged& r, const Tensor& dquery, const Tensor& dmemory,
                         const Tensor& dy) {
  const PairTable p = table_of(r.s);
  if (dquery.defined()) {
    cpu::pair_sums<T>({dquery.data<T>(), Write::add}, dy.data<T>(), r.memory.data<T>(), p, 1,
                      r.width());
  }
  if (dmemory.defined())
    cpu::pair_collect<T>(dmemory.data<T>(), dy.data<T>(), r.query.data<T>(), p, 1, r.width());
}
template <class T>
void add_context_gradients(const Ragged& r, const Tensor& dweights, const Tensor& dmemory,
                           const Tensor& dy) {
  const PairTable p = table_of(r.s);
  if (dweights.defined()) {
    cpu::pair_dots<T>({dweights.data<T>(), Write::add}, dy.data<T>(), r.memory.data<T>(), p, 1,
                      r.width());
  }
  if (dmemory.defined())
    cpu::pair_collect<T>(dmemory.data<T>(), r.weights.data<T>(), dy.data<T>(), p, 1, r.width());
}

// What a kernel added to a gradient that was not empty, once with the other one wanted and once
// without. `run` gets the gradient and the other one.
inline void expect_gradient(Draw& draw, const std::string& what, const Tensor& want,
                            const Tensor& like_other,
                            const std::function<void(const Tensor&, const Tensor&)>& run,
                            const Expected& expected) {
  if_stopped("A gradient that nobody needs is a null pointer.");
  const Tensor before = draw.normal(want.shape());
  for (const bool other : {true, false}) {
    const Tensor got = before.clone();
    run(got, other ? zeros_like(like_other) : Tensor());
    expect_added(what + (other ? "" : ", the other one not wanted"), got, before, want, expected);
  }
}

// All that the kernels make of a batch in f32.
inline std::map<std::string, Tensor> all_kernels(const Ragged& r) {
  const Tensor dq = zeros_like(r.query), dm = zeros_like(r.memory), dw = zeros_like(r.weights);
  const Tensor scores = scores_of<float>(r), weights = softmax_of<float>(scores, r.s),
               dx = unwritten(weights.shape(), DType::f32);
  add_score_gradients<float>(r, dq, dm, weights);
  add_context_gradients<float>(r, dw, dm, r.query);
  cpu::segment_softmax_backward(Out<float>(dx.data<float>()), weights.data<float>(),
                                r.weights.data<float>(), r.s.offsets().data<int32_t>(),
                                r.s.count());
  return {
      {"scores", scores}, {"weights", weights}, {"context", context_of<float>(r)}, {"dquery", dq},
      {"dmemory", dm},    {"dweights", dw},     {"dscores of softmax", dx}};
}

}  // namespace heed::lab
