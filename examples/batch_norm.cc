// Buffers: a network with batch normalisation learns from inputs of very different sizes, is saved
// with its running means, and gives the same results after loading.
//
//   build/release/examples/batch_norm --steps 300 --out norm.safetensors
#include "examples/batch_norm.h"

#include <cstdio>
#include <filesystem>

#include "examples/options.h"
#include "nn/batches.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/safetensors.h"
#include "optim/optim.h"

namespace {

using namespace heed;

struct Network : Module {
  void visit(Visitor& v) override {
    v("norm", norm);
    v("hidden", hidden);
    v("output", output);
  }
  Var train(const Var& x) { return output(tanh(hidden(norm.train(x)))); }
  Var operator()(const Var& x) const { return output(tanh(hidden(norm(x)))); }

  examples::BatchNorm norm{2};
  Linear hidden{2, 16}, output{16, 1};
};

void example(const examples::Options& options) {
  constexpr int64_t kPoints = 1024;
  const Var z = normal({kPoints, 2}, 0, 1, {/*seed=*/1, purpose_id("points")});
  const Var x = z * Tensor::of({1000, 0.001}) + Tensor::of({5000, 0});  // metres and kilometres
  const Var y = slice(z, 1, 0, 1) * slice(z, 1, 1, 2);                  // the product of the two

  Network model;
  init(model, /*seed=*/1);
  std::printf("%s", summary(model).c_str());
  Adam adam(model, {.rate = 0.01});
  int64_t step = 0;
  for (uint64_t epoch = 0; step < options.number("steps"); ++epoch) {
    for (const std::vector<int64_t>& ids : shuffled_batches(kPoints, 64, /*seed=*/1, epoch)) {
      const Tensor rows = Tensor::from(std::vector<int32_t>(ids.begin(), ids.end()));
      const Var loss = mean(square(model.train(gather_rows(x, rows)) - gather_rows(y, rows)));
      loss.backward();
      adam.step();
      zero_grad(model);
      if (step % 100 == 0) std::printf("step %3ld  loss %.4f\n", long(step), loss.value().item());
      if (++step == options.number("steps")) break;
    }
  }
  const std::string& file = options.text("out");
  save_parameters(file, model);
  Network copy;
  load_parameters(file, copy);
  const NoGrad guard;
  std::printf("with the running means: loss %.4f; loaded from %s: %.4f\n",
              mean(square(model(x) - y)).value().item(), file.c_str(),
              mean(square(copy(x) - y)).value().item());
}

}  // namespace

int main(int argc, char** argv) {
  const auto out = std::filesystem::temp_directory_path() / "batch_norm.safetensors";
  return examples::run_example(argc, argv, {{"steps", "300"}, {"out", out.string()}}, example);
}
