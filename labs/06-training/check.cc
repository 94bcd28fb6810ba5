// Lab 6: training. Kernels are called directly where a task is one; the rest through the optimiser.
#include <algorithm>
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

LAB_CHECK(SumOfSquares) {
  Draw draw;
  std::vector<double> got, want, sums;
  for (const int64_t n : {draw.between(0, 3), draw.between(4, 70), draw.between(20000, 60000)}) {
    const std::vector<Tensor> arrays = {draw.normal({n}), draw.normal({draw.between(1, 40)})};
    got.push_back(sum_squares_of<double>(arrays));
    want.push_back(squares_by_loop(arrays[0]) + squares_by_loop(arrays[1]));
    sums.push_back(0);
    for (const Tensor& x : arrays) {
      for (const double value : x.to_vector()) sums.back() += value;
    }
  }
  expect_close("the sums of squares of few, some and many numbers", numbers(got), numbers(want),
               {.tolerance = kExact,
                .suspects = {{"the sum of the numbers, not of their squares", numbers(sums)}},
                .law = "each number counts once, whatever pieces the array is cut into"});
}

LAB_CHECK(SmallBesideLarge) {
  Draw draw;
  const int64_t n = draw.between(50000, 90000);
  const Tensor x = Tensor::full({n}, 1);
  x.data<float>()[draw.between(0, 100)] = 10000;
  expect_close("the sum of squares of one 10^4 and many 1, in f32",
               numbers({sum_squares_of<float>({x})}), numbers({1e8 + static_cast<double>(n - 1)}),
               {.tolerance = kExact,
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
  std::vector<double> alone, together;
  for (int i = 0; i < 8; ++i) {
    const Tensor x = draw.normal({draw.between(100000, 200000)}, DType::f32);
    set_num_threads(1);
    alone.push_back(sum_squares_of<float>({x}));
    set_num_threads(3);
    together.push_back(sum_squares_of<float>({x}));
  }
  expect_close("sums of squares", numbers(together), numbers(alone),
               {.tolerance = {.relative = 0, .absolute = 0},
                .law = "to the last bit: cut into the same pieces for any number of threads, and "
                       "add the pieces up in the same order. Else no training can be repeated",
                .want = "yours by one thread",
                .got = "yours by three"});
}

// ---- task: norm

LAB_CHECK(NormOfAllGradients) {
  Draw draw;
  Bag bag;
  std::vector<double> norms;
  for (int i = 0; i < 4; ++i) {
    const Shape shape = {draw.between(1, 4), draw.between(1, 30)};
    const DType dtype = i == 2 ? DType::f32 : DType::f64;
    bag.all.push_back(Var::parameter(draw.normal(shape, dtype)));
    if (i == 1) continue;  // nothing has arrived here
    give(bag.all[i], draw.normal(shape, dtype));
    norms.push_back(std::sqrt(squares_by_loop(bag.all[i].grad())));
  }
  const double want = std::sqrt(squares_by_loop(numbers(norms)));
  std::vector<std::pair<std::string, Tensor>> suspects;
  for (const double norm : norms) {
    suspects.emplace_back("that of one parameter alone", numbers({norm}));
  }
  suspects.emplace_back("that of the parameters of one element type alone",
                        numbers({std::sqrt(want * want - norms[1] * norms[1])}));
  suspects.emplace_back("the sum of the parameters' norms: squares add up, norms do not",
                        numbers({std::accumulate(norms.begin(), norms.end(), 0.0)}));
  expect_close("the norm of three gradients, f64 and f32", numbers({grad_norm(parameters(bag))}),
               numbers({want}),
               {.tolerance = kExact,
                .suspects = suspects,
                .law = "the norm of all gradients as if they were one long vector; a parameter "
                       "without a gradient is left out"});
  if_stopped("No gradient at all is here: then the sum is one zero, and not undefined.");
  Bag blank;
  blank.all = {Var::parameter(draw.normal({3}))};
  expect(grad_norm(parameters(blank)) == 0, "the norm of no gradient at all is 0.");
}

LAB_CHECK(RowsOfTablesCount) {
  Draw draw;
  Bag bag;
  const Shape shape = {draw.between(10, 30), draw.between(2, 5)};
  const Var table = Var::parameter(draw.normal(shape), /*sparse_rows=*/true);
  const Var other = Var::parameter(draw.normal({draw.between(2, 9)}));
  bag.all = {table, other};
  const std::vector<int32_t> ids = draw.ids(12, shape[0]);
  const Var weights = draw.normal({std::ssize(ids), shape[1]});
  sum(gather_rows(table, Tensor::from(ids)) * weights).backward();
  give(other, draw.normal(other.shape()));
  const double of_other = squares_by_loop(other.grad());
  const double want = std::sqrt(of_other + squares_by_loop(table.grad()));
  expect_close(
      "the norm with a table of which rows were looked up", numbers({grad_norm(parameters(bag))}),
      numbers({want}),
      {.tolerance = kExact,
       .suspects = {{"the norm without the rows of the table", numbers({std::sqrt(of_other)})}},
       .law = "a sparse gradient has its numbers in Gradient::rows, each row once"});
}

// ---- task: clip

LAB_CHECK(NormAfterClipping) {
  Draw draw;
  const double norm = std::sqrt(squares_by_loop(draw.normal({draw.between(2, 30)})));
  const double max_norm = norm / draw.uniform(2, 30);
  const Clipped got = clipped(norm, 1, max_norm);
  expect_close("the norm", numbers({got.norm}), numbers({norm}),
               {.suspects = {{"its square", numbers({norm * norm})}},
                .law = "the root of the sum of squares"});
  expect_close("the norm of gradients that are longer than max_norm, times the factor",
               numbers({got.factor * norm}), numbers({max_norm}),
               {.tolerance = kExact,
                .suspects = {{"that of gradients that were clipped twice",
                              numbers({max_norm * max_norm / norm})},
                             {"upside down: norm / max_norm", numbers({norm * norm / max_norm})},
                             {"still that of the gradients", numbers({norm})}},
                .law = "afterwards the norm is max_norm"});
  expect_close("the factor of what was clipped already",
               numbers({clipped(got.factor * norm, 1, max_norm * (1 + 1e-9)).factor}), numbers({1}),
               {.tolerance = kExact, .law = "clipping again changes nothing"});
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
}

LAB_CHECK(ScaleComesFirst) {
  Draw draw;
  for (const double sign : {1.0, -1.0}) {
    const double scale = sign / static_cast<double>(draw.between(3, 8));
    const double norm = draw.uniform(10, 20), scaled = std::fabs(scale) * norm;
    for (const double max_norm : {scaled * draw.uniform(1.2, 2), scaled * draw.uniform(0.2, 0.8)}) {
      const double want = scale * std::min(1.0, max_norm / scaled);
      const double before = scale * std::min(1.0, max_norm / norm);
      expect_close(
          "the factor with scale " + text(scale) + ", norm " + text(norm) + " and max_norm " +
              text(max_norm),
          numbers({clipped(norm, scale, max_norm).factor}), numbers({want}),
          {.tolerance = kExact,
           .suspects = {{"the factor of gradients that were clipped before it was scaled",
                         numbers({before})},
                        {"the factor without its sign", numbers({-want})},
                        {"the factor of gradients that were not scaled", numbers({want / scale})}},
           .law = "gradients of k passes are added up and taken times 1 / k: it is this "
                  "mean that must not be longer than max_norm"});
    }
  }
}

// ---- task: sgd

LAB_CHECK(PlainStep) {
  Draw draw;
  if_stopped("v is null where there is no momentum: it must not be read then.");
  const Tensor p = draw.normal({draw.between(40000, 60000)}), before = p.clone(),  // some pieces
      g = draw.normal(p.shape());
  const Settings s = {.scale = draw.uniform(0.2, 0.7), .rate = draw.uniform(0.05, 0.5)};
  update(p, Tensor(), g, s);
  expect_close(
      "p after a step", p, combined(1, before, -s.rate * s.scale, g),
      {.tolerance = kExact,
       .suspects = {{"uphill: the gradient has to be subtracted",
                     combined(1, before, s.rate * s.scale, g)},
                    {"a step by the gradient without its scale", combined(1, before, -s.rate, g)},
                    {"a step without the rate", combined(1, before, -s.scale, g)}},
       .law = "p -= rate scale grad"});
}

LAB_CHECK(Momentum) {
  Draw draw;
  const Tensor start = draw.normal({draw.between(40000, 60000)}), g = draw.normal(start.shape());
  Settings s = {.scale = draw.uniform(0.2, 0.7),
                .rate = draw.uniform(0.05, 0.5),
                .momentum = draw.uniform(0.3, 0.9)};
  const Tensor p = start.clone(), v = zeros_like(p);
  double way = 0, speed = 0, plain = 0, late = 0, with_rate = 0, with_rate_way = 0;
  double bare = 0, bare_way = 0, outside_way = 0;  // the scale forgotten, or taken with the rate
  for (int step = 0; step < 4; ++step) {
    if (step == 2) s.rate /= 2, s.scale *= 0.7;  // as a schedule and clipping do
    update(p, v, g, s);
    late += s.rate * speed;
    speed = s.scale + s.momentum * speed;
    with_rate = s.rate * s.scale + s.momentum * with_rate;
    way += s.rate * speed;
    bare = 1 + s.momentum * bare;
    bare_way += s.rate * bare;
    outside_way += s.rate * s.scale * bare;
    plain += s.rate * s.scale;
    with_rate_way += with_rate;
  }
  expect_close(
      "the way of four steps with the same gradient, the last two with half the rate",
      combined(1, start, -1, p), combined(way, g, 0, g),
      {.tolerance = kExact,
       .suspects = {{"four plain steps: nothing is remembered from one to the next",
                     combined(plain, g, 0, g)},
                    {"that of a velocity with the rate in it: the rate of this step counts for "
                     "all that is remembered",
                     combined(with_rate_way, g, 0, g)},
                    {"that of steps by the velocity of the step before", combined(late, g, 0, g)},
                    {"that of steps whose gradient has no scale", combined(bare_way, g, 0, g)},
                    {"that of a velocity without the scale: the scale of this step counts for all "
                     "that is remembered",
                     combined(outside_way, g, 0, g)},
                    {"that of an average of gradients, with a factor 1 - momentum: here "
                     "the old velocity is slowed down, and the whole gradient comes on top",
                     combined((1 - s.momentum) * way, g, 0, g)}},
       .law = "step t goes (1 + m + ... + m^(t-1)) times as far as a plain one of its rate"});
}

LAB_CHECK(WeightDecay) {
  Draw draw;
  const Tensor start = draw.normal({draw.between(3, 9)}), g = draw.normal(start.shape());
  const double rate = draw.uniform(0.05, 0.5), decay = draw.uniform(0.1, 0.5),
               scale = draw.uniform(0.2, 0.7);
  Tensor p = start.clone();
  update(p, Tensor(), zeros_like(g), {.scale = scale, .rate = rate, .decay = decay});
  expect_close("p after a step without a gradient", p, combined(1 - rate * decay, start, 0, g),
               {.tolerance = kExact,
                .suspects = {{"p as it was", start},
                             {"p that grows: decay pulls towards 0",
                              combined(1 + rate * decay, start, 0, g)},
                             {"decay without the rate", combined(1 - decay, start, 0, g)},
                             {"decay taken times the scale, which is that of the gradient alone",
                              combined(1 - rate * decay * scale, start, 0, g)}},
                .law = "weight decay w is a gradient of w p on top"});
  p = combined(-scale / decay, g, 0, g);
  const Tensor balance = p.clone(), v = zeros_like(p);
  for (int step = 0; step < 3; ++step) {
    update(p, v, g,
           {.scale = scale, .rate = rate, .momentum = draw.uniform(0.3, 0.9), .decay = decay});
  }
  expect_close("p where gradient and weight decay cancel, after three steps with momentum", p,
               balance,
               {.tolerance = {.relative = 1e-10, .absolute = 1e-12},
                .law = "the velocity is made of gradient and decay together, d = scale g + w p"});
}

// ---- task: sparse

LAB_CHECK(StepOfAll) {
  Draw draw;
  Bag bag;
  for (int i = 0; i < 3; ++i) {  // the second is the largest
    bag.all.push_back(Var::parameter(draw.normal({draw.between(2, 8) + (i == 1 ? 7 : 0)})));
    if (i != 1) give(bag.all[i], draw.normal(bag.all[i].shape()));
  }
  const double rate = draw.uniform(0.1, 0.5), decay = draw.uniform(0.1, 0.5), group = 0.25;
  const double scale = draw.uniform(0.2, 0.7), momentum = draw.uniform(0.3, 0.9);
  const std::vector<Tensor> before = {bag.all[0].value().clone(), bag.all[1].value().clone(),
                                      bag.all[2].value().clone()};
  Sgd sgd(bag, {.rate = rate,
                .momentum = momentum,
                .weight_decay = decay,
                .groups = {{.name = "p2", .rate = group, .weight_decay = 0.5}}});
  sgd.step({.scale = scale});
  expect_close("a parameter without a gradient", bag.all[1].value(), before[1],
               {.law = "it is not among those that update() gets, and stays"});
  for (const size_t i : {0, 2}) {
    const Tensor &p = before[i], g = bag.all[i].grad();
    const double r = i == 2 ? group * rate : rate, w = i == 2 ? 0.5 * decay : decay;
    expect_close("parameter " + std::to_string(i) + " of 3 after the first step",
                 bag.all[i].value(), combined(1 - r * w, p, -r * scale, g),
                 {.tolerance = kExact,
                  .suspects = {{"the parameter as it was", p},
                               {"a step with the rate of all, and not that of its group",
                                combined(1 - rate * w, p, -rate * scale, g)},
                               {"a step with the weight decay of all, and not that of its group",
                                combined(1 - r * decay, p, -r * scale, g)},
                               {"a step without the scale", combined(1 - r * w, p, -r, g)},
                               {"a step with weight decay and momentum exchanged",
                                combined(1 - r * momentum, p, -r * scale, g)}},
                  .law = "rate, weight decay and scale of a parameter are in its Update; the "
                         "momentum is that of all"});
  }
  if (testing::Test::HasFailure()) return;
  const std::vector<Tensor> after = {bag.all[0].value().clone(), {}, bag.all[2].value().clone()};
  give(bag.all[1], draw.normal(bag.all[1].shape()));  // now it is among them, between the others
  sgd.step({.scale = scale});
  for (const size_t i : {0, 2}) {  // v = m d1 + d2, d = scale g + w p
    const Tensor &p = after[i], g = bag.all[i].grad();
    const double r = i == 2 ? group * rate : rate, w = i == 2 ? 0.5 * decay : decay;
    const Tensor remembered = combined(w, before[i], scale, g);
    expect_close("parameter " + std::to_string(i) + " of 3 after the second step",
                 bag.all[i].value(),
                 combined(1, combined(1 - r * w, p, -r * scale, g), -r * momentum, remembered),
                 {.tolerance = kExact,
                  .suspects = {{"a step that remembers nothing of the first",
                                combined(1 - r * w, p, -r * scale, g)}},
                  .law = "each parameter has a velocity of its own, (*velocity_)[u.index]"});
  }
}

LAB_CHECK(SparseEqualsDense) {
  LAB_AFTER(StepOfAll);
  Draw draw;
  const Tensor start = draw.normal({draw.between(6, 12), draw.between(2, 5)});
  std::vector<Tensor> ids;
  for (int step = 0; step < 3; ++step) ids.push_back(Tensor::from(draw.ids(4, start.shape()[0])));
  const Sgd::Options plain = {.rate = draw.uniform(0.05, 0.3),
                              .groups = {{.name = "p1", .rate = 0.25}}};
  Sgd::Options with_momentum = plain, with_decay = plain, one_rate = plain;
  with_momentum.momentum = 0.8;
  with_decay.weight_decay = 0.2;
  one_rate.groups.clear();
  const Tensor dense = tables_after(start, false, plain, ids);
  std::vector<double> of_first = dense.to_vector();
  of_first.resize(start.numel());
  const Tensor first = Tensor::from(of_first, start.shape());
  const auto check = [&](const std::string& name, const Sgd::Options& options) {
    expect_close("two tables with sparse gradients after three steps, " + name,
                 tables_after(start, true, options, ids), tables_after(start, false, options, ids),
                 {.tolerance = kExact,
                  .suspects = {{"the tables as they were", below(start, start)},
                               {"a step of the first table alone", below(first, start)},
                               {"that of one rate for both, and not that of their groups",
                                tables_after(start, false, one_rate, ids)},
                               {"that of plain steps: with momentum or weight decay all rows move, "
                                "also those that were not looked up in this step",
                                dense}},
                  .law = "row i of the gradient belongs to row ids[i] of the table, and is taken "
                         "times rate and scale",
                  .want = "yours, with dense gradients",
                  .got = "yours, with sparse ones"});
  };
  check("plain", plain);
  check("with momentum", with_momentum);
  check("with weight decay", with_decay);
}

LAB_CHECK(MemoryOfAStep) {
  LAB_AFTER(SparseEqualsDense);
  Draw draw;
  Bag bag;
  const Shape shape = {draw.between(20000, 30000), draw.between(24, 40)};
  bag.all = {Var::parameter(draw.normal(shape, DType::f32), /*sparse_rows=*/true)};
  Sgd sgd(bag, {.rate = 0.1});
  sum(gather_rows(bag.all[0], Tensor::from(draw.ids(10, shape[0])))).backward();
  release_cached();
  const int64_t before = memory_stats().bytes_in_use;
  reset_peak();
  sgd.step({.max_norm = 1});
  const double share = static_cast<double>(memory_stats().peak_bytes - before) /
                       static_cast<double>(bag.all[0].value().bytes());
  expect(share < 0.05, "a step after ten words were looked up takes memory of " + text(share) +
                           " times the whole table: it makes a gradient for every row. A table of "
                           "50,000 words is touched in ten rows.");
}

LAB_CHECK(LearnsToCopy) {
  Draw draw;
  const int64_t symbols = draw.between(4, 6), length = draw.between(4, 6);
  SequenceModel model(symbols, /*embedding_width=*/6, /*width=*/16);
  init(model, seed());
  Sgd sgd(model, {.rate = 0.5, .momentum = 0.9});
  const double before = copy_loss(model, nullptr, symbols, length, draw.rng());
  for (int step = 0; step < 500; ++step) copy_loss(model, &sgd, symbols, length, draw.rng());
  const double after = copy_loss(model, nullptr, symbols, length, draw.rng());
  expect(after < 0.2 * before,
         "500 steps of training took the loss from " + text(before) + " to " + text(after) +
             ", and guessing is " + text(std::log(static_cast<double>(symbols))) +
             ". If the other checks of this task pass, look at clipping and norm.");
}

}  // namespace
}  // namespace heed::lab
