// Rows of the op table: an index for each element, pooling over segments, sampling.
#include <algorithm>
#include <cmath>

#include "tests/autograd/op_table.h"

namespace heed {
namespace {

// The ids of gather_along and scatter_along: some places twice, others not at all.
Tensor ids_of(Shape shape, int64_t n) {
  return pattern(shape, static_cast<int32_t>(n), 5, 2);
}
int64_t id_of(int64_t i, int64_t n) {
  return (i * 5 + 2) % n;
}

// Calls body(position in the (outer, m, inner) side, in the (outer, n, inner) side).
template <class Body> void for_each_index(const Shape& of_ids, int axis, int64_t n, Body body) {
  const int64_t m = of_ids[axis];
  int64_t inner = 1;
  for (int i = of_ids.normalize(axis) + 1; i < of_ids.rank(); ++i) inner *= of_ids[i];
  for (int64_t at = 0; at < of_ids.numel(); ++at) {
    const int64_t o = at / (m * inner), i = at % inner;
    body(at, (o * n + id_of(at, n)) * inner + i);
  }
}

OpCase gather_case(int axis) {
  return {.op = "gather_along(Var, Tensor, int)",
          .variant = "axis " + std::to_string(axis),
          .call =
              [axis](In x) {
                const Shape& s = x[0].shape();
                if (s.rank() < 3) return gather_along(x[0], ids_of({1}, 1), axis);
                return gather_along(x[0], ids_of(s.with(axis, 4), s[axis]), axis);
              },
          .naive =
              [axis](Arrays x) {
                const Shape of_ids = x[0].shape.with(axis, 4);
                std::vector<double> y(of_ids.numel());
                for_each_index(of_ids, axis, x[0].shape[axis],
                               [&](int64_t to, int64_t from) { y[to] = x[0][from]; });
                return y;
              },
          .shapes = {{2, 3, 3}},
          .one = {{1, 1, 1}},
          .empty = {axis == 0 ? Shape{3, 0, 2} : Shape{0, 3, 2}},
          .large = {{50, 40, 30}},
          .wrong = {{{{}},
                     "gather_along: axis " + std::to_string(axis) + " is outside of the shape ()"}},
          .misuse = {{[] {
                        (void)gather_along(zeros_of({2, 3}), ids_of({3, 3}, 2), 1);
                      },
                      "gather_along: ids (3, 3) do not fit x (2, 3) along axis 1"},
                     {[] {
                        (void)gather_along(zeros_of({2}), Tensor::from({0, 2}), 0);
                      },
                      "gather_along: id 2 is outside of [0, 2)"},
                     {[] { (void)gather_along(zeros_of({2}), zeros_of({2}), 0); },
                      "gather_along: ids must be i32, got f64 (2)"}}};
}

OpCase scatter_case(int axis) {
  return {
      .op = "scatter_along(Var, Tensor, int64_t, int)",
      .variant = "axis " + std::to_string(axis),
      .call = [axis](In x) { return scatter_along(x[0], ids_of(x[0].shape(), 3), 3, axis); },
      .naive =
          [axis](Arrays x) {
            std::vector<double> y(x[0].shape.with(axis, 3).numel());
            for_each_index(x[0].shape, axis, 3,
                           [&](int64_t from, int64_t to) { y[to] += x[0][from]; });
            return y;
          },
      .shapes = {{2, 5, 4}},
      .one = {{1, 1, 1}},
      .empty = {axis == 0 ? Shape{3, 0, 2} : Shape{0, 3, 2}},
      .large = {{50, 40, 30}},
      .wrong = {{{{}},
                 "scatter_along: axis " + std::to_string(axis) + " is outside of the shape ()"}},
      .misuse = {{[] {
                    (void)scatter_along(zeros_of({2, 3}), ids_of({3, 2}, 2), 4, 1);
                  },
                  "scatter_along: ids (3, 2) do not fit x (2, 3)"},
                 {[] {
                    (void)scatter_along(zeros_of({2}), Tensor::from({0, 2}), 2, 0);
                  },
                  "scatter_along: id 2 is outside of [0, 2)"}}};
}

OpCase pick_case() {
  return {.op = "pick(Var, Tensor)",
          .call =
              [](In x) {
                const Shape& s = x[0].shape();
                return pick(x[0], s.rank() ? ids_of(s.without(-1), s.back()) : Tensor());
              },
          .naive =
              [](Arrays x) {
                const int64_t cols = x[0].shape.back();
                std::vector<double> y;
                for (int64_t r = 0; r < x[0].shape.numel() / cols; ++r) {
                  y.push_back(x[0][r * cols + id_of(r, cols)]);
                }
                return y;
              },
          .shapes = {{2, 3, 4}},
          .one = {{1}},
          .empty = {{0, 3}},
          .large = {{3000, 70}},
          .wrong = {{{{}}, "pick: ids (0) do not fit x ()"}},
          .misuse = {{[] {
                        (void)pick(zeros_of({2, 3}), Tensor::from({0}));
                      },
                      "pick: ids (1) do not fit x (2, 3)"},
                     {[] {
                        (void)pick(zeros_of({2, 3}), Tensor::from({0, -1}));
                      },
                      "pick: id -1 is outside of [0, 3)"}}};
}

using Pooled = double (*)(const std::vector<double>&);

double mean_of(const std::vector<double>& x) {
  double sum = 0;
  for (double v : x) sum += v;
  return sum / static_cast<double>(x.size());
}
double max_of(const std::vector<double>& x) {
  return *std::max_element(x.begin(), x.end());
}

// Over segments of which the last rows belong to nobody, unless there is one row only.
OpCase pooling_case(const std::string& name, Var (*call)(const Var&, const Segments&), Pooled f) {
  const auto segments = [](int64_t rows) {
    const int64_t used = rows > 1 ? rows - 1 : rows;
    const int64_t count = std::min<int64_t>(used, used > 100 ? 40 : 3);
    std::vector<int32_t> lengths = ragged_lengths(used, count);
    if (rows > used) lengths.push_back(1);
    return Segments(lengths, table_device()).first(count);
  };
  return {
      .op = name + "(Var, Segments)",
      .call = [=](In x) { return call(x[0], segments(x[0].shape().rank() ? x[0].shape()[0] : 1)); },
      .naive =
          [=](Arrays x) {
            const Segments s = segments(x[0].shape[0]);
            const int64_t width = x[0].shape[1];
            std::vector<double> y;
            for (int64_t b = 0; b < s.count(); ++b) {
              for (int64_t i = 0; i < width; ++i) {
                std::vector<double> along;
                for (int64_t j = 0; j < s.length(b); ++j) {
                  along.push_back(x[0][(s.memory_begin(b) + j) * width + i]);
                }
                y.push_back(f(along));
              }
            }
            return y;
          },
      .shapes = {{9, 4}},
      .one = {{1, 1}},
      .empty = {{0, 4}},
      .large = {{3000, 50}},
      .wrong = {{{{4}}, name + ": x (4) does not fit segments of 4 rows, expected (4, H)"},
                {{{}}, name + ": x () does not fit segments of 1 rows, expected (1, H)"}},
      .misuse = {{[call] {
                    (void)call(zeros_of({4, 2}), Segments({3, 2}));
                  },
                  name + ": x (4, 2) does not fit segments of 5 rows, expected (5, H)"},
                 {[call] {
                    (void)call(zeros_of({5, 2}), Segments({3, 0, 2}));
                  },
                  name + ": segment 1 is empty"},
                 {[call] {
                    (void)call(Var::parameter(zeros_of({5, 2})), Segments({3, 2}).select({0, 0}));
                  },
                  name + ": a memory whose segments were selected gets no gradient"}}};
}

// The same of rows that stand step by step.
OpCase packed_pooling_case(const std::string& name, Var (*call)(const Var&, const Packing&),
                           Pooled f) {
  const auto packing = [](int64_t rows) {
    std::vector<int32_t> lengths;
    for (int64_t left = rows; left > 0; left -= lengths.back()) {
      const int64_t most = lengths.empty() ? left : std::min<int64_t>(left, lengths.back());
      lengths.push_back(static_cast<int32_t>(std::min(most, left / 3 + 1)));
    }
    return Packing(lengths);
  };
  return {
      .op = name + "(Var, Packing)",
      .call = [=](In x) { return call(x[0], packing(x[0].shape().rank() ? x[0].shape()[0] : 1)); },
      .naive =
          [=](Arrays x) {
            const Packing p = packing(x[0].shape[0]);
            const int64_t width = x[0].shape[1];
            std::vector<double> y;
            for (int64_t b = 0; b < p.batch(); ++b) {
              for (int64_t i = 0; i < width; ++i) {
                std::vector<double> along;
                for (int64_t t = 0; t < p.length(b); ++t)
                  along.push_back(x[0][p.row(t, b) * width + i]);
                y.push_back(f(along));
              }
            }
            return y;
          },
      .shapes = {{9, 4}},
      .one = {{1, 1}},
      .empty = {{0, 4}},
      .large = {{3000, 50}},
      .wrong = {{{{4}}, name + ": x (4) does not fit segments of 4 rows, expected (4, H)"},
                {{{}}, name + ": x () does not fit a packing of 1 rows"}},
      .misuse = {{[call] {
                    (void)call(zeros_of({4, 2}), Packing({3, 2}));
                  },
                  name + ": x (4, 2) does not fit a packing of 5 rows"}}};
}

constexpr RandomKey kKey{7, purpose_id("op table"), 3};

// softmax((x + g) / 0.7) of each row
std::vector<double> gumbel_softmax_of(const Array& x) {
  std::vector<double> y;
  double total = 0;
  const auto cols = static_cast<size_t>(x.shape.back());
  for (size_t i = 0; i < x.v.size(); ++i) {
    const double u = (kKey.word(i) >> 8) / 16777216.0 + 1 / 33554432.0;
    y.push_back(std::exp((x.v[i] - std::log(-std::log(u))) / 0.7));
    total += y.back();
    if ((i + 1) % cols) continue;
    for (size_t j = i + 1 - cols; j <= i; ++j) y[j] /= total;
    total = 0;
  }
  return y;
}

OpCase gumbel_case() {
  const auto with_temperature = [](double t) {
    return [t] { (void)gumbel_softmax(zeros_of({2}), t, kKey); };
  };
  const std::string rule = "gumbel_softmax: the temperature must be positive, got ";
  return {.op = "gumbel_softmax(Var, double, RandomKey, bool)",
          .call = [](In x) { return gumbel_softmax(x[0], 0.7, kKey); },
          .naive = [](Arrays x) { return gumbel_softmax_of(x[0]); },
          .shapes = {{2, 3, 5}},
          .one = {{1}},
          .empty = {{0, 3}},
          .large = {{700, 30}},
          .wrong = {{{{}}, "gumbel_softmax: needs a last axis that is not empty, got ()"},
                    {{{2, 0}}, "gumbel_softmax: needs a last axis that is not empty, got (2, 0)"}},
          .misuse = {{with_temperature(0), rule + "0"},
                     {with_temperature(std::nan("")), rule + "nan"}}};
}

// With a hard value that moves along, so that central differences see the gradient.
OpCase straight_through_case() {
  return {.op = "straight_through(Var, Tensor)",
          .call = [](In x) { return straight_through(x[0], (x[0] + 0.5).value()); },
          .naive =
              [](Arrays x) {
                std::vector<double> y = x[0].v;
                for (double& v : y) v += 0.5;
                return y;
              },
          .shapes = {{2, 3}},
          .one = {{}},
          .empty = {{0, 3}},
          .large = {{300, 70}},
          .misuse = {{[] {
                        (void)straight_through(zeros_of({2, 3}), zeros_of({2}));
                      },
                      "straight_through: shapes differ, (2, 3) and (2)"},
                     {[] { (void)straight_through(zeros_of({2}), zeros_of({2}, DType::f32)); },
                      "straight_through: element types differ, f64 and f32"}}};
}

}  // namespace

std::vector<OpCase> index_cases() {
  std::vector<OpCase> cases = {pick_case(),
                               pooling_case("segment_mean", segment_mean, mean_of),
                               pooling_case("segment_max", segment_max, max_of),
                               packed_pooling_case("segment_mean", segment_mean, mean_of),
                               packed_pooling_case("segment_max", segment_max, max_of),
                               gumbel_case(),
                               straight_through_case()};
  for (int axis : {0, 1, 2}) {
    cases.push_back(gather_case(axis));
    cases.push_back(scatter_case(axis));
  }
  return cases;
}

}  // namespace heed
