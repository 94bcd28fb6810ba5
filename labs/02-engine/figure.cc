#include "autograd/node.h"
#include "labs/support/check.h"
#include "tensor/allocator.h"

// Bytes in use when each closure of a backward pass runs, through ops that each keep 1 MiB, and
// what they would be if the closures were kept.
LAB_FIGURE() {
  constexpr int64_t kOps = 8, kMiB = 1 << 20;
  std::vector<double> steps, dropped, kept;
  const Tensor one = Tensor::full({}, 1, DType::f64);
  Var y = Var::parameter(one);
  const int64_t before = memory_stats().bytes_in_use;
  for (int64_t i = 0; i < kOps; ++i) {
    y = record(
        "keep", one, {y},
        [&, values = Tensor::zeros({kMiB / 8}, DType::f64)](Tensor dy, const Grads& dx) {
          steps.push_back(static_cast<double>(steps.size() + 1));
          dropped.push_back(static_cast<double>(memory_stats().bytes_in_use - before) / kMiB);
          kept.push_back(kOps);
          dx.add(0, dy);
        });
  }
  y.backward();
  heed::lab::print_curves("Memory over a backward pass", "closure that runs, counted from 1",
                          "MiB in use", steps, {{"closures kept", kept}, {"yours", dropped}});
}
