// Lab 9, tasks repair, warp_reduce, block_reduce and column_sum: kernels, run by the emulation of
// CUDA under a Watch.
#include <algorithm>
#include <cmath>

#include "labs/09-a-kernel/bench.h"

namespace heed::lab {
namespace {

// ---- task: repair

void check_scale(Draw& draw, int n, double a) {
  Values x = draw_values(draw, n);
  if (n > 1) x[n / 2] = 0;  // a times 0 is a result like any other
  Bench bench;
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", n);
  const auto factor = static_cast<float>(a);
  if (!bench.run([&] { scale(y, in, factor, n); })) return;
  Values want = x;
  for (float& v : want) v *= factor;
  expect_close(text("a x, a = ", a, ", ", n, " elements"), tensor(bench.get("y")), tensor(want),
               {.tolerance = kFloat, .law = "y_i = a x_i for every i below n"});
  bench.expect_coalesced("x");
  bench.expect_shared_out("y", 1, n);
}

LAB_CHECK(Scale) {
  Draw draw;
  for (const int n : draw_counts(draw)) {
    for (const double a : {draw.uniform(2.2, 2.8), draw.uniform(-4.8, -4.2)}) {
      check_scale(draw, n, a);
      if (testing::Test::HasFailure()) return;
    }
  }
}

LAB_CHECK(Reverse) {
  Draw draw;
  Bench bench;
  const int blocks = static_cast<int>(draw.between(5, 7));
  const Values x = draw_values(draw, 64 * blocks);
  Float* const in = bench.put("x", x);
  if (!bench.run([&] { reverse(in, blocks); })) return;
  Values want = x;
  for (int b = 0; b < blocks; ++b) {
    std::reverse(want.begin() + 64 * b, want.begin() + 64 * (b + 1));
  }
  expect_close("each 64 elements turned round", tensor(bench.get("x"), {blocks, 64}),
               tensor(want, {blocks, 64}),
               {.law = "the first of each 64 and the last one change places, and so on"});
  bench.expect_barriers(1);
  bench.expect_shared_memory(true, "what a block turns round");
}

void check_smooth(Draw& draw, int n) {
  Bench bench;
  const Values x = draw_values(draw, n);
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", n);
  if (!bench.run([&] { smooth(y, in, n); })) return;
  Values want(n);
  for (int i = 0; i < n; ++i) {
    const float before = i % 64 ? x[i - 1] : 0, after = i % 64 < 63 && i + 1 < n ? x[i + 1] : 0;
    want[i] = (before + x[i] + after) / 3;
  }
  expect_close(text("means of three, ", n, " elements"), tensor(bench.get("y")), tensor(want),
               {.tolerance = kFloat,
                .law = "a third of x_i and its two neighbours; a neighbour in another block, or "
                       "outside, counts as 0"});
  bench.expect_barriers(1);
  bench.expect_no_conflicts();
  const int64_t reads = bench.of("x").lanes;
  expect(reads <= n, text("x, ", n, " elements, is read ", reads,
                          " times: each thread brings one element into shared memory, and takes "
                          "its neighbours from there."));
}

LAB_CHECK(Smooth) {
  Draw draw;
  for (const int n : draw_counts(draw)) {
    check_smooth(draw, n);
    if (testing::Test::HasFailure()) return;
  }
}

void check_difference(Draw& draw, int n) {
  Bench bench;
  const Values x = draw_values(draw, n);
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", n);
  if (!bench.run([&] { difference(y, in, n); })) return;
  Values want = x, turned = x;
  for (int i = 1; i < n; ++i) want[i] = x[i] - x[i - 1], turned[i] = -want[i];
  Values of_blocks = want;
  for (int i = 0; i < n; i += 64) of_blocks[i] = x[i];
  expect_close(text("differences of neighbours, ", n, " elements"), tensor(bench.get("y")),
               tensor(want),
               {.tolerance = kFloat,
                .suspects = {{"x_{i-1} - x_i: a sign", tensor(turned)},
                             {"x_i itself where a block begins: there x_{i-1} is an element of the "
                              "block before",
                              tensor(of_blocks)}},
                .law = "y_i = x_i - x_{i-1}, and y_0 = x_0"});
}

LAB_CHECK(Difference) {
  Draw draw;
  for (const int n : draw_counts(draw)) {
    check_difference(draw, n);
    if (testing::Test::HasFailure()) return;
  }
}

void check_transpose(Draw& draw, int rows, int cols) {
  Bench bench;
  const Values x = draw_values(draw, int64_t{rows} * cols);
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", int64_t{rows} * cols);
  if (!bench.run([&] { transpose(y, in, rows, cols); })) return;
  Values want(x.size());
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) want[c * rows + r] = x[r * cols + c];
  }
  expect_close("the transposed", tensor(bench.get("y"), {cols, rows}), tensor(want, {cols, rows}),
               {.law = "element (i, j) of x is element (j, i) of y"});
  bench.expect_coalesced("x");
  bench.expect_coalesced("y");
  bench.expect_no_conflicts();
}

LAB_CHECK(Transpose) {
  Draw draw;
  const auto some = static_cast<int>(draw.between(33, 63)),
             more = static_cast<int>(draw.between(65, 100)),
             few = static_cast<int>(draw.between(2, 31));
  struct Sizes {
    int rows, cols;
  };
  for (const Sizes& s :
       {Sizes{some, some + 1}, {more, few}, {few, more}, {32, 64}, {few, 1}, {1, few}}) {
    check_transpose(draw, s.rows, s.cols);
    if (testing::Test::HasFailure()) return;
  }
}

// ---- tasks: warp_reduce and block_reduce

std::string name_of(Fold fold) {
  return fold == Fold::sum ? "the sum" : "the largest";
}

Values twice(Values x) {
  for (float& v : x) v *= 2;
  return x;
}

LAB_CHECK(WarpReduce) {
  Draw draw;
  for (const Fold fold : {Fold::sum, Fold::max}) {
    Bench bench;
    const int warps = static_cast<int>(draw.between(2, 4));
    Values x = draw_values(draw, 32 * warps, 1, 2);  // of one warp all are negative
    for (int i = 0; i < 32; ++i) x[i] = -x[i];
    const Float* const in = bench.put("x", x);
    Float* const y = bench.unwritten("y", 32 * warps);
    if (!bench.run([&] { fold_warps(y, in, fold, warps); })) return;
    const Tensor want = folded(x, fold, 32), got = tensor(bench.get("y"), {warps, 32});
    bool first_lane = fold == Fold::sum;
    for (int i = 0; i < 32 * warps; i += 32) {
      first_lane &= std::fabs(got.data<double>()[i] - want.data<double>()[i]) < 1e-3;
    }
    const Tensor from_zero = want.clone();
    for (int i = 0; i < 32; ++i) from_zero.data<double>()[i] = 0;
    const std::string what = name_of(fold);
    const Fold other = fold == Fold::sum ? Fold::max : Fold::sum;
    expect_close(
        what + " of each warp, as each lane has it", got, want,
        {.tolerance = kFloat,
         .suspects = {{what + " of 16 of the 32 lanes", folded(x, fold, 16)},
                      {"the sum with each number twice", fold == Fold::sum
                                                             ? folded(twice(x), fold, 32)
                                                             : Tensor::zeros({0}, DType::f64)},
                      {name_of(other) + ", not " + what + ": Op says which", folded(x, other, 32)},
                      {"0 where all x are negative: the maximum starts with a number that is "
                       "none of them",
                       from_zero},
                      {"what each lane had: nothing was exchanged", tensor(x, {warps, 32})}},
         .law = first_lane ? "lane 0 is right, others are not: each lane needs the result"
                           : "five exchanges, after each of which a lane knows of twice "
                             "as many others"});
    if (testing::Test::HasFailure()) return;
    expect_same_bits(what, bench.get("y"), 32, 1);
    bench.expect_exchanges(5, warps);
    bench.expect_shared_memory(false, "an exchange of registers");
  }
}

// One block has negative numbers only, the other one positive, of 1 to 2 times `size`.
void check_block_reduce(Bench& bench, Draw& draw, Fold fold, int threads, float size = 1) {
  Values x = draw_values(draw, 2 * threads, 1, 2);
  for (float& v : x) v *= size;
  for (int i = 0; i < threads; ++i) x[i] = -x[i];
  const Float* const in = bench.put("x", x);
  Float* const y = bench.unwritten("y", 2 * threads);
  if (!bench.run([&] { fold_blocks(y, in, fold, 2, threads); })) return;
  const std::string what = name_of(fold);
  const Tensor want = folded(x, fold, threads), first = folded(x, fold, threads, 32);
  const Tensor from_zero = want.clone(), too_many = want.clone();
  for (int i = 0; i < threads; ++i) from_zero.data<double>()[i] = 0;
  for (int i = 0; i < 2 * threads && fold == Fold::sum; ++i) {
    too_many.data<double>()[i] += (32 - threads / 32) * first.data<double>()[i];
  }
  expect_close(
      what + " of a block, as each thread has it", tensor(bench.get("y"), {2, threads}), want,
      {.tolerance = kFloat,
       .suspects = {{what + " of the first warp alone", folded(x, fold, threads, 32)},
                    {what + " of its own warp, as each thread has it", folded(x, fold, 32)},
                    {"made of 32 numbers, as the first warp's counts again for each warp that is "
                     "not there",
                     too_many},
                    {what + " of all warps but the last",
                     folded(x, fold, threads, std::max(32, threads - 32))},
                    {"0 where all x are negative: the maximum starts with a number that "
                     "is none of them",
                     from_zero},
                    {"what each thread had", tensor(x, {2, threads})}},
       .law = size == 1 ? "every thread gets the result of all warps of its block, also where "
                          "their number is no power of two"
                        : "all x of the first block are about -1e30, and the largest of them is "
                          "the maximum: with which number does yours start?"});
  if (testing::Test::HasFailure()) return;
  expect_same_bits(what, bench.get("y"), threads, 1);
  if (threads > 32) bench.expect_shared_memory(true, "what one warp knows and another one needs");
}

LAB_CHECK(BlockReduce) {
  Draw draw;
  for (const Fold fold : {Fold::sum, Fold::max}) {
    for (const int64_t warps : {int64_t{1}, draw.between(5, 7), int64_t{2}, int64_t{32}}) {
      Bench bench;
      check_block_reduce(bench, draw, fold, static_cast<int>(32 * warps));
      if (testing::Test::HasFailure()) return;
    }
  }
  Bench bench;
  check_block_reduce(bench, draw, Fold::max, 96, 1e30f);
}

void check_two_in_a_row(Draw& draw, int threads) {
  Bench bench;
  const Values x = draw_values(draw, 2 * threads, 1, 2);
  const Float* const in = bench.put("x", x);
  Float *const sums = bench.unwritten("sums", 2 * threads), *const squares = bench.unwritten(
                                                                "squares", 2 * threads);
  if (!bench.run([&] { two_sums(sums, squares, in, 2, threads); })) return;
  expect_close("the sums", tensor(bench.get("sums"), {2, threads}), folded(x, Fold::sum, threads),
               {.tolerance = kFloat});
  expect_close("the sums of squares", tensor(bench.get("squares"), {2, threads}),
               folded(squares_of(x), Fold::sum, threads), {.tolerance = kFloat});
}

LAB_CHECK(TwoInARow) {
  Draw draw;
  for (const int64_t warps : {int64_t{2}, draw.between(3, 4), draw.between(5, 8), int64_t{32}}) {
    check_two_in_a_row(draw, static_cast<int>(32 * warps));
    if (testing::Test::HasFailure()) return;
  }
}

LAB_CHECK(FewBarriers) {
  Draw draw;
  for (const int64_t warps : {int64_t{1}, draw.between(2, 8)}) {
    Bench bench;
    check_block_reduce(bench, draw, Fold::sum, static_cast<int>(32 * warps));
    if (testing::Test::HasFailure()) return;
    bench.expect_barriers(warps == 1 ? 0 : 2, warps == 1 ? "a block of one warp" : "each block");
    if (warps == 1) bench.expect_shared_memory(false, "a block of one warp");
    bench.expect_no_conflicts();
  }
}

// ---- task: column_sum

constexpr int kRows = 8, kCells = kRows * 32;  // of a block

void check_column_sums(Bench& bench, Draw& draw, int blocks) {
  const Values x = draw_values(draw, int64_t{blocks} * kCells);
  const int n = static_cast<int>(x.size());
  const Float* const in = bench.put("x", x);
  Float *const sums = bench.unwritten("sums", n), *const squares = bench.unwritten("squares", n);
  if (!bench.run([&] { column_sums(sums, squares, in, blocks); })) return;
  const Shape shape = {blocks * kRows, 32};
  for (const bool squared : {false, true}) {
    const Values from = squared ? squares_of(x) : x;
    Values want(n, 0), of_rows = want, not_all = want, crossed = want;
    for (int at = 0; at < n; ++at) {
      const int block = at / kCells * kCells, i = at % kCells;
      for (int r = 0; r < kRows; ++r) want[at] += from[block + r * 32 + i % 32];
      for (int c = 0; c < 32; ++c) of_rows[at] += from[block + i / 32 * 32 + c];
      for (int r = 0; r < kRows - 1; ++r) not_all[at] += from[block + r * 32 + i % 32];
      for (int r = 0; r < kRows; ++r) crossed[at] += from[block + i % 8 * 32 + 4 * r + i % 32 / 8];
    }
    const std::string array = squared ? "squares" : "sums";
    expect_close(squared ? "the sums of squares down the columns" : "the sums down the columns",
                 tensor(bench.get(array), shape), tensor(want, shape),
                 {.tolerance = kFloat,
                  .suspects = {{"the sums along the rows", tensor(of_rows, shape)},
                               {"one sum of all columns", folded(from, Fold::sum, kCells)},
                               {"the sum without the last of the eight", tensor(not_all, shape)},
                               {"made of element (x, y) of shared memory where (y, x) was written",
                                tensor(crossed, shape)},
                               {"what each thread had: nothing was added", tensor(from, shape)}},
                  .law = "thread (x, y) gets the sum of what the threads (x, 0) to (x, 7) of its "
                         "block had"});
    if (testing::Test::HasFailure()) return;
    expect_same_bits("the sum of a column", bench.get(array), kCells, 32);
    if (testing::Test::HasFailure()) return;
  }
}

LAB_CHECK(ColumnSum) {
  Draw draw;
  Bench bench;
  check_column_sums(bench, draw, static_cast<int>(draw.between(2, 3)));
  if (!testing::Test::HasFailure()) bench.expect_shared_memory(true, "a sum down a column");
}

LAB_CHECK(ColumnsInTheirBanks) {
  Draw draw;
  Bench bench;
  check_column_sums(bench, draw, 1);
  if (testing::Test::HasFailure()) return;
  bench.expect_no_conflicts();
  bench.expect_barriers(4);
}

}  // namespace
}  // namespace heed::lab
