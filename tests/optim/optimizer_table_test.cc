// Every optimiser has a row: how it is made, and its formula in plain loops. All rows are tested in
// the same ways: against the formula, resumed from a file, with frozen parameters, groups and tied
// weights, and with a model that is moved after the optimiser was made.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <memory>
#include <regex>
#include <sstream>

#include "autograd/ops.h"
#include "optim/ema.h"
#include "optim/optim.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"

namespace heed {
namespace {

using Vec = std::vector<double>;
using Groups = std::vector<ParameterGroup>;
using Make = std::function<std::unique_ptr<Optimizer>(Module&, const Groups&)>;
using Formula = std::function<void(Vec& p, const Vec& g)>;  // a step; remembers what it must

struct Row {
  std::string name;  // the class, and its options
  Make make;
  std::function<Formula()> formula;
};

// ---- the formulas

double dot(const Vec& a, const Vec& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

Formula sgd(double rate, double momentum, double decay) {
  return [=, v = Vec()](Vec& p, const Vec& g) mutable {
    v.resize(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      v[i] = momentum * v[i] + g[i] + decay * p[i];
      p[i] -= rate * v[i];
    }
  };
}

Formula adam(double rate, double decay) {
  return [=, m = Vec(), v = Vec(), t = 0](Vec& p, const Vec& g) mutable {
    m.resize(p.size()), v.resize(p.size());
    ++t;
    for (size_t i = 0; i < p.size(); ++i) {
      m[i] = 0.9 * m[i] + 0.1 * g[i];
      v[i] = 0.999 * v[i] + 0.001 * g[i] * g[i];
      const double m_hat = m[i] / (1 - std::pow(0.9, t)), v_hat = v[i] / (1 - std::pow(0.999, t));
      p[i] -= rate * (m_hat / (std::sqrt(v_hat) + 1e-8) + decay * p[i]);
    }
  };
}

Formula adagrad(double rate, double decay) {
  return [=, h = Vec()](Vec& p, const Vec& g) mutable {
    h.resize(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      const double d = g[i] + decay * p[i];
      h[i] += d * d;
      p[i] -= rate * d / (std::sqrt(h[i]) + 1e-10);
    }
  };
}

// The inverse Hessian as a matrix, H' = (I - r s y^T) H (I - r y s^T) + r s s^T, r = 1 / (s . y),
// made anew in every step of the last pairs.
Formula lbfgs(double rate, size_t history) {
  using Pairs = std::vector<std::pair<Vec, Vec>>;
  return [=, pairs = Pairs(), step = Vec(), before = Vec()](Vec& p, const Vec& g) mutable {
    const size_t n = p.size();
    double factor = rate;
    if (step.empty()) {
      double norm = 0;
      for (double x : g) norm += std::abs(x);
      factor *= std::min(1.0, 1 / norm);
    } else {
      Vec y = g;
      for (size_t i = 0; i < n; ++i) y[i] -= before[i];
      if (dot(step, y) > 1e-10) pairs.emplace_back(step, y);
      if (pairs.size() > history) pairs.erase(pairs.begin());
    }
    std::vector<Vec> h(n, Vec(n));
    const double start = pairs.empty() ? 1
                                       : dot(pairs.back().first, pairs.back().second) /
                                             dot(pairs.back().second, pairs.back().second);
    for (size_t i = 0; i < n; ++i) h[i][i] = start;
    for (const auto& [s, y] : pairs) {
      const double r = 1 / dot(s, y);
      Vec hy(n);
      for (size_t i = 0; i < n; ++i) hy[i] = dot(h[i], y);
      const double yhy = dot(y, hy);
      for (size_t i = 0; i < n; ++i) {
        for (size_t j = 0; j < n; ++j) {
          h[i][j] += r * s[i] * s[j] * (1 + r * yhy) - r * (s[i] * hy[j] + hy[i] * s[j]);
        }
      }
    }
    step.assign(n, 0);
    for (size_t i = 0; i < n; ++i) step[i] = -factor * dot(h[i], g);
    for (size_t i = 0; i < n; ++i) p[i] += step[i];
    before = g;
  };
}

template <class Kind> Make make(typename Kind::Options options) {
  return [=](Module& module, const Groups& groups) {
    typename Kind::Options with = options;
    with.groups = groups;
    return std::make_unique<Kind>(module, with);
  };
}

const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"Sgd", make<Sgd>({.rate = 0.1}), [] { return sgd(0.1, 0, 0); }},
      {"Sgd, momentum", make<Sgd>({.rate = 0.1, .momentum = 0.8, .weight_decay = 0.1}),
       [] { return sgd(0.1, 0.8, 0.1); }},
      {"Adam", make<Adam>({.rate = 0.1}), [] { return adam(0.1, 0); }},
      {"Adam, weight decay", make<Adam>({.rate = 0.1, .weight_decay = 0.1}),
       [] { return adam(0.1, 0.1); }},
      {"Adagrad", make<Adagrad>({.rate = 0.1, .weight_decay = 0.1}),
       [] { return adagrad(0.1, 0.1); }},
      {"Lbfgs", make<Lbfgs>({.rate = 0.5, .history = 3}), [] { return lbfgs(0.5, 3); }},
  };
  return rows;
}

// ---- the problem: two parameters, and a loss whose gradient is easy to write down

const Vec kStartA = {1, -2, 0.5}, kStartB = {3, -1};
const Vec kCurvatureA = {1, 2, 3}, kCurvatureB = {0.5, 4};

Tensor vector(const Vec& values) {
  return Tensor::from(values, {static_cast<int64_t>(values.size())});
}

struct TwoBowls : Module {
  TwoBowls() : a(Var::parameter(vector(kStartA))), b(Var::parameter(vector(kStartB))) {}
  void visit(Visitor& v) override {
    v("a", a);
    v("b", b);
  }
  Var a, b;
};

// sum_i c_i p_i^4 / 4 + p_i, with the gradient c_i p_i^3 + 1
Var bowl(const Var& p, const Vec& curvature) {
  const Var c = vector(curvature).to(p.dtype());
  return sum(c * square(square(p)) * 0.25 + p);
}
void step(TwoBowls& model, Optimizer& optimizer) {
  zero_grad(model);
  (bowl(model.a, kCurvatureA) + bowl(model.b, kCurvatureB)).backward();
  optimizer.step({.scale = 0.125});
}
Vec gradient(const Vec& p) {
  Vec g;
  for (size_t i = 0; i < p.size(); ++i) {
    const double c = i < 3 ? kCurvatureA[i] : kCurvatureB[i - 3];
    g.push_back(0.125 * (c * p[i] * p[i] * p[i] + 1));
  }
  return g;
}
Vec values(TwoBowls& model) {
  Vec all = model.a.value().to_vector();
  for (double x : model.b.value().to_vector()) all.push_back(x);
  return all;
}

class Optimizers : public testing::TestWithParam<Row> {};

TEST_P(Optimizers, AreTheirFormula) {
  TwoBowls model;
  const auto optimizer = GetParam().make(model, {});
  const Formula formula = GetParam().formula();
  Vec p = values(model);
  for (int t = 0; t < 8; ++t) {
    step(model, *optimizer);
    formula(p, gradient(p));
    const Vec got = values(model);
    for (size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(got[i], p[i], 1e-9) << t << ", " << i;
  }
}

TEST_P(Optimizers, GoOnFromAFileWithTheSameNumbers) {
  const TempDir dir;
  TwoBowls whole;
  const auto all = GetParam().make(whole, {});
  for (int t = 0; t < 9; ++t) {
    step(whole, *all);
    if (t != 4) continue;
    save_parameters(dir.path("model"), whole);
    save_tensors(dir.path("optimizer"), all->state());
  }
  TwoBowls rest;
  const auto resumed = GetParam().make(rest, {});
  load_parameters(dir.path("model"), rest);
  load_into(dir.path("optimizer"), resumed->state());
  for (int t = 5; t < 9; ++t) step(rest, *resumed);
  EXPECT_EQ(values(rest), values(whole));
}

TEST_P(Optimizers, LeaveFrozenParametersAlone) {
  TwoBowls model;
  const auto optimizer = GetParam().make(model, {});
  freeze(model, "b");
  for (int t = 0; t < 3; ++t) step(model, *optimizer);
  EXPECT_EQ(model.b.value().to_vector(), kStartB);
  EXPECT_NE(model.a.value().to_vector(), kStartA);
  unfreeze(model);
  step(model, *optimizer);
  EXPECT_NE(model.b.value().to_vector(), kStartB);
}

// What joins late begins as it would have begun at first, whatever the others have done.
TEST_P(Optimizers, BeginAnewWithWhatJoinsLate) {
  if (GetParam().name == "Lbfgs") return;  // one estimate for all parameters together
  TwoBowls late, early;
  const auto optimizer = GetParam().make(late, {}), expected = GetParam().make(early, {});
  freeze(late, "b");
  for (int t = 0; t < 50; ++t) step(late, *optimizer);
  unfreeze(late);
  for (int t = 0; t < 3; ++t) {
    late.a.set_value(early.a.value().clone());
    step(late, *optimizer);
    step(early, *expected);
  }
  EXPECT_EQ(late.b.value().to_vector(), early.b.value().to_vector());
}

// A layer that is replaced after the optimiser was made would never be trained.
TEST_P(Optimizers, NameALayerThatWasReplaced) {
  TwoBowls model;
  const auto optimizer = GetParam().make(model, {});
  model.b = Var::parameter(model.b.value().clone());
  EXPECT_EQ(error_of<UsageError>([&] { step(model, *optimizer); }),
            "optimizer: no module holds 'b' any more: its layer was replaced after the optimiser "
            "was made, and "
            "the new one would not be trained; make the optimiser again");
}

// The same while something else holds the parameters of the old layer.
TEST_P(Optimizers, NameALayerThatHasNone) {
  TwoBowls model;
  const auto optimizer = GetParam().make(model, {});
  const Ema ema(model, 0.9);
  model.b = Var::parameter(model.b.value().clone());
  EXPECT_EQ(
      error_of<UsageError>([&] { step(model, *optimizer); }),
      "optimizer: 'b' has a gradient, but no optimiser: its layer was added or replaced after "
      "the optimiser was made, and would not be trained; make the optimiser again, or another "
      "one for the layer");
  EXPECT_EQ(values(model), values(*std::make_unique<TwoBowls>()));
  const auto again = GetParam().make(model, {});
  step(model, *again);
}

TEST_P(Optimizers, TreatGroupsInTheirOwnWay) {
  TwoBowls plain, grouped;
  const auto one = GetParam().make(plain, {}), other = GetParam().make(grouped, {{"b", 0.5}});
  step(plain, *one);
  step(grouped, *other);
  EXPECT_EQ(grouped.a.value().to_vector(), plain.a.value().to_vector());
  const Vec full = plain.b.value().to_vector(), half = grouped.b.value().to_vector();
  for (size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(half[i] - kStartB[i], 0.5 * (full[i] - kStartB[i]), 1e-12);
  }
}

// One parameter under two names moves as one under one name.
TEST_P(Optimizers, StepTiedWeightsOnce) {
  struct Tied : TwoBowls {
    Tied() : again(a) {}
    void visit(Visitor& v) override {
      TwoBowls::visit(v);
      v("again", again);
    }
    Var again;
  } tied;
  TwoBowls single;
  const auto one = GetParam().make(single, {}), other = GetParam().make(tied, {});
  EXPECT_EQ(other->state().size(), one->state().size());
  for (int t = 0; t < 3; ++t) step(single, *one);
  for (int t = 0; t < 3; ++t) step(tied, *other);
  EXPECT_EQ(values(tied), values(single));
  EXPECT_EQ(tied.again.value().to_vector(), single.a.value().to_vector());
}

// What is remembered is converted too, in the middle of a training and before it.
TEST_P(Optimizers, GoWithAModelThatIsConverted) {
  TwoBowls late, early;
  convert(late, DType::f32);
  const auto optimizer = GetParam().make(late, {}), expected = GetParam().make(early, {});
  for (int t = 0; t < 6; ++t) {
    if (t == 0) convert(late, DType::f64);
    if (t == 3) convert(late, DType::f32);
    if (t == 4) move(late, Device{});
    step(late, *optimizer);
    step(early, *expected);
    EXPECT_EQ(late.a.dtype(), t < 3 ? DType::f64 : DType::f32);
    if (t < 3) {
      EXPECT_EQ(values(late), values(early));
    }
    const Vec got = values(late), wanted = values(early);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], wanted[i], 1e-3);
  }
}

TEST_P(Optimizers, NeedAGradient) {
  TwoBowls model;
  const auto optimizer = GetParam().make(model, {});
  const std::string expected =
      "optimizer: no parameter has a gradient; call backward() before step(), on a loss that "
      "depends on parameters that are not frozen";
  EXPECT_EQ(error_of<UsageError>([&] { optimizer->step(); }), expected);
  step(model, *optimizer);
  convert(model, DType::f32);  // drops it
  EXPECT_EQ(error_of<UsageError>([&] { optimizer->step(); }), expected);
}

INSTANTIATE_TEST_SUITE_P(Table, Optimizers, testing::ValuesIn(table()), [](const auto& info) {
  return std::regex_replace(info.param.name, std::regex("[^A-Za-z]+"), "_");
});

TEST(OptimizerTable, HasARowForEveryOptimizer) {
  std::ostringstream header;
  header << std::ifstream(source_dir() + "/optim/optim.h").rdbuf();
  const std::string text = header.str();
  const std::regex declaration(R"(class (\w+) : public Optimizer)");
  int found = 0;
  for (std::sregex_iterator at(text.begin(), text.end(), declaration), end; at != end; ++at) {
    ++found;
    const std::string name = (*at)[1];
    EXPECT_TRUE(std::any_of(table().begin(), table().end(),
                            [&](const Row& row) { return row.name.starts_with(name); }))
        << name << " has no row";
  }
  EXPECT_GE(found, 4);
}

}  // namespace
}  // namespace heed
