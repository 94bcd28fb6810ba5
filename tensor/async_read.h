// Reads small tensors of a device without waiting for it.
#pragma once

#include <memory>
#include <vector>

#include "tensor/tensor.h"

namespace heed {

namespace cuda {
struct Download;
}

// The values that some small tensors have now. On CUDA an asynchronous copy is queued behind the
// work that the stream already has, and the host goes on. Call get() after queuing the next step,
// and the device never idles.
class AsyncRead {
 public:
  AsyncRead() = default;  // none
  // f32 or f64, at most kMost elements together, or ShapeError; on one device, or DeviceError.
  explicit AsyncRead(const std::vector<Tensor>& tensors);
  static constexpr int64_t kMost = 32;

  // Waits for the copy and returns all values. Later calls return an empty list.
  std::vector<double> get();

 private:
  struct Drop {
    void operator()(cuda::Download* pending) const noexcept;
  };
  std::vector<double> values_;
  std::unique_ptr<cuda::Download, Drop> pending_;  // null once the values are there
};

}  // namespace heed
