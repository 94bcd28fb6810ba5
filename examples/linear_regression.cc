// Linear regression: a model, a loss, an optimiser and the training loop that everything else in
// this folder repeats. Recovers the line that generated the noisy points.
//
//   build/release/examples/linear_regression --steps 100
#include <cstdio>

#include "examples/options.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "optim/optim.h"

using namespace heed;
using examples::Options;

// y = 2 x_1 - 3 x_2 + 0.5 + noise, for n points x in the square [-1, 1)^2
struct Points {
  Var x, y;  // (n, 2), (n, 1)
};

Points make_points(int64_t n) {
  const Var x = uniform({n, 2}, -1, 1, {/*seed=*/1, purpose_id("points")});
  const Var noise = normal({n, 1}, 0, 0.1, {/*seed=*/1, purpose_id("noise")});
  const Var truth = Tensor::from(std::vector<float>{2, -3}, {1, 2});
  return {x, affine(x, truth) + 0.5 + noise};
}

void example(const Options& options) {
  const int64_t n = 200;
  const Points points = make_points(n);
  Linear model(/*in=*/2, /*out=*/1);
  init(model, /*seed=*/1);
  Sgd optimizer(model, {.rate = 0.1});

  for (int64_t step = 0; step < options.number("steps"); ++step) {
    const Var loss = squared_error(model(points.x), points.y) / double(n);
    loss.backward();   // gradients of all parameters ...
    optimizer.step();  // ... are used ...
    zero_grad(model);  // ... and forgotten
    if (step % 20 == 0) std::printf("step %3ld  loss %.4f\n", long(step), loss.value().item());
  }

  const std::vector<double> w = model.weight.value().to_vector();
  std::printf("learned    y = %.2f x1 %+.2f x2 %+.2f\n", w[0], w[1], model.bias.value().item());
  std::printf("made from  y = 2 x1 - 3 x2 + 0.5 + noise\n");
}

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, {{"steps", "100"}}, example);
}
