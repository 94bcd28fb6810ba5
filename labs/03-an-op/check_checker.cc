// Lab 3, third part: the checker, judged by its verdicts on gradients that are right or wrong on
// purpose. check_error.cc has what it measures.
#include <algorithm>
#include <cmath>
#include <sstream>
#include <string>
#include <utility>

#include "autograd/gradcheck.h"
#include "labs/03-an-op/cube.h"

namespace heed::lab {
namespace {

// ---- task: checker

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

}  // namespace
}  // namespace heed::lab
