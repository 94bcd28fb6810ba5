// Parameters have an identity: one cell, whatever its names are and wherever its tensor goes.
#include <gtest/gtest.h>

#include <cmath>

#include "nn/attention.h"
#include "nn/gru.h"
#include "nn/init.h"
#include "nn/lstm.h"
#include "nn/safetensors.h"
#include "nn/transformer.h"
#include "optim/optim.h"
#include "tests/file_helpers.h"
#include "tests/nn/nn_helpers.h"

namespace heed {
namespace {

// An embedding whose table is the output layer too (Press & Wolf 2017).
struct TiedModel : Module {
  TiedModel() : embedding(4, 3), hidden(3, 3), output(3, 4) { output.weight = embedding.weight; }
  Var operator()(const Tensor& words) const { return output(hidden(embedding(words))); }
  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("hidden", hidden);
    v("output", output);
  }
  Embedding embedding;
  Linear hidden, output;
};

const Tensor kWords = Tensor::from(std::vector<int32_t>{3, 1, 1});

void backward(TiedModel& model) {
  sum(square(model(kWords))).backward();
}
bool is_tied(const TiedModel& model) {
  return model.embedding.weight.cell() == model.output.weight.cell();
}

// ---- tied weights

TEST(TiedWeight, IsOneParameter) {
  TiedModel model;
  EXPECT_EQ(names(model),
            "embedding.weight(4, 3) hidden.weight(3, 3) hidden.bias(3) output.bias(4) ");
  EXPECT_EQ(parameters(model)[0].aliases, std::vector<std::string>{"output.weight"});
  EXPECT_EQ(parameter_count(model), 12 + 9 + 3 + 4);
}

TEST(TiedWeight, IsSteppedOnceAndCountedOnceInTheNorm) {
  TiedModel model;
  init(model, 1);
  const Vec before = model.output.weight.value().to_vector();
  backward(model);
  const Vec g = model.embedding.weight.grad().to_vector();
  double squares = 0;
  for (const NamedParameter& p : parameters(model)) {
    for (double x : p.var.grad().to_vector()) squares += x * x;
  }
  EXPECT_NEAR(grad_norm(parameters(model)), std::sqrt(squares), 1e-5);
  Sgd(model, {.rate = 0.5}).step();
  const Vec after = model.output.weight.value().to_vector();
  for (size_t i = 0; i < g.size(); ++i) EXPECT_NEAR(after[i], before[i] - 0.5 * g[i], 1e-5);
}

TEST(TiedWeight, StaysTiedWhateverHappens) {
  TiedModel model;
  EXPECT_TRUE(is_tied(model));
  init(model, 1);
  EXPECT_TRUE(is_tied(model));
  convert(model, DType::f64);
  EXPECT_TRUE(is_tied(model));
  EXPECT_EQ(model.output.weight.dtype(), DType::f64);
  move(model, Device{});
  TiedModel copy = clone(model);
  EXPECT_TRUE(is_tied(model));
  EXPECT_TRUE(is_tied(copy));
  EXPECT_EQ(copy.output.weight.dtype(), DType::f64);
}

TEST(TiedWeight, IsSavedOnceAndLoadedByAnyOfItsNames) {
  const TempDir dir;
  TiedModel model;
  init(model, 1);
  const std::string path = dir.path("model");
  save_parameters(path, model);
  TensorMap tensors = load_tensors(path);
  EXPECT_EQ(tensors.size(), 4u);
  EXPECT_FALSE(tensors.contains("output.weight"));

  const auto loads = [&](const std::vector<std::string>& names) {
    std::vector<NamedTensor> list;
    for (const auto& [name, tensor] : tensors) {
      if (name != "embedding.weight") list.push_back({name, tensor});
    }
    for (const std::string& name : names) list.push_back({name, tensors.at("embedding.weight")});
    save_tensors(path, list);
    TiedModel loaded;
    load_parameters(path, loaded);
    EXPECT_TRUE(is_tied(loaded));
    EXPECT_TRUE(same(loaded(kWords), model(kWords)));
  };
  loads({"embedding.weight"});
  loads({"output.weight"});  // as PyTorch's tools may leave it
  loads({"embedding.weight", "output.weight"});

  TiedModel loaded;
  std::vector<NamedTensor> list;
  for (const auto& [name, tensor] : tensors) list.push_back({name, tensor});
  list.push_back({"output.weight", Tensor::zeros({4, 3})});
  save_tensors(path, list);
  EXPECT_EQ(error_of<DataError>([&] { load_parameters(path, loaded); }),
            path +
                ": \"embedding.weight\" and \"output.weight\" are one parameter of the model "
                "but differ");
  list.erase(list.begin());
  list.pop_back();
  save_tensors(path, list);
  EXPECT_EQ(error_of<DataError>([&] { load_parameters(path, loaded); }),
            path + ": parameter \"embedding.weight\" is missing");
}

// ---- exchanging the tensor in the cell

TEST(Parameter, IsTheSameForEverybodyAfterItsTensorWasExchanged) {
  Linear layer(2, 2);
  init(layer, 1);
  const Var held = layer.weight;
  const NamedParameter listed = parameters(layer)[0];
  convert(layer, DType::f64);
  EXPECT_EQ(held.dtype(), DType::f64);
  EXPECT_EQ(listed.var.dtype(), DType::f64);
  sum(layer(Tensor::zeros({1, 2}, DType::f64))).backward();
  EXPECT_TRUE(held.grad().defined());
  held.set_value(Tensor::full({2, 2}, 5, DType::f64));
  EXPECT_EQ(layer.weight.value().to_vector(), (Vec{5, 5, 5, 5}));
  EXPECT_FALSE(layer.weight.grad().defined());
  const Var source = Var::parameter(Tensor::full({2, 2}, 7, DType::f64));
  held.set_value(source.value());  // its numbers, not its memory
  source.value().fill(8);
  EXPECT_EQ(held.value().at({0, 0}), 7);
  held.set_value(Tensor::full({2, 2}, 5, DType::f64));
  EXPECT_EQ(error_of<ShapeError>([&] { held.set_value(Tensor::zeros({3})); }),
            "set_value: f32 (3) does not fit the parameter, f64 (2, 2)");
  EXPECT_EQ(error_of<ShapeError>([&] {
              held.set_value(Tensor::zeros({2, 2}));
            }),
            "set_value: f32 (2, 2) does not fit the parameter, f64 (2, 2)");
  Linear blank(2, 2);
  blank.weight.set_value(Tensor::zeros({2, 2}, DType::f64));
  EXPECT_EQ(blank.weight.dtype(), DType::f64);
  EXPECT_EQ(error_of<ShapeError>([&] { held.set_value(Tensor()); }),
            "set_value: an input is undefined; it never got a value");
  EXPECT_EQ(error_of<UsageError>([] { Var(Tensor::zeros({3})).set_value(Tensor::zeros({3})); }),
            "set_value: not a parameter");
}

// Otherwise a step of the one would be a step of the other.
TEST(Parameter, HasMemoryOfItsOwn) {
  struct Both : Module {
    explicit Both(const Tensor& t) : a(Var::parameter(t)), b(Var::parameter(t)) {}
    void visit(Visitor& v) override {
      v("a", a);
      v("b", b);
    }
    Var a, b;
  };
  const Tensor start = Tensor::of({1});
  Both both(start);
  (both.a + both.b * 10.0).backward();
  Sgd(both, {.rate = 1}).step();
  EXPECT_EQ(both.a.value().item(), 0);
  EXPECT_EQ(both.b.value().item(), -9);
  EXPECT_EQ(start.item(), 1);
  Tensor handed_over = Tensor::of({1, 2});
  const std::byte* const at = handed_over.raw();
  EXPECT_EQ(Var::parameter(std::move(handed_over)).value().raw(), at);  // without a copy
}

// The gradient would go nowhere.
TEST(Parameter, OfAGraphFromBeforeIsAnError) {
  Linear layer(2, 2);
  init(layer, 1);
  const Var loss = sum(layer(Tensor::zeros({1, 2})));
  convert(layer, DType::f64);
  EXPECT_EQ(error_of<UsageError>([&] { loss.backward(); }),
            "backward: a parameter was moved, converted or given other values after the forward "
            "pass; run it again");
}

TEST(Module, RefusesWhatIsNoParameter) {
  Linear layer(2, 2);
  layer.weight = Tensor::zeros({2, 2});
  EXPECT_EQ(error_of<UsageError>([&] { (void)parameters(layer); }),
            "module: \"weight\" is not a parameter; make it with Var::parameter()");
}

// ---- clone()

static_assert(!std::is_copy_constructible_v<Linear> && !std::is_copy_assignable_v<Linear>);
static_assert(!std::is_copy_constructible_v<TiedModel> && !std::is_copy_assignable_v<TiedModel>);
static_assert(std::is_move_constructible_v<TiedModel> && std::is_move_assignable_v<TiedModel>);
static_assert(!std::is_copy_constructible_v<Lstm> && std::is_move_constructible_v<Lstm>);

TEST(Clone, IsDeep) {
  TiedModel model;
  init(model, 1);
  freeze(model, "hidden.bias");
  TiedModel copy = clone(model);
  EXPECT_TRUE(same(copy(kWords), model(kWords)));
  EXPECT_TRUE(copy.hidden.bias.frozen());
  EXPECT_TRUE(copy.embedding.weight.sparse_rows());
  const Vec before = copy.hidden.weight.value().to_vector();
  backward(model);
  EXPECT_FALSE(copy.hidden.weight.grad().defined());
  Sgd(model).step();
  EXPECT_EQ(copy.hidden.weight.value().to_vector(), before);
  EXPECT_FALSE(same(copy.hidden.weight, model.hidden.weight));
  unfreeze(copy);
  EXPECT_TRUE(model.hidden.bias.frozen());
}

TEST(Clone, TiesWhatWasTiedLaterOn) {
  struct Both : Module {
    Both() : a(2, 2), b(2, 2) {}
    void visit(Visitor& v) override {
      v("a", a);
      v("b", b);
    }
    Linear a, b;
  } both;
  both.b.weight = both.a.weight;
  Both copy = clone(both);  // of a blank module, which stays blank
  EXPECT_EQ(copy.a.weight.cell(), copy.b.weight.cell());
  EXPECT_NE(copy.a.weight.cell(), both.a.weight.cell());
  init(both, 1);
  EXPECT_THROW((void)copy.a.weight.value(), UsageError);
}

template <class Layer> void expect_clones(Layer layer) {
  init(layer, 1);
  Layer copy = clone(layer);
  EXPECT_EQ(names(copy), names(layer));
  const auto a = parameters(layer), b = parameters(copy);
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_TRUE(same(a[i].var, b[i].var));
    EXPECT_NE(a[i].var.cell(), b[i].var.cell());
  }
}

TEST(Clone, KnowsAllLayers) {
  expect_clones(Linear(2, 3));
  expect_clones(Linear(2, 3, /*with_bias=*/false));
  expect_clones(Embedding(2, 3));
  expect_clones(LayerNorm(4, 0.1));
  expect_clones(Lstm(2, 3, {.layers = 2, .bias = false, .bidirectional = true}));
  expect_clones(Gru(2, 3, {.layers = 2, .bias = false, .bidirectional = true}));
  expect_clones(MultiHeadAttention(4, 2, 3));
  expect_clones(FeedForward(2, 3, /*relu=*/true));
  expect_clones(TransformerEncoderLayer(4, {.heads = 2, .hidden = 3}));
  expect_clones(TransformerDecoderLayer(4, {.heads = 2, .hidden = 3, .memory_width = 5}));
  expect_clones(AdditiveAttention(2, 3, 4));
  expect_clones(Attention(AttentionScore::kGeneral, 2, 3, 4));
  expect_clones(Attention(AttentionScore::kAdditive, 2, 3, 4));
}

// ---- freezing, patterns, the summary

TEST(Freeze, MakesConstants) {
  TiedModel model;
  init(model, 1);
  backward(model);
  freeze(model, "hidden");
  EXPECT_TRUE(model.hidden.weight.frozen());
  EXPECT_FALSE(model.hidden.weight.needs_grad());
  EXPECT_FALSE(model.hidden.weight.grad().defined());  // what it had is dropped
  zero_grad(model);
  backward(model);
  EXPECT_FALSE(model.hidden.weight.grad().defined());
  EXPECT_TRUE(model.embedding.weight.grad().defined());
  convert(model, DType::f64);
  EXPECT_TRUE(model.hidden.weight.frozen());
  unfreeze(model, "hidden.w*");
  EXPECT_FALSE(model.hidden.weight.frozen());
  EXPECT_TRUE(model.hidden.bias.frozen());
  backward(model);
  EXPECT_TRUE(model.hidden.weight.grad().defined());
  freeze(model);
  EXPECT_FALSE(model(kWords).needs_grad());
  EXPECT_EQ(error_of<UsageError>([&] { freeze(model, "decoder"); }),
            "freeze: no parameter fits 'decoder'");
}

TEST(Patterns, FitWholePartsOfAnyNameOfAParameter) {
  const NamedParameter p{"encoder.lstm.weight_ih_l0", {}, {"decoder.layers.10.table"}};
  for (const char* pattern :
       {"", "lstm", "encoder.lstm", "encoder.lstm.weight_ih_l0", "enc*_l0", "*", "*lstm*",
        "decoder", "layers.10", "layers.*.table", "weight_*", "10"}) {
    EXPECT_TRUE(fits(p, pattern)) << pattern;
  }
  for (const char* pattern : {"bias", "weight*encoder", "encoder.weight_ih_l0", "lstm*lstm",
                              "layers.1", "stm", "weight", "r.*.w", "encoder.", ".lstm", "1"}) {
    EXPECT_FALSE(fits(p, pattern)) << pattern;
  }
}

TEST(Patterns, ChooseGroups) {
  TiedModel model;
  init(model, 1);
  const Vec before = model.hidden.bias.value().to_vector();
  Sgd sgd(model, {.groups = {{.name = "hidden*bias", .rate = 0}, {.name = "output.weight"}}});
  backward(model);
  sgd.step();
  EXPECT_EQ(model.hidden.bias.value().to_vector(), before);
}

TEST(Summary, ListsEveryParameter) {
  TiedModel model;
  freeze(model, "hidden.weight");
  EXPECT_EQ(summary(model),
            "name              shape   numbers  share  type\n"
            "embedding.weight  (4, 3)  12       42.9%  f32\n"
            "output.weight     is embedding.weight\n"
            "hidden.weight     (3, 3)  9        32.1%  f32   frozen\n"
            "hidden.bias       (3)     3        10.7%  f32\n"
            "output.bias       (4)     4        14.3%  f32\n"
            "28 numbers, 112 bytes; 9 numbers frozen\n");
}

}  // namespace
}  // namespace heed
