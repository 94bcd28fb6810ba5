// Lab 6, task sgd: the kernel of a step.
#include <cmath>

#include "labs/06-training/kernels.h"

namespace heed::lab {
namespace {

const Tolerance kExact = {.relative = 1e-12, .absolute = 1e-13};

// ---- task: sgd

// An element of the gradient that is no number makes one of the parameters, and only that one.
void check_nan(Draw& draw, bool remembers) {
  const Tensor p = draw.normal({draw.between(5, 40)}), g = draw.normal(p.shape());
  const int64_t at = draw.between(0, g.numel() - 1);
  g.data<double>()[at] = std::nan("");
  update(p, remembers ? zeros_like(p) : Tensor(), g, {.momentum = remembers ? 0.5 : 0.0});
  for (int64_t i = 0; i < p.numel(); ++i) {
    const bool is_nan = std::isnan(p.data<double>()[i]);
    expect(is_nan == (i == at),
           text("element ", at, " of the gradient is NaN, and element ", i, " of p is ",
                is_nan ? "NaN" : "not", " after the step: NaN goes where its element goes."));
    if (is_nan != (i == at)) return;
  }
}

const char* const kEachOnce = ", for each element of a piece once: from begin to end - 1";

LAB_CHECK(PlainStep) {
  Draw draw;
  if_stopped(
      "v is null where there is no momentum: is it read all the same? Or does a loop go on past "
      "`end`?");
  for (const double sign : {1.0, -1.0}) {
    for (const DType type : {DType::f64, DType::f32}) {
      const Tensor p = draw.normal({2 * draw.between(20000, 30000) + 1}, type),  // some pieces
          before = p.clone(), g = draw.normal(p.shape(), type);
      const Settings s = {.scale = sign * draw.uniform(0.2, 0.7), .rate = draw.uniform(0.05, 0.5)};
      update(p, Tensor(), g, s);
      const auto step = [&](double by) { return combined(1, before, by, g); };
      expect_close(
          text("p of ", type == DType::f32 ? "f32" : "f64", " after a step with the scale ",
               s.scale),
          p.to(DType::f64), step(-s.rate * s.scale),
          {.tolerance = type == DType::f32 ? Tolerance{.relative = 1e-5, .absolute = 1e-6} : kExact,
           .suspects = {{sign > 0 ? "uphill: the gradient has to be subtracted"
                                  : "a step by the scale without its sign: it is below 0 here",
                         step(s.rate * s.scale)},
                        {"a step by the gradient without its scale", step(-s.rate)},
                        {"a step without the rate", step(-s.scale)},
                        {"p as it was", step(0)}},
           .law = std::string("p -= rate scale grad") + kEachOnce});
      if (testing::Test::HasFailure()) return;
    }
  }
  check_nan(draw, /*remembers=*/false);
}

void check_momentum(Draw& draw, double sign, DType type) {
  const Tensor start = draw.normal({2 * draw.between(20000, 30000) + 1}, type);
  const Tensor g = draw.normal(start.shape(), type);
  Settings s = {.scale = sign * draw.uniform(0.2, 0.7),
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
      text("the way of four steps of ", type == DType::f32 ? "f32" : "f64",
           " with the same gradient, the last two with half the rate"),
      combined(1, start, -1, p), combined(way, g, 0, g),
      {.tolerance = type == DType::f32 ? Tolerance{.relative = 1e-4, .absolute = 1e-5} : kExact,
       .suspects = {{"that of steps by the scale without its sign: it is below 0 here",
                     sign < 0 ? combined(-way, g, 0, g) : Tensor::zeros({0}, DType::f64)},
                    {"four plain steps: nothing is remembered from one to the next",
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
       .law = std::string("step t goes (1 + m + ... + m^(t-1)) times as far as a plain one of its "
                          "rate") +
              kEachOnce});
}

LAB_CHECK(Momentum) {
  Draw draw;
  for (const double sign : {1.0, -1.0}) {
    for (const DType type : {DType::f64, DType::f32}) {
      check_momentum(draw, sign, type);
      if (testing::Test::HasFailure()) return;
    }
  }
  check_nan(draw, /*remembers=*/true);
  const Tensor p = draw.normal({draw.between(3, 9)}), v = draw.normal(p.shape());
  const Tensor want = combined(1, p, -0.5 * 0.25, v);
  update(p, v, zeros_like(p), {.rate = 0.5, .momentum = 0.25});
  expect_close("p after a step with momentum where the gradient is 0", p, want,
               {.tolerance = kExact,
                .law = "without a gradient, too, the velocity goes on, and slows down: p -= rate "
                       "momentum v"});
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
  if (testing::Test::HasFailure()) return;
  for (const double of : {scale, -scale}) {
    p = start.clone();
    update(p, Tensor(), g, {.scale = of, .rate = rate, .decay = decay});
    const double by = -rate * of, kept = 1 - rate * decay;
    expect_close(
        text("p after a plain step with gradient and decay, scale ", of), p,
        combined(kept, start, by, g),
        {.tolerance = kExact,
         .suspects = {{"p with a decay of what p is after the step by the gradient: both "
                       "are of p as it was",
                       combined(kept, start, kept * by, g)},
                      {"p after the step by the gradient alone", combined(1, start, by, g)},
                      {"p with the decay alone", combined(kept, start, 0, g)}},
         .law = "d = scale g + w p, of p as it was, and p -= rate d"});
  }
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
  if (testing::Test::HasFailure()) return;
  const Tensor old = draw.normal(start.shape()), speed = old.clone();
  p = start.clone();
  update(p, speed, g, {.scale = scale, .rate = rate, .momentum = 0.5, .decay = decay});
  const auto made_with = [&](double w, const Tensor& x) {
    return combined(1, combined(0.5, old, scale, g), w, x);
  };
  const Tensor want = made_with(decay, start), after = combined(1, start, -rate, want);
  expect_close("v after a step with momentum, gradient and decay", speed, want,
               {.tolerance = kExact,
                .suspects = {{"made with the decay of p after the step: it is of p as it was",
                              made_with(decay, after)},
                             {"made without the decay", made_with(0, start)}},
                .law = "v <- m v + d, d = scale g + w p"});
  expect_close("p after it", p, after, {.tolerance = kExact, .law = "p -= rate v"});
}

}  // namespace
}  // namespace heed::lab
