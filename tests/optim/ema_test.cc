#include "optim/ema.h"

#include <gtest/gtest.h>

#include <type_traits>

#include "nn/init.h"
#include "nn/layers.h"
#include "optim/optim.h"
#include "tensor/compare.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

static_assert(!std::is_copy_constructible_v<Ema>);

// An embedding whose table is the output layer too (Press & Wolf 2017).
struct TiedModel : Module {
  TiedModel() : embedding(4, 3), hidden(3, 3), output(3, 4) { output.weight = embedding.weight; }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("hidden", hidden);
    v("output", output);
  }
  Embedding embedding;
  Linear hidden, output;
};

bool is_tied(const TiedModel& model) {
  return model.embedding.weight.cell() == model.output.weight.cell();
}

TEST(Ema, IsItsFormula) {
  Linear model(1, 1, /*with_bias=*/false);
  model.weight = Var::parameter(Tensor::full({1, 1}, 1, DType::f64));
  Ema ema(model, 0.9);
  const auto set = [&](double value) { model.weight.value().fill(value); };
  set(2);
  ema.update();
  set(5);
  ema.update();
  const double expected = 0.9 * (0.9 * 1 + 0.1 * 2) + 0.1 * 5;
  ema.swap();
  EXPECT_NEAR(model.weight.value().item(), expected, 1e-15);
  EXPECT_EQ(error_of<UsageError>([&] { ema.update(); }),
            "Ema: update() while the averages are in the module; swap() them back first");
  Linear other = clone(model);
  EXPECT_EQ(error_of<UsageError>([&] { ema.copy_to(other); }),
            "Ema: copy_to() while the averages are in the module; swap() them back first");
  EXPECT_EQ(error_of<UsageError>([&] { (void)ema.state(); }),
            "Ema: state() while the averages are in the module; swap() them back first");
  ema.swap();
  EXPECT_EQ(model.weight.value().item(), 5);
  ema.copy_to(other);
  EXPECT_NEAR(other.weight.value().item(), expected, 1e-15);
  EXPECT_EQ(ema.state()[0].name, "ema.weight");
  EXPECT_THROW(Ema(model, 1), UsageError);
  EXPECT_THROW(Ema(model, -0.1), UsageError);
  struct Renamed : Module {
    void visit(Visitor& v) override { v("gain", gain); }
    Var gain = Var::parameter(Tensor::zeros({1, 1}));
  } renamed;
  EXPECT_EQ(error_of<ShapeError>([&] { ema.copy_to(renamed); }), "Ema: weight does not fit gain");
  TiedModel another;
  EXPECT_EQ(error_of<ShapeError>([&] { ema.copy_to(another); }),
            "Ema: 1 averages do not fit 4 parameters");
}

// Those of a step that is not complete yet; the averages have none.
TEST(Ema, KeepsGradientsForTheParameters) {
  TiedModel model;
  init(model, 1);
  Ema ema(model, 0.9);
  const auto backward = [&] {
    sum(model.output(model.hidden(model.embedding(Tensor::from({1, 2}))))).backward();
  };
  const auto expect_twice = [&](const Var& p, const Tensor& once) {
    EXPECT_EQ(mismatch(p.grad(), add(Var(once), Var(once)).value()), "");
  };
  backward();
  const Tensor table = model.embedding.weight.grad().clone(),
               bias = model.hidden.bias.grad().clone();
  ema.swap();
  EXPECT_FALSE(model.hidden.bias.grad().defined());
  Sgd sgd(model);
  EXPECT_THROW(sgd.step(), UsageError);
  backward();  // of the averages, which end with them
  ema.swap();
  EXPECT_EQ(mismatch(model.hidden.bias.grad(), bias), "");
  backward();
  expect_twice(model.hidden.bias, bias);
  expect_twice(model.embedding.weight, table);
  sgd.step();

  backward();
  ema.swap();
  freeze(model, "hidden.bias");
  ema.swap();
  EXPECT_FALSE(model.hidden.bias.grad().defined());  // is frozen by now
  EXPECT_TRUE(model.hidden.weight.grad().defined());
  unfreeze(model, "hidden.bias");

  ema.swap();
  freeze(model, "hidden");
  convert(model, DType::f64);
  ema.swap();
  EXPECT_FALSE(model.embedding.weight.grad().defined());  // as without the averages
  unfreeze(model, "hidden");
  EXPECT_FALSE(model.hidden.bias.grad().defined());
}

TEST(Ema, SaysWhatIsBlank) {
  TiedModel model;
  EXPECT_EQ(error_of<UsageError>([&] { Ema(model, 0.9); }),
            "parameter \"embedding.weight\" has no values yet; call init(module, seed) or "
            "load_parameters() first");
}

TEST(Ema, OfAConstantIsThatConstant) {
  Linear model(1, 1, /*with_bias=*/false);
  model.weight = Var::parameter(Tensor::full({1, 1}, 0.7));
  Ema ema(model, 0.99999);
  for (int i = 0; i < 2000; ++i) ema.update();
  EXPECT_EQ(ema.state()[0].tensor.item(), model.weight.value().item());
}

// In one file with the parameters, and from there on.
TEST(Ema, IsSavedBesideTheParameters) {
  TiedModel model, loaded;
  init(model, 1);
  Ema ema(model, 0.5);
  model.hidden.bias.value().fill(3);
  ema.update();
  std::vector<NamedTensor> all = parameter_tensors(model);
  for (const NamedTensor& t : ema.state()) all.push_back(t);
  const TempDir dir;
  save_tensors(dir.path("t"), all);
  init(loaded, 2);
  Ema resumed(loaded, 0.5);
  std::vector<NamedTensor> targets = parameter_tensors(loaded);
  for (const NamedTensor& t : resumed.state()) targets.push_back(t);
  load_into(dir.path("t"), targets);
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(targets[i].tensor.to_vector(), all[i].tensor.to_vector()) << all[i].name;
  }
}

// A copy is a copy: the next update changes the average alone.
TEST(Ema, CopiesStayWhatTheyWere) {
  TiedModel model;
  init(model, 1);
  Ema ema(model, 0.5);
  TiedModel other = clone(model);
  ema.copy_to(other);
  const auto before = other.hidden.bias.value().to_vector();
  model.hidden.bias.value().fill(3);
  ema.update();
  EXPECT_EQ(other.hidden.bias.value().to_vector(), before);
}

TEST(Ema, TheStateHasTheTypeOfTheParameters) {
  Linear model(1, 1);
  init(model, 1);
  const Ema ema(model, 0.5);
  convert(model, DType::f64);
  for (const NamedTensor& t : ema.state()) EXPECT_EQ(t.tensor.dtype(), DType::f64) << t.name;
}

TEST(Ema, GoesWithTheModuleAndOnFromItsState) {
  TiedModel model;
  init(model, 1);
  Ema ema(model, 0.5);
  convert(model, DType::f64);
  model.hidden.bias.value().fill(3);
  ema.update();
  Ema resumed(model, 0.5);
  for (size_t i = 0; i < ema.state().size(); ++i) {
    resumed.state()[i].tensor.copy_from(ema.state()[i].tensor);
  }
  ema.update();
  resumed.update();
  for (size_t i = 0; i < ema.state().size(); ++i) {
    EXPECT_EQ(resumed.state()[i].tensor.to_vector(), ema.state()[i].tensor.to_vector());
  }
  ema.swap();
  EXPECT_TRUE(is_tied(model));
}

}  // namespace
}  // namespace heed
