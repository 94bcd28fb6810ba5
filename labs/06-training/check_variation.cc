// The variations of lab 6: several steps beside plain loops.
#include "labs/06-training/variation.h"

#include <algorithm>
#include <cmath>

#include "labs/support/check.h"

namespace heed::lab {
namespace {

constexpr double kSlower = 0.9;  // the rate of a step, over that of the step before

struct Descent {
  Tensor x, v;
};

// Steps by the formula; `ahead` and `decay` can be left out, as a mistake would.
Descent by_loops(const Tensor& x, const Tensor& v, const std::vector<Tensor>& gradients,
                 double rate, double m, double w, bool ahead) {
  const Descent at = {x.clone(), v.clone()};
  for (const Tensor& dx : gradients) {
    rate *= kSlower;
    for (int64_t i = 0; i < x.numel(); ++i) {
      double& here = at.x.data<double>()[i];
      double& speed = at.v.data<double>()[i];
      const double d = dx.data<double>()[i] + w * here;
      speed = m * speed + d;
      here -= rate * (ahead ? d + m * speed : speed);
    }
  }
  return at;
}

}  // namespace

LAB_VARIATION(Nesterov) {
  Draw draw;
  const double m = number(0), w = number(1), rate = draw.uniform(0.05, 0.3);
  const Shape shape = {2 * draw.between(100, 150) + 1};  // ends in the middle of two
  const Tensor x = draw.normal(shape), v = draw.normal(shape);
  std::vector<Tensor> gradients;
  for (int64_t i = draw.between(2, 6); i > 0; --i) gradients.push_back(draw.normal(shape));
  gradients[0].data<double>()[1] = 1000;
  const Descent got = {x.clone(), v.clone()};
  double here = rate;
  for (const Tensor& dx : gradients) {
    const Tensor before = dx.clone();
    here *= kSlower;
    nesterov(got.x.data<double>(), got.v.data<double>(), dx.data<double>(), here, dx.numel());
    expect_close("dx, which belongs to the caller", dx, before,
                 {.law = "the decay is no part of the gradient"});
  }
  const auto steps = [&](double momentum, double decay, bool ahead) {
    return by_loops(x, v, gradients, rate, momentum, decay, ahead);
  };
  const Descent want = steps(m, w, true), plain = steps(m, w, false), free = steps(m, 0, true);
  expect_close("x after some steps", got.x, want.x,
               {.tolerance = {.relative = 1e-10, .absolute = 1e-12},
                .suspects = {{"plain momentum: Nesterov's step goes on with m v", plain.x},
                             {"the decay is missing", free.x}},
                .law = "m and w are those of your name"});
  expect_close("v after some steps", got.v, want.v,
               {.tolerance = {.relative = 1e-10, .absolute = 1e-12},
                .suspects = {{"the decay is missing", free.v}},
                .law = "v <- m v + d; m and w are those of your name"});
}

LAB_VARIATION(WarmUp) {
  Draw draw;
  const double peaks[] = {draw.uniform(0.001, 0.9), draw.uniform(1.1, 2)}, p = number(1);
  const auto k = static_cast<int64_t>(number(0));
  const std::vector<int64_t> steps = {
      0,     1,     draw.between(2, k - 2), k - 2, k - 1, k, draw.between(k + 1, 4 * k), 100 * k,
      k / 2, 7 * k, int64_t{1} << 40};
  std::vector<double> got, want, late;
  for (const int64_t step : steps) {
    const double peak = peaks[got.size() % 2];
    const auto rate = [&](double s) {
      return peak * std::min(s / static_cast<double>(k), std::pow(static_cast<double>(k) / s, p));
    };
    got.push_back(warm_up(peak, step));
    want.push_back(rate(static_cast<double>(step) + 1));
    late.push_back(step ? rate(static_cast<double>(step)) : 0);
  }
  const Shape shape = {std::ssize(steps)};
  expect_close("the rate of some steps", Tensor::from(got, shape), Tensor::from(want, shape),
               {.tolerance = {.relative = 1e-10},
                .suspects = {{"one step late: the first step has the rate peak / k, not 0",
                              Tensor::from(late, shape)}},
                .law = "it rises for k steps, has its peak in step k - 1, and falls from there; k "
                       "and p are those of your name"});
}

}  // namespace heed::lab
