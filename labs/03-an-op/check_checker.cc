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

// What is wrong with an element that no input has; else nothing.
std::string no_such(const std::string& worst, const std::vector<Tensor>& inputs) {
  std::istringstream words(worst);  // "input 1, element 5: ..."
  std::string name;
  char comma = 0;
  size_t input = 0;
  int64_t element = 0;
  words >> name >> input >> comma >> name >> element;
  if (words && (input >= inputs.size() || element >= inputs[input].numel())) {
    return text("there is no ", worst.substr(0, worst.find(':')),
                ": each input has a number of elements of its own.");
  }
  return "";
}

// What is to be said of `worst` where the gradient is right.
std::string called_wrong(const std::string& worst, const std::vector<Tensor>& inputs) {
  const std::string unreal = no_such(worst, inputs);
  return !unreal.empty()
             ? unreal
             : "a right gradient is called wrong, " + worst +
                   ". Either analytic is not what one backward() gives, or numeric is not "
                   "(L(x + h) - L(x - h)) / 2h for the h that was given, with all other elements, "
                   "and the weights of the sum, as they were.";
}

LAB_CHECK(AcceptsWhatIsRight) {
  Draw draw;
  const Shape a = {draw.between(2, 3), draw.between(2, 4)};
  const Shape b = {draw.between(2, 3) + (draw.between(0, 1) ? a.numel() : 0)};
  const Tensor some = draw.normal(a);
  some.data<double>()[draw.between(0, a.numel() - 1)] = 0;
  const std::vector<Tensor> inputs = {some, draw.normal(b)};
  int64_t times = 0, recorded = 0;
  const GradCheck verdict = check_gradient(
      [&](const std::vector<Var>& x) {
        const Var y = sum(cube(x[0], ones(a))) * sum(cube(x[1], ones(b)));
        ++times;
        recorded += y.node() != nullptr;
        return y;
      },
      inputs, seed());
  expect(verdict.max_error < 1e-5, called_wrong(verdict.worst, inputs));
  const int64_t elements = a.numel() + b.numel();
  expect(times >= 2 * elements, "f was evaluated " + std::to_string(times) + " times for " +
                                    std::to_string(elements) +
                                    " elements: each needs L(x + h) and L(x - h).");
  expect(recorded == 1, "a graph was recorded " + std::to_string(recorded) +
                            " times: only the one of backward() is needed, the differences are "
                            "taken under a NoGrad.");
  if (testing::Test::HasFailure()) return;
  const std::vector<Tensor> line = {ones({8})};  // where any step is as good
  const GradCheck exact =
      check_gradient([](const std::vector<Var>& x) { return mul(x[0], 3.0); }, line, seed(), 0.1);
  const bool coarse = exact.max_error > 1e-9 && exact.max_error < 1e-6;
  expect(!coarse, text("f is a line here, and max_error ", exact.max_error * 1e9,
                       " times 1e-9: is something of f32 on the way?"));
  expect(coarse || exact.max_error < 1e-6, called_wrong(exact.worst, line));
}

// Numbers of which even a small weight makes slopes above 0.01.
Tensor large(Draw& draw, const Shape& shape) {
  return map(draw.normal(shape), [](double v) { return v < 0 ? v - 5 : v + 5; });
}

double sum_of(const Tensor& x) {
  double sum = 0;
  for (const double v : x.to_vector()) sum += v;
  return sum;
}

// The cubes of one input, and to each the sum of all others: the slopes of that one input are
// multiplied by factors.
Var mixed(const std::vector<Var>& x, size_t input, const Tensor& factors) {
  std::vector<Tensor> slopes;
  double others = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    slopes.push_back(map(x[i].value(), [](double v) { return 3 * v * v; }));
    if (i != input) others += sum_of(x[i].value());
  }
  const Tensor y = map(x[input].value(), [&](double v) { return v * v * v + others; });
  return record("mixed", y, x, [slopes, input, factors](Tensor dy, const Grads& dx) {
    for (size_t i = 0; i < slopes.size(); ++i) {
      const Tensor all = Tensor::full(slopes[i].shape(), sum_of(dy), DType::f64);
      dx.add(i, i == input ? product(factors, product(dy, slopes[i])) : all);
    }
  });
}

// An element of an input whose gradient is wrong.
void check_finds(Draw& draw, const std::vector<Shape>& shapes, size_t input, int64_t wrong,
                 double factor) {
  const Tensor factors = ones(shapes[input]);
  factors.data<double>()[wrong] = factor;
  std::vector<Tensor> inputs;
  for (const Shape& shape : shapes) inputs.push_back(large(draw, shape));
  const GradCheck verdict = check_gradient(
      [&](const std::vector<Var>& x) { return mixed(x, input, factors); }, inputs, seed());
  expect(verdict.max_error > 0.01,
         text("a gradient that ",
              factor < 0   ? "has the wrong sign"
              : factor > 1 ? "is a tenth too large"
                           : "is a tenth too small",
              " in element ", wrong, " of ", factors.numel(), " of input ", input, " of ",
              shapes.size(), " (counted from 0) is accepted."));
  const std::string place =
      "input " + std::to_string(input) + ", element " + std::to_string(wrong) + ":";
  expect(verdict.worst.starts_with(place), "the worst element is '" + place + " ...', you say '" +
                                               verdict.worst + "'. " +
                                               no_such(verdict.worst, inputs));
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
  const std::vector<Shape> shapes = {shape, {shape.numel() + draw.between(1, 3)}, {}, {2}};
  for (size_t input = 0; input < shapes.size(); ++input) {
    for (int64_t wrong = 0; wrong < shapes[input].numel(); ++wrong) {
      for (const double factor : {1.1, 0.9, -1.0}) check_finds(draw, shapes, input, wrong, factor);
      if (testing::Test::HasFailure()) return;
    }
  }
  const int64_t count = draw.between(300, 400);  // many elements, then many inputs
  for (const int64_t back : {1, 2}) check_finds(draw, {{count}}, 0, count - back, 1.1);
  check_finds(draw, std::vector<Shape>(12, Shape{2}), 11, 1, 1.1);
  check_finds(draw, {Shape{}}, 0, 0, 1.1);
  if (testing::Test::HasFailure()) return;
  const Tensor two = ones({4});
  for (const int64_t worst : {1, 3}) {
    two.data<double>()[1] = worst == 1 ? 1.5 : 1.2;
    two.data<double>()[3] = worst == 3 ? 1.5 : 1.2;
    const GradCheck verdict = check_gradient(
        [&](const std::vector<Var>& x) { return cube(x[0], two); }, {large(draw, {4})}, seed());
    expect(std::fabs(verdict.max_error - 1.0 / 3) < 1e-3 &&
               verdict.worst.starts_with(text("input 0, element ", worst, ":")),
           text("element ", worst, " has the largest error, 1/3, and another one 1/6; you say ",
                verdict.max_error, ", '", verdict.worst,
                verdict.worst.starts_with(text("input 0, element ", worst, ":"))
                    ? "': an error is measured as the header says, and the largest is told."
                    : "': of all errors the largest counts."));
  }
  const auto as_it_is = [](const std::vector<Var>& x) { return cube(x[0], ones(x[0].shape())); };
  expect(check_gradient(as_it_is, {ones({0})}, seed()).max_error == 0,
         "an input without elements has no error: max_error is 0.");
  const GradCheck behind_empty = check_gradient(
      [&](const std::vector<Var>& x) { return mixed(x, 1, Tensor::full({3}, 2, DType::f64)); },
      {ones({0}), large(draw, {3})}, seed());
  expect(behind_empty.max_error > 0.1,
         "a wrong gradient behind an input without elements is accepted.");
  const auto forgets = [](const std::vector<Var>& x) {
    return record(
        "forgets", product(x[0].value(), x[1].value()), x,
        [b = x[1].value().clone()](Tensor dy, const Grads& dx) { dx.add(0, product(dy, b)); });
  };
  expect(check_gradient(forgets, {away_from_zero(draw, shape), away_from_zero(draw, shape)}, seed())
                 .max_error > 0.01,
         "an op that gives one of its inputs no gradient, although its value depends on it, is "
         "accepted: an undefined gradient is 0, and is compared like any other.");
  const auto halves = [](const std::vector<Var>& x) {
    return record("halves", map(x[0].value(), [](double v) { return 2 * v; }), x,
                  [](Tensor dy, const Grads& dx) { dx.add(0, dy); });
  };
  expect(check_gradient(halves, {Tensor::zeros({4}, DType::f64)}, seed()).max_error > 0.01,
         "a wrong gradient is accepted where x is 0: a central difference is one there, too.");
  const auto invents = [](const std::vector<Var>& x) {
    return record("invents", ones(x[0].shape()), x,
                  [](Tensor dy, const Grads& dx) { dx.add(0, dy); });
  };
  expect(check_gradient(invents, {away_from_zero(draw, shape)}, seed()).max_error > 0.01,
         "a gradient of an input on which the value does not depend is accepted: numeric is 0, and "
         "is compared like any other.");
}

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
  const double small = error_at(2, 1.0002);
  expect(
      std::fabs(small - 2e-4) < 1e-6,
      text("of gradients that are 1.0002 times what they should be max_error is 0.000200, you say ",
           small, ": small errors are told, too."));
  double heaviest = 0;
  for (const double w : weights_of(shape.numel(), seed())) {
    heaviest = std::max(heaviest, std::fabs(w));
  }
  for (const double largest : {0.0095, 1e-4}) {  // of all gradients
    for (const double times : {factor, -1.0}) {
      const double slope = largest / (heaviest * std::fabs(times));
      const double want = heaviest * std::fabs(times - 1) * slope / 0.01;
      expect_close(text("max_error of gradients that are ", largest, " at most, and ", times,
                        " times what they should be"),
                   Tensor::full({1}, error_at(std::sqrt(slope / 3), times), DType::f64),
                   Tensor::full({1}, want, DType::f64),
                   {.tolerance = {.relative = 1e-3, .absolute = 1e-9},
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
