#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "emulator/memory.h"
#include "tensor/cuda/runtime.h"

namespace heed::cuda {
namespace {

// A number from the environment, for tests of what a device may do.
int64_t setting(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoll(text, nullptr, 10) : otherwise;
}

// What this device claims to have: HEED_EMULATED_BYTES, or 8 GiB.
int64_t device_bytes() {
  static const int64_t bytes = setting("HEED_EMULATED_BYTES", int64_t{8} << 30);
  return bytes;
}

// From the HEED_EMULATED_FAULT-th copy on every one fails, as on a device with a broken kernel.
void fail_if_asked() {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  static int64_t left = setting("HEED_EMULATED_FAULT", 0);
  if (left > 1) {
    --left;
  } else if (left == 1) {
    fail("copy", "an error, as HEED_EMULATED_FAULT wants it");
  }
}

}  // namespace

void check_device(int index) {
  if (index == 0) return;
  throw DeviceError("device cuda:" + std::to_string(index) +
                    ": the last CUDA device is cuda:0 (emulated on the CPU)");
}

std::string device_name(int) {
  return "emulated on the CPU";
}

int64_t device_memory(int) {
  return device_bytes();
}

void set_device(int) {}

std::byte* allocate(int64_t bytes) {
  return emulator::allocated() + bytes > device_bytes() ? nullptr : emulator::allocate(bytes);
}

void free(std::byte* block) noexcept {
  emulator::free(block);
}

CUstream_st* stream() {
  return nullptr;
}

void copy(void* to, const void* from, int64_t bytes) {
  fail_if_asked();
  count_copy(bytes);
  emulator::copy(to, from, bytes);
}

void upload(void* to, const void* from, int64_t bytes) {
  copy(to, from, bytes);
  if (bytes > kStaged) count_wait();
}

void download(void* to, const void* from, int64_t bytes) {
  copy(to, from, bytes);
  synchronize();
}

void synchronize() {
  count_wait();
}

struct Download {
  std::vector<std::byte> bytes;
};

Download* begin_download(const void* from, int64_t bytes) {
  auto pending = std::make_unique<Download>();
  pending->bytes.resize(static_cast<size_t>(bytes));
  copy(pending->bytes.data(), from, bytes);
  return pending.release();
}

void finish_download(Download* pending, void* to) {
  count_wait();
  std::memcpy(to, pending->bytes.data(), pending->bytes.size());
  drop_download(pending);
}

void drop_download(Download* pending) noexcept {
  delete pending;
}

void* scratch_bytes(int64_t bytes) {
  thread_local std::unique_ptr<std::byte, decltype(&free)> block(nullptr, &free);
  block.reset();  // of exactly the size asked for, so that nobody uses more
  block.reset(allocate_for_scratch(bytes, 0));
  return block.get();  // NOLINT(clang-analyzer-unix.Malloc): a thread's, and not this call's
}

void check_launch(const char*) {}

}  // namespace heed::cuda
