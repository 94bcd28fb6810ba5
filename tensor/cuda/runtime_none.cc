// What takes the runtime's place in a build without CUDA: there are no devices.
#include "base/error.h"
#include "tensor/cuda/blas.h"
#include "tensor/cuda/runtime.h"

namespace heed::cuda {

void check_device(int index) {
  throw DeviceError(
      "device cuda:" + std::to_string(index) +
      ": this build has no CUDA backend (build with -DHEED_CUDA=ON); use --device cpu");
}
std::string device_name(int index) {
  check_device(index);
  return "";
}
int64_t device_memory(int index) {
  check_device(index);
  return 0;
}
void set_device(int index) {
  check_device(index);
}
std::byte* allocate(int64_t) {
  return nullptr;
}
void free(std::byte*) noexcept {}
void copy(void*, const void*, int64_t) {}
void upload(void*, const void*, int64_t) {}
void download(void*, const void*, int64_t) {}
void synchronize() {}
Download* begin_download(const void*, int64_t) {
  return nullptr;
}
void finish_download(Download*, void*) {}
void drop_download(Download*) noexcept {}
Counts counts() {
  return {};
}
void when_exhausted(void (*)(int)) {}
void set_matmul(Matmul) {}

}  // namespace heed::cuda
