// The code of docs/add-an-optimizer.md: every C++ block of it stands in here (docs_test.cc checks
// that), compiles, and does what the text says.
#include <gtest/gtest.h>

#include <cmath>

#include "heed.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// RMSprop (Tieleman & Hinton 2012), g = the scaled gradient:
//   v = decay v + (1 - decay) g^2;   p -= rate g / (sqrt(v) + eps)
// Its state is v.
class RmsProp : public Optimizer {
 public:
  struct Options {
    double rate = 1e-2, decay = 0.99, eps = 1e-8;
    std::vector<ParameterGroup> groups = {};
  };
  explicit RmsProp(Module& module) : RmsProp(module, Options{}) {}
  RmsProp(Module& module, const Options& options);  // throws UsageError for what is out of range

 private:
  void update(const std::vector<Update>& all) override;

  const Options options_;
  std::vector<Tensor>& v_;
};

RmsProp::RmsProp(Module& module, const Options& options)
    : Optimizer(module, options.rate, /*weight_decay=*/0, options.groups),
      options_(options),
      v_(remember("v")) {
  if (!(options.rate >= 0) || !(options.eps > 0) || !(options.decay >= 0 && options.decay < 1)) {
    throw UsageError("RmsProp: needs rate >= 0, eps > 0 and decay in [0, 1)");
  }
}

void RmsProp::update(const std::vector<Update>& all) {
  for (const Update& u : all) {
    const Var g = u.g(), before = v_[u.index];
    const Var v = options_.decay * before + (1 - options_.decay) * square(g);
    v_[u.index].copy_from(v.value());
    u.p().copy_from((u.p() - u.rate * g / (sqrt(v) + options_.eps)).value());
  }
}

using Vec = std::vector<double>;
using Formula = std::function<void(Vec& p, const Vec& g)>;

Formula rms_prop(double rate, double decay) {
  return [=, v = Vec()](Vec& p, const Vec& g) mutable {
    v.resize(p.size());
    for (size_t i = 0; i < p.size(); ++i) {
      v[i] = decay * v[i] + (1 - decay) * g[i] * g[i];
      p[i] -= rate * g[i] / (std::sqrt(v[i]) + 1e-8);
    }
  };
}

double loss_of(Linear& model) {
  const Tensor x = uniform({16, 3}, -1, 1, {/*seed=*/1, purpose_id("x")}, DType::f64);
  const Var loss = sum(square(model(x) - 1));
  zero_grad(model);
  loss.backward();
  return loss.value().item();
}

TEST(AddAnOptimizer, IsItsFormula) {
  Linear model(3, 1, /*with_bias=*/false);
  init(model, /*seed=*/1);
  convert(model, DType::f64);
  RmsProp optimizer(model, {.rate = 0.1, .decay = 0.9});
  const Formula formula = rms_prop(0.1, 0.9);
  Vec p = model.weight.value().to_vector();
  for (int step = 0; step < 5; ++step) {
    loss_of(model);
    formula(p, model.weight.grad().to_vector());
    optimizer.step();
    const Vec got = model.weight.value().to_vector();
    for (size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(got[i], p[i], 1e-12);
  }
  EXPECT_THROW(RmsProp(model, {.decay = 1}), UsageError);
}

TEST(AddAnOptimizer, UsesWhatTheLibraryHas) {
  const TempDir directory;
  const std::string path = directory.path("optimizer.safetensors");
  Linear model(3, 1);
  init(model, /*seed=*/1);
  convert(model, DType::f64);
  RmsProp optimizer(model, {.rate = 0.1});
  Ema ema(model, 0.9);
  const double before = loss_of(model);
  const int64_t steps = 50;
  for (int64_t step = 0; step < steps; ++step) {
    loss_of(model);
    optimizer.rate = 0.1 * linear_warm_up(step, 5) * cosine_decay(step, steps);
    optimizer.step({.max_norm = 5});
    ema.update();
  }
  EXPECT_LT(loss_of(model), 0.1 * before);
  ema.swap();  // the averages are in the model
  EXPECT_LT(loss_of(model), before);
  ema.swap();

  RmsProp resumed(model, {.rate = 0.1});
  save_tensors(path, optimizer.state());
  load_into(path, resumed.state());
  ASSERT_EQ(resumed.state()[0].name, "v.weight");
  EXPECT_EQ(resumed.state()[0].tensor.to_vector(), optimizer.state()[0].tensor.to_vector());
}

}  // namespace
}  // namespace heed
