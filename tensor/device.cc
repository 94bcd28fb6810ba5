#include "tensor/device.h"

#include "tensor/error.h"

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
    throw DeviceError("device " + text + ": this build has no CUDA backend; use --device cpu");
  }
  throw UsageError("device: expected cpu or cuda[:k], got '" + text + "'");
}

}  // namespace heed
