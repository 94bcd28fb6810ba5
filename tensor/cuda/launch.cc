#include <atomic>
#include <string>

#include "base/error.h"
#include "base/machine.h"
#include "emulator/kernel_name.h"
#include "tensor/cuda/runtime.h"

namespace heed::cuda {
namespace {

std::atomic<void (*)(int)> release_cached{nullptr};

struct {
  std::atomic<int64_t> launches, host_waits, copies, copied_bytes;
} total;

void add(std::atomic<int64_t>& count, int64_t n) {
  count.fetch_add(n, std::memory_order_relaxed);
}

}  // namespace

Counts counts() {
  return {total.launches, total.host_waits, total.copies, total.copied_bytes};
}

void count_launch() {
  add(total.launches, 1);
}

void count_wait() {
  add(total.host_waits, 1);
}

void count_copy(int64_t bytes) {
  add(total.copies, 1);
  add(total.copied_bytes, bytes);
}

void when_exhausted(void (*release)(int device)) {
  release_cached = release;
}

std::byte* allocate_for_scratch(int64_t bytes, int device) {
  if (std::byte* memory = allocate(bytes)) return memory;
  if (const auto release = release_cached.load()) release(device);
  if (std::byte* memory = allocate(bytes)) return memory;
  throw DeviceError(text("out of memory on cuda:", device, ": asked for ",
                         size_text(static_cast<double>(bytes)), " of ",
                         size_text(static_cast<double>(device_memory(device))),
                         " for partial results; try a smaller batch"));
}

void fail(const std::string& doing, const std::string& why) {
  throw DeviceError("cuda: " + doing + ": " + why +
                    "; if it was not this call, CUDA_LAUNCH_BLOCKING=1 shows which; begin again "
                    "(a run with --resume)");
}

void check_grid(int64_t blocks, const char* launch) {
  if (blocks > 0 && blocks < int64_t{1} << 31) return;
  throw ShapeError("cuda: " + std::to_string(blocks) + " blocks for the kernel " +
                   std::string(emulator::kernel_name(launch)) +
                   ", at most 2^31 - 1: the tensors are too large");
}

}  // namespace heed::cuda
