// Lab 6, tasks squares, norm and clip. Kernels are called directly where a task is one; the rest
// through the optimiser. The other tasks: check_sgd.cc, check_step.cc and check_schedule.cc.
#include <algorithm>
#include <ctime>
#include <numeric>

#include "labs/06-training/kernels.h"
#include "labs/06-training/models.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"
#include "tensor/parallel.h"

namespace heed::lab {
namespace {

const Tolerance kExact = {.relative = 1e-12, .absolute = 1e-13};

// ---- task: squares

// As it comes through a sum: NaN if one of the numbers is, no number below infinity if one is
// infinite (a sum that keeps what rounding takes from it makes NaN of it).
void check_not_finite(const Tensor& x, int64_t at) {
  const double before = x.data<double>()[at];
  for (const double odd : {std::nan(""), -std::numeric_limits<double>::infinity()}) {
    x.data<double>()[at] = odd;
    const double got = sum_squares_of<double>({x});
    expect(std::isnan(odd) ? std::isnan(got) : !(got < INFINITY),
           text("element ", at, " of ", x.numel(), " numbers is ", odd,
                ", and the sum of squares is ", got,
                ": the sum has to show it. A step by gradients that are no numbers must not look "
                "like any other."));
  }
  x.data<double>()[at] = before;
}

LAB_CHECK(SumOfSquares) {
  if_stopped(
      "An index past the end of an array? An array of n numbers is cut into n / kGrain pieces, and "
      "what is left over is one more: one of few numbers has one piece, one of none has none.");
  Draw draw;
  constexpr int64_t kPiece = 16384;
  const int64_t pieces = kPiece * draw.between(1, 2);
  int64_t others = draw.between(71, 90);  // no two arrays are as long as each other
  for (const int64_t n :
       {int64_t{0}, int64_t{1}, draw.between(2, 3), int64_t{32}, draw.between(33, 70), pieces - 1,
        pieces, pieces + 1, draw.between(40000, 60000)}) {
    const std::vector<Tensor> arrays = {draw.normal({n}), draw.normal({others++})};
    double sum = 0;
    for (const Tensor& x : arrays) {
      for (const double value : x.to_vector()) sum += value;
    }
    expect_close(
        text("the sum of squares of ", n, " numbers and ", arrays[1].numel(), " others"),
        numbers({sum_squares_of<double>(arrays)}),
        numbers({squares_by_loop(arrays[0]) + squares_by_loop(arrays[1])}),
        {.tolerance = kExact,
         .suspects = {{"the sum of the numbers, not of their squares", numbers({sum})}},
         .law = "each number counts once, whatever pieces the array is cut into",
         .not_finite = "Each number counts once; an array may have none, and 0 is its sum."});
    if (testing::Test::HasFailure()) return;
  }
  const Tensor x = draw.normal({draw.between(20, 40)});
  const double first = sum_squares_of<double>({x});
  for (int64_t i = 0; i < x.numel(); ++i) x.data<double>()[i] *= 2;
  expect_close("the sum of squares after the numbers were doubled where they are",
               numbers({sum_squares_of<double>({x})}), numbers({4 * first}),
               {.tolerance = kExact,
                .suspects = {{"the one before: the next gradient lies in the same memory, and has "
                              "other numbers",
                              numbers({first})}},
                .law = "each call adds up what is there, and nothing of a call before"});
  if (testing::Test::HasFailure()) return;
  expect(sum_squares_of<double>({zeros_like(x), Tensor::zeros({0}, DType::f64)}) == 0,
         "the sum of squares of zeros is 0, and yours is not: is something added to it?");
  check_not_finite(x, draw.between(0, x.numel() - 1));
  check_not_finite(draw.normal({1}), 0);
}

LAB_CHECK(SmallBesideLarge) {
  LAB_AFTER(SumOfSquares);
  Draw draw;
  const int64_t n = draw.between(50000, 90000);
  const Tensor x = Tensor::full({n}, 1);
  x.data<float>()[draw.between(0, 100)] = 10000;
  expect_close("the sum of squares of one 10^4 and many 1, in f32",
               numbers({sum_squares_of<float>({x})}), numbers({1e8 + static_cast<double>(n - 1)}),
               {.tolerance = {.relative = 1e-10, .absolute = 0},
                .law = "a sum of 10^8 in f32 does not see a 1: its neighbours are 8 apart. The "
                       "numbers may be f32, the sum has to be f64"});
  const Tensor some = draw.normal({draw.between(1000, 3000)}, DType::f32);
  double of_rounded = 0;
  for (const double value : some.to_vector()) of_rounded += static_cast<float>(value * value);
  expect_close(
      "the sum of squares of some numbers of f32", numbers({sum_squares_of<float>({some})}),
      numbers({squares_by_loop(some)}),
      {.tolerance = kExact,
       .suspects = {{"the sum of squares that were rounded to f32", numbers({of_rounded})}},
       .law = "a square of f32 has twice as many digits: it is taken in f64, too"});
}

LAB_CHECK(ThreadsDoNotMatter) {
  LAB_AFTER(SumOfSquares);
  Draw draw;
  const Tensor x = draw.normal({draw.between(900000, 1100000)}, DType::f32);
  set_num_threads(1);
  const double alone = sum_squares_of<float>({x});
  expect_close("the sum of squares of about a million numbers", numbers({alone}),
               numbers({squares_by_loop(x)}),
               {.tolerance = {.relative = 1e-10, .absolute = 0},
                .law = "each number counts once, however many there are"});
  if (testing::Test::HasFailure()) return;
  set_num_threads(3);
  std::vector<double> together;
  // On a busy machine one thread may do all the pieces by itself, so for half a second.
  const std::clock_t end = std::clock() + CLOCKS_PER_SEC / 2;
  do {
    together.push_back(sum_squares_of<float>({x}));
  } while (together.back() == alone && std::clock() < end);
  expect_close("sums of squares of the same numbers", numbers(together),
               Tensor::full({std::ssize(together)}, alone, DType::f64),
               {.tolerance = {.relative = 0, .absolute = 0},
                .law = "to the last bit: cut into the same pieces for any number of threads, and "
                       "add the pieces up in the same order, by one thread. Else no training can "
                       "be repeated",
                .want = "yours by one thread",
                .got = "yours by three, several times"});
}

// ---- task: norm

LAB_CHECK(NormOfAllGradients) {
  Draw draw;
  Bag bag;
  std::vector<double> norms, of_f32, of_f64;
  const std::vector<Shape> shapes = {{draw.between(1, 4), draw.between(2, 30)},
                                     {3},
                                     {draw.between(2, 30)},
                                     {draw.between(1, 4), draw.between(2, 30)},
                                     {},
                                     {1},
                                     {draw.between(2, 30)},
                                     {draw.between(20, 30)},
                                     {draw.between(20, 30)}};
  for (size_t i = 0; i < shapes.size(); ++i) {
    const DType dtype = i % 3 == 2 ? DType::f32 : DType::f64;
    bag.all.push_back(Var::parameter(draw.normal(shapes[i], dtype)));
    if (i == 1) continue;  // nothing has arrived here
    give(bag.all[i], draw.normal(shapes[i], dtype));
    norms.push_back(std::sqrt(squares_by_loop(bag.all[i].grad())));
    (dtype == DType::f32 ? of_f32 : of_f64).push_back(norms.back());
  }
  const auto norm_of = [](const std::vector<double>& parts) {
    return std::sqrt(squares_by_loop(numbers(parts)));
  };
  std::vector<std::pair<std::string, Tensor>> suspects;
  for (const double norm : norms) {
    suspects.emplace_back("that of one parameter alone", numbers({norm}));
  }
  for (const auto& alike : {of_f32, of_f64}) {
    suspects.emplace_back("that of the parameters of one element type alone",
                          numbers({norm_of(alike)}));
  }
  suspects.emplace_back("the sum of the parameters' norms: squares add up, norms do not",
                        numbers({std::accumulate(norms.begin(), norms.end(), 0.0)}));
  expect_close("the norm of eight gradients, f64 and f32, two of them of a single number",
               numbers({grad_norm(parameters(bag))}), numbers({norm_of(norms)}),
               {.tolerance = kExact,
                .suspects = suspects,
                .law = "the norm of all gradients as if they were one long vector; a parameter "
                       "without a gradient is left out"});
  Bag many;
  double squares = 0;
  for (int i = 0; i < 50; ++i) {
    many.all.push_back(Var::parameter(draw.normal({2})));
    give(many.all.back(), draw.normal({2}));
    squares += squares_by_loop(many.all.back().grad());
  }
  expect_close("the norm of 50 gradients", numbers({grad_norm(parameters(many))}),
               numbers({std::sqrt(squares)}),
               {.tolerance = kExact, .law = "the norm of all gradients, however many there are"});
  if_stopped("No gradient at all is here: then the sum is one zero, of f64, and not undefined.");
  Bag blank;
  blank.all = {Var::parameter(draw.normal({3}))};
  expect(grad_norm(parameters(blank)) == 0, "the norm of no gradient at all is 0.");
  (void)clipping(parameters(blank), {.max_norm = 1});
}

LAB_CHECK(RowsOfTablesCount) {
  Draw draw;
  Bag bag;
  const Shape shape = {draw.between(10, 30), draw.between(2, 5)};
  const Var table = Var::parameter(draw.normal(shape), /*sparse_rows=*/true);
  const Var other = Var::parameter(draw.normal({draw.between(2, 9)}));
  const Var first = Var::parameter(draw.normal({draw.between(2, 9)}));
  bag.all = {first, table, other};
  const std::vector<int32_t> ids = draw.ids(12, shape[0]);
  const Var weights = draw.normal({std::ssize(ids), shape[1]});
  sum(gather_rows(table, Tensor::from(ids)) * weights).backward();
  for (const Var& dense : {first, other}) give(dense, draw.normal(dense.shape()));
  const double of_other = squares_by_loop(first.grad()) + squares_by_loop(other.grad());
  const double want = std::sqrt(of_other + squares_by_loop(table.grad()));
  expect_close(
      "the norm with a table of which rows were looked up", numbers({grad_norm(parameters(bag))}),
      numbers({want}),
      {.tolerance = kExact,
       .suspects = {{"the norm without the rows of the table", numbers({std::sqrt(of_other)})}},
       .law = "a sparse gradient has its numbers in Gradient::rows, each row once, and stands "
              "among dense ones"});
  if (testing::Test::HasFailure()) return;
  bag.all = {Var::parameter(draw.normal({draw.between(2000, 3000), 20}), /*sparse_rows=*/true)};
  sum(gather_rows(bag.all[0], Tensor::from(draw.ids(10, 2000)))).backward();
  release_cached();
  const int64_t before = memory_stats().bytes_in_use;
  reset_peak();
  const double norm = grad_norm(parameters(bag));
  const double share = static_cast<double>(memory_stats().peak_bytes - before) /
                       static_cast<double>(bag.all[0].value().bytes());
  expect(share < 0.2,
         text("the norm of a gradient of ten rows, ", norm, ", takes memory of ", share,
              " times the whole table: a gradient is made for every row, where "
              "its numbers stand in Gradient::rows."));
}

// ---- task: clip

void check_clipping(double norm, double max_norm) {
  const Clipped got = clipped(norm, 1, max_norm);
  expect_close("the norm", numbers({got.norm}), numbers({norm}),
               {.suspects = {{"its square", numbers({norm * norm})}},
                .law = "the root of the sum of squares"});
  expect_close(text("the norm ", norm, " of gradients that are longer than max_norm, ", max_norm,
                    ", times the factor"),
               numbers({got.factor * norm}), numbers({max_norm}),
               {.tolerance = {.relative = 1e-12, .absolute = 0},
                .suspects = {{"that of gradients that were clipped twice",
                              numbers({max_norm * max_norm / norm})},
                             {"upside down: norm / max_norm", numbers({norm * norm / max_norm})},
                             {"still that of the gradients", numbers({norm})}},
                .law = "afterwards the norm is max_norm, and nothing is to be added to the norm: "
                       "it is not 0 here"});
  expect_close("the factor of what was clipped already",
               numbers({clipped(got.factor * norm, 1, max_norm * (1 + 1e-9)).factor}), numbers({1}),
               {.tolerance = kExact, .law = "clipping again changes nothing"});
}

LAB_CHECK(NormAfterClipping) {
  Draw draw;
  for (const double size : {1.0, 0.01, 1000.0}) {
    const double norm = size * std::sqrt(squares_by_loop(draw.normal({draw.between(2, 30)})));
    check_clipping(norm, norm / draw.uniform(2, 30));
    if (testing::Test::HasFailure()) return;
  }
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double scale : {1.0, draw.uniform(-0.5, -0.1)}) {
    const Clipped nan = clipped(std::nan(""), scale, 1), endless = clipped(infinite, scale, 1);
    expect(
        std::isnan(nan.norm) && std::isnan(nan.factor),
        text("the sum of squares is NaN; the norm is ", nan.norm, ", and the factor ", nan.factor,
             ": both are NaN then, as optim/optimizer.h says. Every comparison with "
             "NaN is false: which branch is left?"));
    expect(std::isinf(endless.norm) && endless.factor == 0,
           text("the sum of squares is infinite; the norm is ", endless.norm, ", and the factor ",
                endless.factor, ": the norm is infinite, and max_norm / norm is 0."));
  }
}

LAB_CHECK(SmallGradientsStay) {
  Draw draw;
  const double norm = std::sqrt(squares_by_loop(draw.normal({draw.between(2, 30)})));
  const double infinite = std::numeric_limits<double>::infinity(), more = 1.01 * norm;
  const std::vector<double> factors = {clipped(norm, 1, more).factor, clipped(0, 1, more).factor,
                                       clipped(norm, 1, infinite).factor,
                                       clipped(0, 1, infinite).factor};
  expect_close("the factor of short gradients, of zeros, and without a limit", numbers(factors),
               numbers({1, 1, 1, 1}),
               {.tolerance = {.relative = 0, .absolute = 0},
                .law = "gradients that are short enough are taken as they are: nothing makes them "
                       "longer, and 0/0 is no number"});
  const double of_zeros = clipped(0, 1, more).norm;
  expect(of_zeros == 0, "the norm of zeros is 0, and yours is not: is something added to it?");
}

LAB_CHECK(ScaleComesFirst) {
  Draw draw;
  const auto passes = static_cast<double>(draw.between(3, 8));
  for (const double scale : {1 / passes, -1 / passes, passes, -passes}) {
    const double norm = draw.uniform(10, 20), scaled = std::fabs(scale) * norm;
    for (const double max_norm : {scaled * draw.uniform(1.2, 2), scaled * draw.uniform(0.2, 0.8),
                                  std::numeric_limits<double>::infinity()}) {
      const double want = scale * std::min(1.0, max_norm / scaled);
      const double before = scale * std::min(1.0, max_norm / norm);
      const Clipped got = clipped(norm, scale, max_norm);
      expect_close("the norm of gradients that have a scale", numbers({got.norm}), numbers({norm}),
                   {.tolerance = kExact,
                    .suspects = {{"that of the scaled gradients: they are compared with max_norm, "
                                  "and the norm is that of gradients as they are",
                                  numbers({scaled})}},
                    .law = "the root of the sum of squares, whatever the scale"});
      expect_close(
          "the factor with scale " + text(scale) + ", norm " + text(norm) + " and max_norm " +
              text(max_norm),
          numbers({got.factor}), numbers({want}),
          {.tolerance = kExact,
           .suspects = {{"the factor of gradients that were clipped before it was scaled",
                         numbers({before})},
                        {"the factor without its sign", numbers({-want})},
                        {"the factor of gradients that were not scaled", numbers({want / scale})}},
           .law = "gradients of k passes are added up and taken times 1 / k: it is this "
                  "mean that must not be longer than max_norm"});
    }
  }
  const double of_nothing = clipped(draw.uniform(10, 20), 0, draw.uniform(1, 2)).factor;
  expect(of_nothing == 0, text("the factor with scale 0 is ", of_nothing,
                               ": 0, as nothing is longer than max_norm. A sign that is made by "
                               "dividing by |scale| is 0/0 there."));
}

}  // namespace
}  // namespace heed::lab
