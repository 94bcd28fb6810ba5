#include "tensor/device.h"

#include <cstdlib>

#include "base/error.h"
#include "tensor/cuda/blas.h"
#include "tensor/cuda/runtime.h"
#include "tensor/kernels/matmul.h"

namespace heed {

const char* name_of(DType dtype) {
  constexpr const char* kNames[] = {"f32", "f64", "i32"};
  return kNames[static_cast<int>(dtype)];
}

std::string Device::str() const {
  return is_cuda() ? "cuda:" + std::to_string(index) : "cpu";
}

Device Device::parse(const std::string& text) {
  if (text == "cpu") return {};
  const std::string index = text.rfind("cuda:", 0) == 0 ? text.substr(5) : "";
  const bool number = !index.empty() && index.find_first_not_of("0123456789") == index.npos;
  if (text == "cuda" || number) {
    const int k = !number ? 0 : index.size() < 5 ? std::stoi(index) : 9999;
    const Device device{Kind::cuda, k};
    cuda::check_device(device.index);
    return device;
  }
  throw UsageError("device: expected cpu or cuda[:k], got '" + text + "'");
}

void set_matmul(Matmul precision) {
  cpu::set_matmul(precision);
  cuda::set_matmul(precision);
}

Matmul matmul() {
  return cpu::matmul();
}

}  // namespace heed
