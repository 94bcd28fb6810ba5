// Rows of the op table: the packed LSTM and GRU, and attention over ragged segments.
#include <cmath>

#include "tests/autograd/op_table.h"
#include "tests/devices.h"

namespace heed {
namespace {

double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

// The rows of a batch: three sequences where there are enough.
int64_t batch_of(int64_t rows) {
  return std::min<int64_t>(rows, rows > 100 ? 60 : 3);
}

// gates, w_hh and maybe h0, c0 -> y, and below it the last h and c
Var run_lstm(In x) {
  const int64_t n = x[0].shape().rank() == 2 ? x[0].shape()[0] : 0;
  const int64_t batch = x.size() > 2 && x[2].shape().rank() ? x[2].shape()[0] : batch_of(n);
  const Packing packing(ragged_lengths(n, batch));
  const LstmOutput out =
      x.size() > 2 ? lstm(packing, x[0], x[1], x[2], x[3]) : lstm(packing, x[0], x[1]);
  return concat({out.y, out.h, out.c}, 0);
}

// One sequence after the other, one unit after the other.
std::vector<double> lstm_of(Arrays in) {
  const int64_t n = in[0].shape[0], hidden = in[1].shape[1];
  const int64_t batch = in.size() > 2 ? in[2].shape[0] : batch_of(n);
  const std::vector<int32_t> lengths = ragged_lengths(n, batch);
  std::vector<double> y((n + 2 * batch) * hidden);
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<double> h(hidden), c(hidden);
    for (int64_t k = 0; k < hidden && in.size() > 2; ++k) {
      h[k] = in[2][b * hidden + k];
      c[k] = in[3][b * hidden + k];
    }
    int64_t row = b;  // steps before t hold one row for each sequence that was still running
    for (int64_t t = 0; t < lengths[b]; ++t) {
      std::vector<double> a(4 * hidden);
      for (int64_t g = 0; g < 4 * hidden; ++g) {
        a[g] = in[0][row * 4 * hidden + g];
        for (int64_t k = 0; k < hidden; ++k) a[g] += h[k] * in[1][g * hidden + k];
      }
      for (int64_t k = 0; k < hidden; ++k) {
        c[k] = sigma(a[hidden + k]) * c[k] + sigma(a[k]) * std::tanh(a[2 * hidden + k]);
        h[k] = sigma(a[3 * hidden + k]) * std::tanh(c[k]);
        y[row * hidden + k] = h[k];
        y[(n + b) * hidden + k] = h[k];  // the last one stays
        y[(n + batch + b) * hidden + k] = c[k];
      }
      for (int64_t other = 0; other < batch; ++other) {  // to the row of step t + 1
        row += other >= b ? lengths[other] > t : lengths[other] > t + 1;
      }
    }
  }
  return y;
}

OpCase lstm_case(std::string variant, std::vector<Shape> shapes, std::vector<Shape> one,
                 std::vector<Shape> empty, std::vector<Shape> large) {
  return {.op = "lstm(Packing, Var, Var, Var, Var)",
          .variant = std::move(variant),
          .call = run_lstm,
          .naive = lstm_of,
          .shapes = std::move(shapes),
          .one = std::move(one),
          .empty = std::move(empty),
          .large = std::move(large),
          .domain = {-0.4, 0.4}};  // at 0.5 rounding grows: f32 on CUDA is 2.5e-5 from the CPU
}

std::vector<OpCase> lstm_cases() {
  const Shape gates{6, 8}, w_hh{8, 2}, state{3, 2};
  OpCase full =
      lstm_case("all inputs", {gates, w_hh, state, state}, {{1, 4}, {4, 1}, {1, 1}, {1, 1}},
                {{0, 8}, {8, 2}, {0, 2}, {0, 2}}, {{300, 320}, {320, 80}, {60, 80}, {60, 80}});
  full.wrong = {{{gates, {8, 3}, state, state}, "lstm: w_hh must be (4H, H), got (8, 3)"},
                {{{6, 3}, w_hh, state, state}, "lstm: gates must be (6, 8), got (6, 3)"},
                {{gates, w_hh, {2, 2}, state}, "lstm: c0 must be (2, 2), got (3, 2)"},
                {{gates, w_hh, {3, 1}, state}, "lstm: h0 must be (3, 2), got (3, 1)"}};
  OpCase no_state = lstm_case("no state", {gates, w_hh}, {{1, 4}, {4, 1}}, {{0, 8}, {8, 2}},
                              {{300, 320}, {320, 80}});
  no_state.misuse = {{[=] {
                        (void)lstm(Packing({3, 2}), zeros_of(gates), zeros_of(w_hh));
                      },
                      "lstm: gates must be (5, 8), got (6, 8)"},
                     {[] {
                        Packing({3, 0});
                      },
                      "packing: sequence 1 has length 0, expected at least 1"},
                     {[] {
                        Packing({2, 3});
                      },
                      "packing: sequence 1 is longer than the one before it; sort the longest "
                      "first"}};
  return {full, no_state};
}

// gates, w_hh and maybe b_hh, h0 -> y, and below it the last h
Var run_gru(In x) {
  const int64_t n = x[0].shape().rank() == 2 ? x[0].shape()[0] : 0;
  const int64_t batch = x.size() > 2 && x[3].shape().rank() ? x[3].shape()[0] : batch_of(n);
  const Packing packing(ragged_lengths(n, batch));
  const GruOutput out =
      x.size() > 2 ? gru(packing, x[0], x[1], x[2], x[3]) : gru(packing, x[0], x[1]);
  return concat({out.y, out.h}, 0);
}

std::vector<double> gru_of(Arrays in) {
  const int64_t n = in[0].shape[0], hidden = in[1].shape[1];
  const bool all = in.size() > 2;
  const int64_t batch = all ? in[3].shape[0] : batch_of(n);
  const Packing packing(ragged_lengths(n, batch));
  std::vector<double> y((n + batch) * hidden);
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<double> h(hidden);
    for (int64_t k = 0; k < hidden && all; ++k) h[k] = in[3][b * hidden + k];
    for (int64_t t = 0; t < packing.length(b); ++t) {
      const int64_t row = packing.row(t, b);
      std::vector<double> u(3 * hidden);
      for (int64_t g = 0; g < 3 * hidden; ++g) {
        u[g] = all ? in[2][g] : 0;
        for (int64_t k = 0; k < hidden; ++k) u[g] += h[k] * in[1][g * hidden + k];
      }
      const auto a = [&](int64_t gate, int64_t k) { return in[0][(row * 3 + gate) * hidden + k]; };
      for (int64_t k = 0; k < hidden; ++k) {
        const double r = sigma(a(0, k) + u[k]), z = sigma(a(1, k) + u[hidden + k]);
        h[k] = (1 - z) * std::tanh(a(2, k) + r * u[2 * hidden + k]) + z * h[k];
        y[row * hidden + k] = y[(n + b) * hidden + k] = h[k];
      }
    }
  }
  return y;
}

OpCase gru_case(std::string variant, std::vector<Shape> shapes, std::vector<Shape> one,
                std::vector<Shape> empty, std::vector<Shape> large) {
  return {.op = "gru(Packing, Var, Var, Var, Var)",
          .variant = std::move(variant),
          .call = run_gru,
          .naive = gru_of,
          .shapes = std::move(shapes),
          .one = std::move(one),
          .empty = std::move(empty),
          .large = std::move(large),
          .domain = {-0.5, 0.5}};
}

std::vector<OpCase> gru_cases() {
  const Shape gates{6, 6}, w_hh{6, 2}, b_hh{6}, state{3, 2};
  OpCase full = gru_case("all inputs", {gates, w_hh, b_hh, state}, {{1, 3}, {3, 1}, {3}, {1, 1}},
                         {{0, 6}, {6, 2}, {6}, {0, 2}}, {{300, 240}, {240, 80}, {240}, {60, 80}});
  full.wrong = {{{gates, {6, 3}, b_hh, state}, "gru: w_hh must be (3H, H), got (6, 3)"},
                {{{6, 3}, w_hh, b_hh, state}, "gru: gates must be (6, 6), got (6, 3)"},
                {{gates, w_hh, {3}, state}, "gru: b_hh must be (6), got (3)"},
                {{gates, w_hh, b_hh, {3, 1}}, "gru: h0 must be (3, 2), got (3, 1)"}};
  OpCase no_state = gru_case("no state", {gates, w_hh}, {{1, 3}, {3, 1}}, {{0, 6}, {6, 2}},
                             {{300, 240}, {240, 80}});
  no_state.misuse = {{[=] {
                        (void)gru(Packing({3, 2}), zeros_of(gates), zeros_of(w_hh));
                      },
                      "gru: gates must be (5, 6), got (6, 6)"}};
  return {full, no_state};
}

// `count` segments of together `rows` rows; none of no rows.
Segments segments_for(int64_t rows, int64_t count) {
  return Segments(count ? ragged_lengths(rows, count) : std::vector<int32_t>{}, table_device());
}

// Calls f(segment, score, memory row) for all segments.
template <class F> void each_row(const Segments& s, F f) {
  for (int64_t b = 0; b < s.count(); ++b) {
    for (int64_t i = 0; i < s.length(b); ++i) f(b, s.begin(b) + i, s.memory_begin(b) + i);
  }
}

OpCase scores_case(std::string variant, int64_t unused) {
  const auto segments = [unused](const Shape& query, const Shape& memory) {
    const int64_t count = query.rank() ? query[0] : 0;
    return segments_for(memory[0], count ? count + unused : 0).first(count);
  };
  return {
      .op = "segment_scores(Var, Var, Segments)",
      .variant = std::move(variant),
      .call =
          [=](In x) { return segment_scores(x[0], x[1], segments(x[0].shape(), x[1].shape())); },
      .naive =
          [=](Arrays x) {
            const int64_t width = x[0].shape[1];
            std::vector<double> y;
            each_row(segments(x[0].shape, x[1].shape), [&](int64_t b, int64_t, int64_t j) {
              double dot = 0;
              for (int64_t k = 0; k < width; ++k) {
                dot += x[0][b * width + k] * x[1][j * width + k];
              }
              y.push_back(dot);
            });
            return y;
          },
      .shapes = {{2, 3}, {7, 3}},
      .one = {{1, 1}, {1 + unused, 1}},
      .empty = {{0, 3}, {0, 3}},
      .large = {{30, 40}, {300, 40}},
      .wrong = {{{{2, 3}, {7, 4}}, "segment_scores: query (2, 3) does not fit memory (7, 4)"}},
      .misuse = {{[] {
                    (void)segment_scores(zeros_of({2, 3}), zeros_of({7, 3}), Segments({7}));
                  },
                  "segment_scores: 2 queries, 1 segments"},
                 {[] {
                    (void)segment_scores(zeros_of({2, 3}), zeros_of({7, 3}), Segments({3, 3}));
                  },
                  "segment_scores: memory (7, 3) does not fit segments of 6 rows"},
                 {[] {
                    Segments({2, -1});
                  },
                  "segments: negative length -1"},
                 {[] {
                    (void)Segments({2, 1}).first(3);
                  },
                  "segments: the first 3 of 2"}}};
}

OpCase softmax_case() {
  const auto segments = [](const Shape& s) {
    return segments_for(s.numel(), std::min<int64_t>(s.numel(), s.numel() > 100 ? 40 : 3));
  };
  return {.op = "segment_softmax(Var, Segments)",
          .call = [=](In x) { return segment_softmax(x[0], segments(x[0].shape())); },
          .naive =
              [=](Arrays x) {
                const Segments s = segments(x[0].shape);
                std::vector<double> y = x[0].v, total(s.count());
                each_row(s, [&](int64_t b, int64_t j, int64_t) { total[b] += std::exp(y[j]); });
                each_row(s,
                         [&](int64_t b, int64_t j, int64_t) { y[j] = std::exp(y[j]) / total[b]; });
                return y;
              },
          .shapes = {{9}},
          .one = {{1}},
          .empty = {{0}},
          .large = {{3000}},
          .wrong = {{{{3, 3}}, "segment_softmax: scores must be (P), got (3, 3)"}},
          .misuse = {{[] {
                        (void)segment_softmax(zeros_of({4}), Segments({3, 2}));
                      },
                      "segment_softmax: scores (4) does not fit segments of 5 rows"}}};
}

OpCase context_case(std::string variant, int64_t unused) {
  const auto segments = [unused](int64_t used, int64_t rows) {
    std::vector<int32_t> lengths =
        ragged_lengths(used, std::min<int64_t>(used, used > 100 ? 40 : 3));
    const auto count = static_cast<int64_t>(lengths.size());
    if (unused) lengths.push_back(static_cast<int32_t>(rows - used));
    return Segments(lengths, table_device()).first(count);
  };
  return {.op = "segment_context(Var, Var, Segments)",
          .variant = std::move(variant),
          .call =
              [=](In x) {
                return segment_context(x[0], x[1], segments(x[0].shape()[0], x[1].shape()[0]));
              },
          .naive =
              [=](Arrays x) {
                const Segments s = segments(x[0].shape[0], x[1].shape[0]);
                const int64_t width = x[1].shape[1];
                std::vector<double> y(s.count() * width);
                each_row(s, [&](int64_t b, int64_t j, int64_t row) {
                  for (int64_t k = 0; k < width; ++k) {
                    y[b * width + k] += x[0][j] * x[1][row * width + k];
                  }
                });
                return y;
              },
          .shapes = {{7}, {7 + unused, 3}},
          .one = {{1}, {1 + unused, 1}},
          .empty = {{0}, {unused, 3}},
          .large = {{300}, {300 + unused, 40}},
          .misuse = {{[] {
                        (void)segment_context(zeros_of({4}), zeros_of({5, 2}), Segments({3, 2}));
                      },
                      "segment_context: weights (4) does not fit segments of 5 rows"},
                     {[] {
                        (void)segment_context(zeros_of({5}), zeros_of({6, 2}), Segments({3, 2}));
                      },
                      "segment_context: memory (6, 2) does not fit segments of 5 rows"}}};
}

}  // namespace

std::vector<OpCase> sequence_cases() {
  std::vector<OpCase> cases = lstm_cases();
  for (const OpCase& row : gru_cases()) cases.push_back(row);
  cases.push_back(scores_case("", 0));
  cases.push_back(scores_case("more segments than queries", 1));
  cases.push_back(softmax_case());
  cases.push_back(context_case("", 0));
  cases.push_back(context_case("more segments than queries", 2));
  return cases;
}

}  // namespace heed
