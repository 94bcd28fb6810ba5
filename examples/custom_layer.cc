// A new layer: a highway layer, stacked, trained, saved and loaded again.
//
//   build/release/examples/custom_layer --steps 400 --out highway.safetensors
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <numbers>

#include "examples/options.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/safetensors.h"
#include "optim/optim.h"

using namespace heed;
using examples::Options;

// A gate decides for each number whether it goes through a layer or past it (Srivastava et al.,
// "Highway networks", 2015).   x (n, width) -> y (n, width)
//   t = sigmoid(W_t x + b_t);   y = t relu(W_h x + b_h) + (1 - t) x
class Highway : public Module {
 public:
  explicit Highway(int64_t width) : hidden(width, width), gate(width, width) {
    gate.bias = Var::parameter({width}, constant_law(-1));  // at first most bypasses the layer
  }
  Var operator()(const Var& x) const {
    const Var t = sigmoid(gate(x));
    return t * relu(hidden(x)) + (1 - t) * x;
  }
  // Names the parts. Counting, saving, loading and optimisers use only this function.
  void visit(Visitor& v) override {
    v("hidden", hidden);
    v("gate", gate);
  }

  Linear hidden, gate;
};

class Network : public Module {
 public:
  Network(int64_t in, int64_t width, int64_t depth) : first(in, width), last(width, 1) {
    for (int64_t i = 0; i < depth; ++i) layers.emplace_back(width);
  }
  Var operator()(const Var& x) const {
    Var y = tanh(first(x));
    for (const Highway& layer : layers) y = layer(y);
    return last(y);
  }
  void visit(Visitor& v) override {
    v("first", first);
    v("layers", layers);
    v("last", last);
  }

  Linear first, last;
  std::vector<Highway> layers;
};

// y = sin(pi x_1) x_2
Var target(const Tensor& x) {
  const std::vector<double> points = x.to_vector();
  std::vector<float> y;
  for (size_t i = 0; i < points.size(); i += 2) {
    y.push_back(static_cast<float>(std::sin(std::numbers::pi * points[i]) * points[i + 1]));
  }
  return Tensor::from(y, {x.shape()[0], 1});
}

void example(const Options& options) {
  const int64_t n = 512;
  const Tensor x = uniform({n, 2}, -1, 1, {/*seed=*/1, purpose_id("points")});
  const Var y = target(x);
  Network model(2, /*width=*/16, /*depth=*/3);
  init(model, /*seed=*/1);
  std::printf("%s", summary(model).c_str());

  Adam optimizer(model, {.rate = 0.01});
  for (int64_t step = 0; step < options.number("steps"); ++step) {
    const Var loss = squared_error(model(x), y) / static_cast<double>(n);
    loss.backward();
    optimizer.step();
    zero_grad(model);
    if (step % 100 == 0) std::printf("step %3ld  loss %.5f\n", long(step), loss.value().item());
  }

  const std::string& file = options.text("out");
  save_parameters(file, model);
  Network copy(2, 16, 3);  // uninitialised until it is loaded
  load_parameters(file, copy);
  const NoGrad guard;  // no graph is recorded from here on
  std::printf("final loss %.5f; loaded from %s: %.5f\n",
              squared_error(model(x), y).value().item() / n, file.c_str(),
              squared_error(copy(x), y).value().item() / n);
}

int main(int argc, char** argv) {
  const auto out = std::filesystem::temp_directory_path() / "highway.safetensors";
  return examples::run_example(argc, argv, {{"steps", "400"}, {"out", out.string()}}, example);
}
