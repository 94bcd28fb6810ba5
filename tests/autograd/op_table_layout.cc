// Rows of the op table: rows and shapes.
#include "tests/autograd/op_table.h"

namespace heed {
namespace {

int64_t product(const Shape& shape, int begin, int end) {
  int64_t result = 1;
  for (int i = begin; i < end; ++i) result *= shape[i];
  return result;
}

// y such that y[i] = x[from(i)] for the row-major multi-index of y
template <class From> std::vector<double> remap(const Array& x, const Shape& y, From from) {
  std::vector<double> values;
  for (int64_t at = 0; at < y.numel(); ++at) {
    std::vector<int64_t> index(y.rank());
    int64_t rest = at;
    for (int i = y.rank() - 1; i >= 0; --i) {
      index[i] = rest % y[i];
      rest /= y[i];
    }
    index = from(index);
    int64_t source = 0;
    for (int i = 0; i < x.shape.rank(); ++i) source = source * x.shape[i] + index[i];
    values.push_back(x[source]);
  }
  return values;
}

// ids that repeat some rows and leave others out: 2 n ids from [0, n)
Tensor repeated_ids(int64_t n) {
  return pattern({2 * n}, static_cast<int32_t>(n), 5, 2);
}

std::vector<double> gather_of(const Array& x) {
  const int64_t n = x.shape[0], width = product(x.shape, 1, x.shape.rank());
  std::vector<double> y;
  for (int64_t i = 0; i < 2 * n; ++i) {
    for (int64_t c = 0; c < width; ++c) y.push_back(x[(i * 5 + 2) % n * width + c]);
  }
  return y;
}

std::vector<double> scatter_of(const Array& x) {
  const int64_t width = product(x.shape, 1, x.shape.rank());
  std::vector<double> y(5 * width);
  for (int64_t i = 0; i < static_cast<int64_t>(x.v.size()); ++i) {
    y[i / width % 3 * width + i % width] += x[i];
  }
  return y;
}

// Blocks along the middle axis of (outer, axis, inner).
std::vector<double> concat_of(Arrays parts, int axis) {
  const Shape& s = parts[0].shape;
  const int64_t outer = product(s, 0, axis), inner = product(s, axis + 1, s.rank());
  std::vector<double> y;
  for (int64_t o = 0; o < outer; ++o) {
    for (const Array& part : parts) {
      const int64_t width = part.shape[axis] * inner;
      for (int64_t i = 0; i < width; ++i) y.push_back(part[o * width + i]);
    }
  }
  return y;
}

std::vector<double> slice_of(const Array& x, int axis, int64_t begin, int64_t end) {
  return remap(x, x.shape.with(axis, end - begin), [=](std::vector<int64_t> index) {
    index[axis] += begin;
    return index;
  });
}

int64_t half(int64_t n) {
  return n / 2;
}

OpCase concat_case() {
  return {
      .op = "concat(std::vector<Var>, int)",
      .call = [](In x) { return concat(x, 1); },
      .naive = [](Arrays x) { return concat_of(x, 1); },
      .shapes = {{2, 3, 2}, {2, 1, 2}, {2, 2, 2}},
      .one = {{1, 1}, {1, 1}},
      .empty = {{2, 0}, {2, 0}},
      .large = {{300, 70, 3}, {300, 50, 3}},
      .wrong = {{{{2, 3}, {3, 3}}, "concat: shapes differ outside of axis 1, (2, 3) and (3, 3)"},
                {{{2, 3}, {2, 3, 1}},
                 "concat: shapes differ outside of axis 1, (2, 3) and (2, 3, 1)"},
                {{{2}, {2}}, "concat: axis 1 is outside of the shape (2)"},
                {{}, "concat: needs at least one part"}}};
}

OpCase slice_case() {
  return {.op = "slice(Var, int, int64_t, int64_t)",
          .call = [](In x) { return slice(x[0], 1, half(x[0].shape()[1]), x[0].shape()[1]); },
          .naive = [](Arrays x) { return slice_of(x[0], 1, half(x[0].shape[1]), x[0].shape[1]); },
          .shapes = {{2, 5, 2}},
          .one = {{1, 1}},
          .empty = {{2, 0}},
          .large = {{300, 140, 3}},
          .misuse = {{[] {
                        (void)slice(zeros_of({2, 3}), 1, 2, 4);
                      },
                      "slice: range [2, 4) is outside of axis 1 of (2, 3)"},
                     {[] {
                        (void)slice(zeros_of({2, 3}), 1, 2, 1);
                      },
                      "slice: range [2, 1) is outside of axis 1 of (2, 3)"},
                     {[] {
                        (void)slice(zeros_of({2, 3}), 1, -4, 1);
                      },
                      "slice: range [-4, 1) is outside of axis 1 of (2, 3)"},
                     {[] {
                        (void)slice(zeros_of({2, 3}), 2, 0, 1);
                      },
                      "slice: axis 2 is outside of the shape (2, 3)"}}};
}

OpCase split_case() {  // split in two, and the parts put together the other way round
  return {.op = "split(Var, std::vector<int64_t>, int)",
          .call =
              [](In x) {
                const int64_t n = x[0].shape()[1];
                const std::vector<Var> parts = split(x[0], {half(n), n - half(n)}, 1);
                return concat({parts[1], parts[0]}, 1);
              },
          .naive =
              [](Arrays x) {
                const int64_t n = x[0].shape[1], h = half(n);
                return remap(x[0], x[0].shape, [=](std::vector<int64_t> index) {
                  index[1] = (index[1] + h) % n;
                  return index;
                });
              },
          .shapes = {{2, 5, 2}},
          .one = {{1, 1}},
          .empty = {{2, 0}},
          .large = {{300, 140, 3}},
          .misuse = {{[] {
                        (void)split(zeros_of({2, 3}), {1, 1}, 1);
                      },
                      "split: sizes add up to 2, axis 1 of (2, 3) has 3"},
                     {[] {
                        (void)split(zeros_of({2, 3}), {2, 2}, 1);
                      },
                      "split: sizes add up to 4, axis 1 of (2, 3) has 3"},
                     {[] {
                        (void)split(zeros_of({2, 3}), {4, -1}, 1);
                      },
                      "split: negative size -1"},
                     {[] {
                        (void)split(zeros_of({2, 3}), {2, 1}, 2);
                      },
                      "split: axis 2 is outside of the shape (2, 3)"}}};
}

OpCase transpose_case(std::string variant, int a, int b, Shape shape, Shape large) {
  return {
      .op = "transpose(Var, int, int)",
      .variant = std::move(variant),
      .call = [=](In x) { return transpose(x[0], a, b); },
      .naive =
          [=](Arrays x) {
            const Shape& s = x[0].shape;
            const Shape y = s.with(a, s[b]).with(b, s[a]);
            return remap(x[0], y, [&](std::vector<int64_t> index) {
              std::swap(index[s.normalize(a)], index[s.normalize(b)]);
              return index;
            });
          },
      .shapes = {shape},
      .one = {Shape(std::vector<int64_t>(shape.rank(), 1))},
      .empty = {shape.with(0, 0)},
      .large = {large},
      .wrong = {{{{}}, "transpose: axis " + std::to_string(a) + " is outside of the shape ()"}}};
}

OpCase expand_case() {
  return {.op = "expand(Var, Shape)",
          .call =
              [](In x) {
                const Shape& s = x[0].shape();
                return expand(x[0], s.rank() == 3 ? Shape{2, s[0], 4, s[2]} : Shape{2, 3});
              },
          .naive =
              [](Arrays x) {
                const Shape& s = x[0].shape;
                if (s.rank() < 3) return std::vector<double>(6, x[0][0]);
                return remap(x[0], {2, s[0], 4, s[2]}, [](std::vector<int64_t> index) {
                  return std::vector<int64_t>{index[1], 0, index[3]};
                });
              },
          .shapes = {{2, 1, 3}},
          .one = {{1}},
          .empty = {{0, 1, 3}},
          .large = {{30, 1, 300}},
          .wrong = {{{{4}}, "expand: (4) does not broadcast to (2, 3)"},
                    {{{1, 1, 1, 3}}, "expand: (1, 1, 1, 3) does not broadcast to (2, 3)"}}};
}

}  // namespace

std::vector<OpCase> layout_cases() {
  const OpCase gather = {.op = "gather_rows(Var, Tensor)",
                         .call =
                             [](In x) {
                               const Shape& s = x[0].shape();
                               return gather_rows(x[0],
                                                  s.rank() ? repeated_ids(s[0]) : pattern({1}, 1));
                             },
                         .naive = [](Arrays x) { return gather_of(x[0]); },
                         .shapes = {{4, 3, 2}},
                         .one = {{1}},
                         .empty = {{0, 3}},
                         .large = {{130, 300}},
                         .wrong = {{{{}}, "gather_rows: a scalar has no rows"}},
                         .misuse = {{[] {
                                       (void)gather_rows(zeros_of({4, 2}), Tensor::from({0, 4}));
                                     },
                                     "gather_rows: id 4 is outside of [0, 4)"},
                                    {[] {
                                       (void)gather_rows(zeros_of({4, 2}), Tensor::from({-1}));
                                     },
                                     "gather_rows: id -1 is outside of [0, 4)"},
                                    {[] {
                                       (void)gather_rows(zeros_of({4, 2}), zeros_of({2}));
                                     },
                                     "gather_rows: ids must be i32 (m), got f64 (2)"},
                                    {[] {
                                       (void)gather_rows(zeros_of({4, 2}), pattern({2, 2}, 2));
                                     },
                                     "gather_rows: ids must be i32 (m), got i32 (2, 2)"}}};
  const OpCase scatter = {
      .op = "scatter_rows(Var, Tensor, int64_t)",
      .call = [](In x) { return scatter_rows(x[0], pattern({x[0].shape()[0]}, 3), 5); },
      .naive = [](Arrays x) { return scatter_of(x[0]); },
      .shapes = {{4, 3, 2}},
      .one = {{1}},
      .empty = {{0, 3}},
      .large = {{130, 300}},
      .misuse = {{[] {
                    (void)scatter_rows(zeros_of({2, 2}), Tensor::from({0, 4}), 4);
                  },
                  "scatter_rows: id 4 is outside of [0, 4)"},
                 {[] {
                    (void)scatter_rows(zeros_of({2, 2}), Tensor::from({0}), 4);
                  },
                  "scatter_rows: (2, 2) does not fit the ids (1)"},
                 {[] { (void)scatter_rows(zeros_of({}), Tensor::from({0}), 4); },
                  "scatter_rows: () does not fit the ids (1)"}}};
  const OpCase reshape_row = {.op = "reshape(Var, Shape)",
                              .call =
                                  [](In x) {
                                    return reshape(x[0], {x[0].shape().numel(), 1});
                                  },
                              .naive = [](Arrays x) { return x[0].v; },
                              .shapes = {{2, 3}},
                              .one = {{}},
                              .empty = {{2, 0}},
                              .large = {{300, 100}},
                              .misuse = {{[] {
                                            (void)reshape(zeros_of({2, 3}), {5});
                                          },
                                          "reshape: (2, 3) has 6 elements, (5) has 5"}}};
  const OpCase rows_row = {
      .op = "rows(Var, int64_t, int64_t)",
      .call = [](In x) { return rows(x[0], half(x[0].shape()[0]), x[0].shape()[0]); },
      .naive = [](Arrays x) { return slice_of(x[0], 0, half(x[0].shape[0]), x[0].shape[0]); },
      .shapes = {{5, 2}},
      .one = {{1}},
      .empty = {{0, 2}},
      .large = {{400, 130}},
      .misuse = {{[] {
                    (void)rows(zeros_of({3, 2}), 2, 4);
                  },
                  "rows: range [2, 4) is outside of axis 0 of (3, 2)"},
                 {[] {
                    (void)rows(zeros_of({3, 2}), -4, 2);
                  },
                  "rows: range [-4, 2) is outside of axis 0 of (3, 2)"},
                 {[] { (void)rows(zeros_of({}), 0, 0); }, "rows: a scalar has no rows"}}};
  const OpCase stack_row = {.op = "stack(std::vector<Var>)",
                            .call = [](In x) { return stack(x); },
                            .naive =
                                [](Arrays x) {
                                  std::vector<double> y;
                                  for (const Array& part : x)
                                    y.insert(y.end(), part.v.begin(), part.v.end());
                                  return y;
                                },
                            .shapes = {{2, 3}, {2, 3}, {2, 3}},
                            .one = {{}},
                            .empty = {{0, 2}, {0, 2}},
                            .large = {{130, 300}, {130, 300}},
                            .wrong = {{{{2, 3}, {3}}, "stack: shapes differ, (2, 3) and (3)"},
                                      {{}, "stack: needs at least one part"}}};
  return {gather,
          scatter,
          reshape_row,
          rows_row,
          concat_case(),
          split_case(),
          slice_case(),
          stack_row,
          transpose_case("neighbours", 0, 1, {2, 3}, {150, 200}),
          transpose_case("far axes, one from the back", -1, 1, {2, 3, 2, 4}, {2, 30, 20, 40}),
          transpose_case("inner axes kept", 2, 0, {2, 3, 4, 2}, {20, 30, 20, 4}),
          expand_case()};
}

}  // namespace heed
