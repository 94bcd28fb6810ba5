// Rows of the op table: the packed LSTM and attention over ragged segments.
#include <cmath>

#include "tests/op_table.h"

namespace heed {
namespace {

double sigma(double x) {
  return 1 / (1 + std::exp(-x));
}

// What the rows of the LSTM feed to it, by position in the inputs; -1 where it is left out.
struct Roles {
  int x = -1, gates_in = -1, h0 = -1, c0 = -1, w_ih = -1, w_hh = -1, bias = -1;
};
constexpr Roles kFull{.x = 0, .h0 = 1, .c0 = 2, .w_ih = 3, .w_hh = 4, .bias = 5};
constexpr Roles kNoState{.x = 0, .w_ih = 1, .w_hh = 2};
constexpr Roles kGates{.gates_in = 0, .h0 = 1, .c0 = 2, .w_hh = 3};
constexpr Roles kBoth{.x = 0, .gates_in = 1, .w_ih = 2, .w_hh = 3};

// The rows of a batch: three sequences where there are enough.
std::vector<int32_t> lengths_for(int64_t rows, int64_t batch) {
  return ragged_lengths(rows, batch);
}
int64_t batch_of(int64_t rows) {
  return std::min<int64_t>(rows, rows > 100 ? 60 : 3);
}

Var run_lstm(In x, Roles at) {
  const auto input = [&](int i) { return i < 0 ? Var() : x[i]; };
  const int64_t n = x[0].shape()[0], batch = at.h0 < 0 ? batch_of(n) : x[at.h0].shape()[0];
  return lstm(Packing(lengths_for(n, batch)), {.x = input(at.x),
                                               .gates_in = input(at.gates_in),
                                               .h0 = input(at.h0),
                                               .c0 = input(at.c0),
                                               .w_ih = input(at.w_ih),
                                               .w_hh = input(at.w_hh),
                                               .bias = input(at.bias)});
}

// One sequence after the other, one unit after the other.
std::vector<double> lstm_of(Arrays in, Roles at) {
  const int64_t n = in[0].shape[0], hidden = in[at.w_hh].shape[1];
  const int64_t batch = at.h0 < 0 ? batch_of(n) : in[at.h0].shape[0];
  const std::vector<int32_t> lengths = lengths_for(n, batch);
  const int64_t width = at.x < 0 ? 0 : in[at.x].shape[1];
  const int64_t cols = at.x < 0 ? 0 : in[at.w_ih].shape[1];
  std::vector<double> y((n + batch) * hidden);
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<double> h(hidden), c(hidden);
    for (int64_t k = 0; k < hidden && at.h0 >= 0; ++k) {
      h[k] = in[at.h0][b * hidden + k];
      c[k] = in[at.c0][b * hidden + k];
    }
    int64_t row = b;  // steps before t hold one row for each sequence that was still running
    for (int64_t t = 0; t < lengths[b]; ++t) {
      std::vector<double> a(4 * hidden);
      for (int64_t g = 0; g < 4 * hidden; ++g) {
        if (at.gates_in >= 0) a[g] += in[at.gates_in][row * 4 * hidden + g];
        if (at.bias >= 0) a[g] += in[at.bias][g];
        for (int64_t i = 0; i < width; ++i) {
          a[g] += in[at.x][row * width + i] * in[at.w_ih][g * cols + cols - width + i];
        }
        for (int64_t k = 0; k < hidden; ++k) a[g] += h[k] * in[at.w_hh][g * hidden + k];
      }
      for (int64_t k = 0; k < hidden; ++k) {
        c[k] = sigma(a[hidden + k]) * c[k] + sigma(a[k]) * std::tanh(a[2 * hidden + k]);
        h[k] = sigma(a[3 * hidden + k]) * std::tanh(c[k]);
        y[row * hidden + k] = h[k];
        y[(n + b) * hidden + k] = c[k];  // the last one stays
      }
      for (int64_t other = 0; other < batch; ++other) {  // to the row of step t + 1
        row += other >= b ? lengths[other] > t : lengths[other] > t + 1;
      }
    }
  }
  return y;
}

OpCase lstm_case(std::string variant, Roles roles, std::vector<Shape> shapes,
                 std::vector<Shape> one, std::vector<Shape> empty, std::vector<Shape> large) {
  return {.op = "lstm(Packing, LstmInputs)",
          .variant = std::move(variant),
          .call = [roles](In x) { return run_lstm(x, roles); },
          .naive = [roles](Arrays x) { return lstm_of(x, roles); },
          .shapes = std::move(shapes),
          .one = std::move(one),
          .empty = std::move(empty),
          .large = std::move(large),
          .domain = {-0.5, 0.5}};  // wider, long recurrences are chaotic
}

std::vector<OpCase> lstm_cases() {
  OpCase full = lstm_case("all inputs", kFull, {{6, 3}, {3, 2}, {3, 2}, {8, 3}, {8, 2}, {8}},
                          {{1, 1}, {1, 1}, {1, 1}, {4, 1}, {4, 1}, {4}},
                          {{0, 3}, {0, 2}, {0, 2}, {8, 3}, {8, 2}, {8}},
                          {{300, 20}, {60, 80}, {60, 80}, {320, 20}, {320, 80}, {320}});
  const Shape x{6, 3}, state{3, 2}, w_ih{8, 3}, w_hh{8, 2}, bias{8};
  full.wrong = {{{x, state, state, w_ih, {8, 3}, bias}, "lstm: w_hh must be (4H, H), got (8, 3)"},
                {{x, {2, 2}, state, w_ih, w_hh, bias}, "lstm: c0 must be (2, 2), got (3, 2)"},
                {{x, {3, 1}, state, w_ih, w_hh, bias}, "lstm: h0 must be (3, 2), got (3, 1)"},
                {{x, state, state, {8, 2}, w_hh, bias},
                 "lstm: w_ih (8, 2) does not fit x (6, 3) and w_hh (8, 2)"},
                {{x, state, state, w_ih, w_hh, {2}}, "lstm: bias must be (8), got (2)"}};
  OpCase no_state =
      lstm_case("no state, no bias", kNoState, {x, w_ih, w_hh}, {{1, 1}, {4, 1}, {4, 1}},
                {{0, 3}, {8, 3}, {8, 2}}, {{300, 20}, {320, 20}, {320, 80}});
  no_state.misuse = {
      {[=] {
         lstm(Packing({3, 2}), {.x = zeros_of(x), .w_ih = zeros_of(w_ih), .w_hh = zeros_of(w_hh)});
       },
       "lstm: x (6, 3) does not fit a packing of 5 rows"},
      {[=] {
         lstm(Packing({3, 3}), {.w_hh = zeros_of(w_hh)});
       },
       "lstm: needs x or gates_in"},
      {[] {
         Packing({3, 0});
       },
       "packing: sequence 1 has length 0, expected at least 1"},
      {[] {
         Packing({2, 3});
       },
       "packing: sequence 1 is longer than the one before it; sort the longest first"}};
  OpCase gates = lstm_case("gates_in instead of x", kGates, {{6, 8}, state, state, w_hh},
                           {{1, 4}, {1, 1}, {1, 1}, {4, 1}}, {{0, 8}, {0, 2}, {0, 2}, {8, 2}},
                           {{300, 320}, {60, 80}, {60, 80}, {320, 80}});
  gates.wrong = {{{x, state, state, w_hh}, "lstm: gates_in must be (6, 8), got (6, 3)"}};
  OpCase both = lstm_case("gates_in and x on the last columns", kBoth, {{6, 2}, {6, 8}, w_ih, w_hh},
                          {{1, 1}, {1, 4}, {4, 2}, {4, 1}}, {{0, 2}, {0, 8}, {8, 3}, {8, 2}},
                          {{300, 20}, {300, 320}, {320, 30}, {320, 80}});
  both.wrong = {{{{6, 2}, {6, 2}, w_ih, w_hh}, "lstm: gates_in must be (6, 8), got (6, 2)"}};
  return {full, no_state, gates, both};
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
                    segment_scores(zeros_of({2, 3}), zeros_of({7, 3}), Segments({7}));
                  },
                  "segment_scores: 2 queries, 1 segments"},
                 {[] {
                    segment_scores(zeros_of({2, 3}), zeros_of({7, 3}), Segments({3, 3}));
                  },
                  "segment_scores: memory (7, 3) does not fit segments of 6 rows"},
                 {[] {
                    Segments({2, -1});
                  },
                  "segments: negative length -1"},
                 {[] {
                    Segments({2, 1}).first(3);
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
                        segment_softmax(zeros_of({4}), Segments({3, 2}));
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
                        segment_context(zeros_of({4}), zeros_of({5, 2}), Segments({3, 2}));
                      },
                      "segment_context: weights (4) does not fit segments of 5 rows"},
                     {[] {
                        segment_context(zeros_of({5}), zeros_of({6, 2}), Segments({3, 2}));
                      },
                      "segment_context: memory (6, 2) does not fit segments of 5 rows"}}};
}

}  // namespace

std::vector<OpCase> sequence_cases() {
  std::vector<OpCase> cases = lstm_cases();
  cases.push_back(scores_case("", 0));
  cases.push_back(scores_case("more segments than queries", 1));
  cases.push_back(softmax_case());
  cases.push_back(context_case("", 0));
  cases.push_back(context_case("more segments than queries", 2));
  return cases;
}

}  // namespace heed
