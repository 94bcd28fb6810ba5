// The code of docs/add-a-layer.md and docs/memory-and-graph.md: every C++ block of the first stands
// in here (docs_test.cc checks that), compiles, and does what the text says.
#include <gtest/gtest.h>

#include <algorithm>

#include "heed.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// A gated recurrent unit (Cho et al. 2014), in the form of PyTorch's GRU: one step for a batch.
//   r, z = sigmoid(W x + U h + b)            reset and update gate
//   n    = tanh(W_n x + b_n + r (U_n h))     candidate
//   h'   = (1 - z) n + z h
class GruCell : public Module {
 public:
  GruCell(int64_t in, int64_t hidden)
      : from_input(in, 3 * hidden), from_state(hidden, 3 * hidden, /*with_bias=*/false) {}

  // x (B, in), h (B, H) -> (B, H)
  Var operator()(const Var& x, const Var& h) const {
    const int64_t hidden = h.shape().back();
    const std::vector<Var> a = split(from_input(x), {hidden, hidden, hidden}, 1);
    const std::vector<Var> b = split(from_state(h), {hidden, hidden, hidden}, 1);
    const Var r = sigmoid(a[0] + b[0]), z = sigmoid(a[1] + b[1]);
    const Var n = tanh(a[2] + r * b[2]);
    return (1 - z) * n + z * h;
  }

  void visit(Visitor& v) override {
    v("from_input", from_input);
    v("from_state", from_state);
  }

  Linear from_input, from_state;
};

// Reads sequences of words and names the first one again.
class Recall : public Module {
 public:
  Recall(int64_t words, int64_t width)
      : embedding(words, width), cell(width, width), output(width, words) {}

  // steps: for each step the words of all sequences, i32 (B).  -> logits (B, words)
  Var operator()(const std::vector<Tensor>& steps) const {
    const Var& table = embedding.weight;
    Var h = Tensor::zeros({steps[0].numel(), table.shape()[1]}, table.dtype(), table.device());
    for (const Tensor& words : steps) h = cell(embedding(words), h);
    return output(h);
  }

  void visit(Visitor& v) override {
    v("embedding", embedding);
    v("cell", cell);
    v("output", output);
  }
  Recall like() const { return {embedding.weight.shape()[0], embedding.weight.shape()[1]}; }

  Embedding embedding;
  GruCell cell;
  Linear output;
};

// Writes with the table that it reads with (Press & Wolf 2017).
class TiedRecall : public Recall {
 public:
  TiedRecall(int64_t words, int64_t width) : Recall(words, width) {
    output.weight = embedding.weight;
  }
};

// Random sequences of `length` words for a batch.
std::vector<Tensor> sequences(int64_t batch, int64_t length, int32_t words, uint64_t step) {
  Rng rng(/*seed=*/1, "sequences", step);
  std::vector<Tensor> steps;
  for (int64_t t = 0; t < length; ++t) {
    std::vector<int32_t> ids(batch);
    for (int32_t& id : ids) id = static_cast<int32_t>(rng.below(words));
    steps.push_back(Tensor::from(ids));
  }
  return steps;
}

double train(Recall& model, int64_t steps) {
  Adam optimizer(model, {.rate = 0.01});
  double last = 0;
  for (int64_t step = 0; step < steps; ++step) {
    const std::vector<Tensor> batch = sequences(32, 6, 8, step);
    const Var loss = mean(cross_entropy(model(batch), batch[0]));
    loss.backward();
    optimizer.step({.max_norm = 5});
    zero_grad(model);
    last = loss.value().item();
  }
  return last;
}

TEST(AddALayer, NamesItsParameters) {
  Recall model(8, 16);
  std::vector<std::string> names;
  for (const NamedParameter& p : parameters(model)) names.push_back(p.name);
  EXPECT_EQ(names, (std::vector<std::string>{"embedding.weight", "cell.from_input.weight",
                                             "cell.from_input.bias", "cell.from_state.weight",
                                             "output.weight", "output.bias"}));
  EXPECT_EQ(parameter_count(model), 8 * 16 + 48 * 16 + 48 + 48 * 16 + 8 * 16 + 8);
}

TEST(AddALayer, GradientOfALayer) {
  GruCell cell(3, 4);
  init(cell, /*seed=*/1);
  convert(cell, DType::f64);
  const GradCheck check =
      check_gradient([&](const std::vector<Var>& in) { return cell(in[0], in[1]); },
                     {uniform({2, 3}, -1, 1, {/*seed=*/1, purpose_id("x")}, DType::f64),
                      uniform({2, 4}, -1, 1, {/*seed=*/1, purpose_id("h")}, DType::f64)});
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

TEST(AddALayer, GradientOfItsParameters) {
  Recall model(5, 3);
  init(model, /*seed=*/1);
  convert(model, DType::f64);
  const std::vector<Tensor> batch = sequences(4, 3, 5, /*step=*/0);
  const GradCheck check =
      check_gradient(model, [&] { return cross_entropy(model(batch), batch[0]); });
  EXPECT_LT(check.max_error, 1e-6) << check.worst;
}

TEST(AddALayer, LearnsAndIsSaved) {
  Recall model(8, 16);
  init(model, /*seed=*/1);
  EXPECT_LT(train(model, 300), 0.1);  // guessing costs ln 8 = 2.08

  const TempDir directory;
  const std::string path = directory.path("recall.safetensors");
  save_parameters(path, model);
  Recall copy(8, 16);
  load_parameters(path, copy);
  const NoGrad guard;
  const std::vector<Tensor> batch = sequences(32, 6, 8, /*step=*/1000);
  EXPECT_EQ(copy(batch).value().to_vector(), model(batch).value().to_vector());
}

TEST(AddALayer, TiesFreezesAndClones) {
  TiedRecall tied(8, 16);
  Recall plain(8, 16);
  EXPECT_EQ(parameter_count(tied), parameter_count(plain) - 8 * 16);

  Recall model(8, 16);
  init(model, /*seed=*/1);
  freeze(model, "embedding");
  Recall best = clone(model);
  train(model, 1);
  EXPECT_EQ(best.embedding.weight.value().to_vector(), model.embedding.weight.value().to_vector());
  EXPECT_NE(best.output.weight.value().to_vector(), model.output.weight.value().to_vector());
}

// ---- memory-and-graph.md

TEST(MemoryAndGraph, TheDump) {
  const Var x = Tensor::zeros({4, 3});
  const Var w = Var::parameter(Tensor::zeros({2, 3}));
  const Var loss = sum(square(tanh(affine(x, w))));
  const std::string text = graph_text(loss), dot = graph_dot(loss);
  for (const char* line : {" = parameter f32 (2, 3)\n", " = affine f32 (4, 2)  <- constant, %",
                           " = tanh f32 (4, 2)  <- %", " = sum f32 ()  <- %"}) {
    EXPECT_NE(text.find(line), std::string::npos) << text;
  }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 5);
  EXPECT_EQ(dot.find("digraph heed {"), 0u);
}

}  // namespace
}  // namespace heed
