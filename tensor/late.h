// Numbers on their way from a device to the host.
#pragma once

#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

namespace cuda {
struct Late;
}

// The values of some small tensors as they are now. On CUDA they are copied behind what the device
// has to do until then, and the host goes on: who looks at them only when it has given the device
// its next work never leaves it idle.
class LateNumbers {
 public:
  LateNumbers() = default;  // none
  // f32 or f64 on one device, at most kMost elements together, or ShapeError.
  explicit LateNumbers(const std::vector<Tensor>& tensors);
  static constexpr int64_t kMost = 32;

  // All of them, once; waits until they have come.
  std::vector<double> get();

 private:
  struct Drop {
    void operator()(cuda::Late* late) const noexcept;
  };
  std::vector<double> values_;
  std::unique_ptr<cuda::Late, Drop> late_;  // null where the values are there
};

}  // namespace heed
