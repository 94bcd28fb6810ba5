#include <string>
#include <string_view>

#include "tensor/cuda/runtime.h"
#include "tensor/error.h"

namespace heed::cuda {

std::string kernel_name(const char* launch) {
  std::string_view text(launch);
  const size_t begin = text.find("kernel = ");
  if (begin == text.npos) return std::string(text);
  text.remove_prefix(begin + std::string_view("kernel = ").size());
  if (text.starts_with('&')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find_first_of(";]")));
}

void fail(const std::string& doing, const std::string& why) {
  throw DeviceError("cuda: " + doing + ": " + why +
                    "; if it was not this call, CUDA_LAUNCH_BLOCKING=1 shows which; begin again "
                    "(a run with --resume)");
}

void check_grid(int64_t blocks, const char* launch) {
  if (blocks > 0 && blocks < int64_t{1} << 31) return;
  throw ShapeError("cuda: " + std::to_string(blocks) + " blocks for the kernel " +
                   kernel_name(launch) + ", at most 2^31 - 1: the tensors are too large");
}

}  // namespace heed::cuda
