// The ten lines of README.md.
#include <cstdio>

#include "heed.h"

int main() {  // learns y = 2 x - 1
  heed::Linear line(1, 1);
  heed::init(line, /*seed=*/1);
  heed::Sgd sgd(line, {.rate = 0.1});
  const heed::Tensor x = heed::Tensor::of({{0}, {1}, {2}});
  const heed::Tensor y = heed::Tensor::of({{-1}, {1}, {3}});
  for (int step = 0; step < 200; ++step, heed::zero_grad(line)) {
    heed::mean(heed::square(line(x) - y)).backward();
    sgd.step();
  }
  std::printf("%s %s\n", line.weight.value().str().c_str(), line.bias.value().str().c_str());
}
