// Lab 3, third part: the checker, judged by its verdicts on gradients that are right or wrong on
// purpose.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "labs/03-an-op/each.h"

namespace heed::lab {
namespace {

// ---- task: checker

// y = x^3 for each element, with a closure that multiplies each slope by a factor of its own.
Var cube(const Var& x, const Tensor& factors) {
  const Tensor at = x.value().clone();
  return record(
      "cube", map(at, [](double v) { return v * v * v; }), {x},
      [at, factors](Tensor dy, const Grads& dx) {
        dx.add(0, product(factors, product(dy, map(at, [](double v) { return 3 * v * v; }))));
      });
}

LAB_CHECK(AcceptsWhatIsRight) {
  Draw draw;
  const Shape a = {draw.between(2, 3), draw.between(2, 4)}, b = {draw.between(2, 5)};
  const Tensor some = draw.normal(a);
  some.data<double>()[draw.between(0, a.numel() - 1)] = 0;
  int64_t times = 0, recorded = 0;
  const GradCheck verdict = check_gradient(
      [&](const std::vector<Var>& x) {
        const Var y = sum(cube(x[0], ones(a))) * sum(cube(x[1], ones(b)));
        ++times;
        recorded += y.node() != nullptr;
        return y;
      },
      {some, draw.normal(b)}, seed());
  expect(
      verdict.max_error < 1e-5,
      "a right gradient is called wrong, " + verdict.worst +
          ". Central differences are (L(x + h) - L(x - h)) / 2h, with all other elements, and the "
          "weights of the sum, as they were.");
  const int64_t elements = a.numel() + b.numel();
  expect(times >= 2 * elements, "f was evaluated " + std::to_string(times) + " times for " +
                                    std::to_string(elements) +
                                    " elements: each needs L(x + h) and L(x - h).");
  expect(recorded == 1, "a graph was recorded " + std::to_string(recorded) +
                            " times: only the one of backward() is needed, the differences are "
                            "taken under a NoGrad.");
}

// An element of an input whose gradient is a tenth too large or too small.
void check_finds(Draw& draw, const Shape& shape, size_t input, int64_t wrong, double factor) {
  const Tensor factors = ones(shape);
  factors.data<double>()[wrong] = factor;
  const GradCheck verdict = check_gradient(
      [&](const std::vector<Var>& x) { return add(x[1 - input], cube(x[input], factors)); },
      {away_from_zero(draw, shape), away_from_zero(draw, shape)}, seed());
  expect(verdict.max_error > 0.01,
         text("a gradient that is a tenth too ", factor > 1 ? "large" : "small", " in element ",
              wrong, " of ", factors.numel(), " of input ", input, " is accepted."));
  const std::string place =
      "input " + std::to_string(input) + ", element " + std::to_string(wrong) + ":";
  expect(verdict.worst.starts_with(place),
         "the worst element is '" + place + " ...', you say '" + verdict.worst + "'.");
  if (testing::Test::HasFailure()) return;
  std::istringstream numbers(verdict.worst.substr(place.size()));
  std::string analytic_is, numeric_is;
  double analytic = 0, numeric = 0;
  char comma = 0;
  numbers >> analytic_is >> analytic >> comma >> numeric_is >> numeric;
  expect(numbers && analytic_is == "analytic" && numeric_is == "numeric" &&
             std::fabs(analytic / numeric - factor) < 1e-2,
         text("you say '", verdict.worst, "'. After '", place,
              "' stand both numbers, as in the header: analytic is what backward() gave, here ",
              factor, " times numeric, the central difference."));
}

LAB_CHECK(FindsTheWrongElement) {
  Draw draw;
  const Shape shape = {draw.between(2, 3), draw.between(2, 4)};
  for (const size_t input : {0, 1}) {
    for (int64_t wrong = 0; wrong < shape.numel(); ++wrong) {
      for (const double factor : {1.1, 0.9}) check_finds(draw, shape, input, wrong, factor);
      if (testing::Test::HasFailure()) return;
    }
  }
  const auto forgets = [](const std::vector<Var>& x) {
    return record(
        "forgets", product(x[0].value(), x[1].value()), x,
        [b = x[1].value().clone()](Tensor dy, const Grads& dx) { dx.add(0, product(dy, b)); });
  };
  expect(check_gradient(forgets, {away_from_zero(draw, shape), away_from_zero(draw, shape)}, seed())
                 .max_error > 0.01,
         "an op that gives one of its inputs no gradient, although its value depends on it, is "
         "accepted: an undefined gradient is 0, and is compared like any other.");
}

LAB_CHECK(MeasuresTheError) {
  Draw draw;
  const double factor = draw.uniform(1.2, 3);
  const Shape shape = {draw.between(24, 30)};  // slopes of both signs are surely among them
  const auto error_at = [&](double x, double times) {
    return check_gradient(
               [&](const std::vector<Var>& at) {
                 return cube(at[0], Tensor::full(shape, times, DType::f64));
               },
               {Tensor::full(shape, x, DType::f64)}, seed())
        .max_error;
  };
  for (const double x : {20.0, 0.14}) {  // slopes of 1200, and of 0.06
    for (const bool larger : {true, false}) {
      const char* const divided =
          larger ? "divided by the numeric gradient, or by the smaller of both: the header says by "
                   "the larger"
                 : "divided by the analytic gradient, the smaller of both, or by a numeric one "
                   "below 0: the header says by the larger of both absolute values";
      expect_close(
          "max_error", Tensor::full({1}, error_at(x, larger ? factor : 1 / factor), DType::f64),
          Tensor::full({1}, (factor - 1) / factor, DType::f64),
          {.tolerance = {.relative = 1e-4},
           .suspects = {{divided, Tensor::full({1}, factor - 1, DType::f64)}},
           .law = "|analytic - numeric| / max(|analytic|, |numeric|, 0.01), as the header says, of "
                  "L = sum_i r_i f_i"});
    }
  }
  const double of_small = error_at(0.002, factor);
  expect(of_small < 0.01,
         text("gradients of some 1e-5 that are off by as much have the error ", of_small,
              ": numbers near 0 are divided by 0.01, as the header says."));
}

LAB_CHECK(NoElementHidesAnother) {
  Draw draw;
  if_stopped(
      "f ignores one of its inputs here: no gradient arrives there, and grad() is undefined.");
  const GradCheck ignored = check_gradient(
      [&](const std::vector<Var>& x) { return cube(x[1], ones(x[1].shape())); },
      {draw.normal({draw.between(1, 3)}), draw.normal({draw.between(1, 3)})}, seed());
  expect(
      ignored.max_error < 1e-5,
      "f ignores its first input, whose gradient is 0 and undefined: that is right, and you call "
      "it wrong, " +
          ignored.worst + ".");
  for (int64_t bad = 2; bad >= 0; --bad) {
    for (const bool analytic : {true, false}) {
      const Tensor factors = ones({3});
      if (analytic) factors.data<double>()[bad] = NAN;
      const GradCheck nan = check_gradient(
          [&](const std::vector<Var>& x) {
            const Var y = cube(x[0], factors);
            const bool moved = x[0].value().data<double>()[bad] > 1;
            return analytic || !moved ? y : y * NAN;
          },
          {ones({3})}, seed());
      expect(!(nan.max_error < 1e-3),
             text(analytic ? "a gradient" : "a central difference", " that is NaN is accepted",
                  bad == 2 ? ": every comparison with NaN is false, error > max_error, too."
                           : ", as the elements after it are right: what is found once stays."));
      if (testing::Test::HasFailure()) return;
    }
  }
  const int64_t n = draw.between(3, 6);
  const auto weights = [&](uint64_t of_seed) {  // what arrives as dy
    Values seen;
    (void)check_gradient(
        [&](const std::vector<Var>& x) {
          return record("looks", x[0].value().clone(), x, [&](Tensor dy, const Grads& dx) {
            seen = dy.to_vector();
            dx.add(0, dy);
          });
        },
        {ones({n})}, of_seed);
    return seen;
  };
  expect(weights(seed()) == weights(seed()) && weights(seed()) != weights(seed() + 1),
         "the weights of the elements follow from `seed`: the same ones each time, others of "
         "another seed.");
  // dx_i = mean(dy) is right if all dy are the same, and for no other dy.
  const auto mean_for_each = [&](const std::vector<Var>& x) {
    return record("wrong", x[0].value().clone(), x, [n](Tensor dy, const Grads& dx) {
      double sum = 0;
      for (const double v : dy.to_vector()) sum += v;
      dx.add(0, Tensor::full({n}, sum / static_cast<double>(n), DType::f64));
    });
  };
  expect(check_gradient(mean_for_each, {draw.normal({n})}, seed()).max_error > 1e-3,
         "an op whose closure gives every element the mean of dy is accepted. If all elements of "
         "the result count "
         "the same, one error hides another: give each a random weight.");
  for (int64_t other = 1; other < n; ++other) {
    const auto exchanged = [other](const std::vector<Var>& x) {
      return record("wrong", x[0].value().clone(), x, [other](Tensor dy, const Grads& dx) {
        Values values = dy.to_vector();
        std::swap(values[0], values[other]);
        dx.add(0, Tensor::from(values, dy.shape()));
      });
    };
    expect(check_gradient(exchanged, {draw.normal({n})}, seed()).max_error > 1e-6,
           text("an op whose closure exchanges dy of the elements 0 and ", other,
                " is accepted: is the weight of each element another one?"));
  }
}

LAB_CHECK(LeavesTheOthersAlone) {
  Draw draw;
  // So many that x + h - 2 h + h is not x for all of them.
  const std::vector<Tensor> inputs = {draw.normal({draw.between(24, 30)}),
                                      draw.normal({draw.between(24, 30)})};
  const std::vector<Tensor> before = {inputs[0].clone(), inputs[1].clone()};
  int64_t worst = 0;
  const double step = draw.uniform(1e-4, 1e-3);
  double farthest = 0, nearest = INFINITY;
  (void)check_gradient(
      [&](const std::vector<Var>& x) {
        int64_t changed = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          const Values now = x[i].value().to_vector(), was = before[i].to_vector();
          for (size_t k = 0; k < now.size(); ++k) {
            if (now[k] == was[k]) continue;
            ++changed;
            farthest = std::max(farthest, std::fabs(now[k] - was[k]));
            nearest = std::min(nearest, std::fabs(now[k] - was[k]));
          }
        }
        worst = std::max(worst, changed);
        return sum(cube(x[0], ones(x[0].shape()))) * sum(x[1]);
      },
      inputs, seed(), step);
  expect(
      worst == 0 || std::fabs(farthest - step) < 1e-9,
      text("an element moved by ", farthest, ", not by the step that was asked for, ", step, "."));
  expect(worst > 0, "f was never evaluated with another element than it was given.");
  expect(worst <= 1 || nearest > 1e-9,
         text("an element came back ", nearest,
              " off: x + h - 2 h + h is not x, as each step is rounded. Keep its value, and put "
              "that back before the next one moves."));
  expect(worst <= 1 || nearest <= 1e-9,
         "f was evaluated with " + std::to_string(worst) +
             " elements changed at once: an element has to get its value back before the next one "
             "moves.");
  expect_close("the caller's input", inputs[0], before[0],
               {.law = "the inputs belong to the caller: work on a copy"});
}

}  // namespace
}  // namespace heed::lab
