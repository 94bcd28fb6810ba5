// Lab 3, fourth part: the numbers that the checker tells, and what it leaves as it was.
#include <algorithm>
#include <cmath>
#include <utility>

#include "autograd/gradcheck.h"
#include "labs/03-an-op/cube.h"

namespace heed::lab {
namespace {

// ---- task: checker

// The weights of n results: what arrives as dy.
Values weights_of(int64_t n, uint64_t of_seed) {
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
  for (const double error : {2e-4, 5e-6}) {
    const double small = error_at(2, 1 + error);
    expect(std::fabs(small - error) < 1e-6,
           text("of gradients that are 1 + ", error, " times what they should be max_error is ",
                error, ", you say ", small, ": small errors are told, too."));
  }
  double heaviest = 0;
  for (const double w : weights_of(shape.numel(), seed())) {
    heaviest = std::max(heaviest, std::fabs(w));
  }
  for (const double largest : {0.0095, 1e-4, 1e-6}) {  // of all gradients
    for (const double times : {factor, -1.0}) {
      const double slope = largest / (heaviest * std::fabs(times));
      const double want = heaviest * std::fabs(times - 1) * slope / 0.01;
      expect_close(text("max_error of gradients that are ", largest, " at most, and ", times,
                        " times what they should be"),
                   Tensor::full({1}, error_at(std::sqrt(slope / 3), times), DType::f64),
                   Tensor::full({1}, want, DType::f64),
                   // The square of the step shows beside the smallest.
                   {.tolerance = {.relative = largest < 1e-5 ? 1e-2 : 1e-3, .absolute = 1e-9},
                    .law = "numbers near 0 are divided by 0.01, as the header says, and their sign "
                           "counts"});
    }
  }
}

// A gradient, a central difference, or both, of one of three elements that is no finite number.
void check_odd(int64_t bad, bool analytic, bool numeric, double odd) {
  const Tensor factors = ones({3});
  if (analytic) factors.data<double>()[bad] = odd;
  const GradCheck verdict = check_gradient(
      [&](const std::vector<Var>& x) {
        const bool moved = x[0].value().data<double>()[bad] > 1;
        const Tensor more = Tensor::zeros({3}, DType::f64);
        if (numeric && moved) more.data<double>()[bad] = odd;
        return cube(x[0], factors) + Var(more);
      },
      {ones({3})}, seed());
  const std::string what = !analytic ? "central difference"
                           : numeric ? "gradient, like its central difference,"
                                     : "gradient";
  const std::string is = std::isnan(odd) ? " is NaN" : " is infinite";
  expect(!(verdict.max_error < 1e-3),
         "a " + what + " that" + is + " is accepted" +
             (bad == 2 ? ": every comparison with NaN is false, error > max_error, too; and "
                         "infinite / infinite is NaN."
                       : ", as the elements after it are right: what is found once stays."));
  expect(verdict.worst.starts_with(text("input 0, element ", bad, ":")),
         text("element ", bad, " of input 0 is the worst, as its ", what, is, "; you say '",
              verdict.worst, "'."));
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
    for (const double odd : {NAN, INFINITY}) {
      check_odd(bad, true, false, odd);
      check_odd(bad, false, true, odd);
      check_odd(bad, true, true, odd);
      if (testing::Test::HasFailure()) return;
    }
  }
  const auto gives_nothing = [](const std::vector<Var>& x) {
    return record("nothing", x[0].value().clone(), x, [](Tensor, const Grads&) {});
  };
  try {
    (void)check_gradient(gives_nothing, {ones({3})}, seed());
    expect(false,
           "no gradient reaches any input, and nothing is said: the header wants a "
           "UsageError then.");
  } catch (const UsageError&) {
  }
  const int64_t n = draw.between(3, 6);
  const Values weights = weights_of(40, seed());
  expect(weights == weights_of(40, seed()) && weights != weights_of(40, seed() + 1) &&
             weights != weights_of(40, seed() + 2),
         "the weights of the elements follow from `seed`: the same ones each time, others of "
         "another seed.");
  Values sorted = weights;
  std::sort(sorted.begin(), sorted.end());
  expect(std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end(),
         "of the weights of 40 results two are the same: each is drawn anew.");
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

void check_leaves_alone(Draw& draw, double step) {
  // So many that x + h - 2 h + h is not x for all of them.
  const std::vector<Tensor> inputs = {draw.normal({draw.between(24, 30)}),
                                      draw.normal({draw.between(24, 30)}), draw.normal({}),
                                      draw.normal({2})};
  std::vector<Tensor> before;
  for (const Tensor& x : inputs) before.push_back(x.clone());
  int64_t worst = 0;
  bool touched = false;
  double farthest = 0, nearest = INFINITY;
  (void)check_gradient(
      [&](const std::vector<Var>& x) {
        int64_t changed = 0;
        for (size_t i = 0; i < x.size(); ++i) {
          const Values now = x[i].value().to_vector(), was = before[i].to_vector();
          touched = touched || inputs[i].to_vector() != was;
          for (size_t k = 0; k < now.size(); ++k) {
            if (now[k] == was[k]) continue;
            ++changed;
            farthest = std::max(farthest, std::fabs(now[k] - was[k]));
            nearest = std::min(nearest, std::fabs(now[k] - was[k]));
          }
        }
        worst = std::max(worst, changed);
        return sum(cube(x[0], ones(x[0].shape()))) * sum(x[1]) + sum(x[2]) * sum(x[3]);
      },
      inputs, seed(), step);
  expect(worst == 0 || std::fabs(farthest - step) < 1e-3 * step,
         text("an element moved by ", farthest / step,
              " times the step, not by the step that was asked for."));
  expect(worst > 0, "f was never evaluated with another element than it was given.");
  expect(worst <= 1 || nearest > 1e-9,
         text("an element came back ", nearest,
              " off: x + h - 2 h + h is not x, as each step is rounded. Keep its value, and put "
              "that back before the next one moves."));
  expect(worst <= 1 || nearest <= 1e-9,
         "f was evaluated with " + std::to_string(worst) +
             " elements changed at once: an element has to get its value back before the next one "
             "moves.");
  expect(!touched, "the caller's inputs moved for a while: work on a copy.");
  for (size_t i = 0; i < inputs.size(); ++i) {
    expect_close("the caller's input", inputs[i], before[i],
                 {.tolerance = {.relative = 0, .absolute = 0},
                  .law = "the inputs belong to the caller: work on a copy"});
  }
}

LAB_CHECK(LeavesTheOthersAlone) {
  Draw draw;
  for (const double size : {1e-4, 1e-6}) {
    check_leaves_alone(draw, size * draw.uniform(1, 9));
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace heed::lab
