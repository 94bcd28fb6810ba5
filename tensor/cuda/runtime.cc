#include "tensor/cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"
#include "emulator/kernel_name.h"

namespace heed::cuda {
namespace {

// An error that a kernel left behind is reported by whatever call comes next, and by all after it.
void check(cudaError_t status, const std::string& doing) {
  if (status == cudaSuccess) return;
  fail(doing, cudaGetErrorString(status));
}

// Asked each time, as the program may call cudaSetDevice() itself; it costs some nanoseconds.
int current_device() {
  int index = 0;
  check(cudaGetDevice(&index), "current device");
  return index;
}

void put_copy(void* to, const void* from, int64_t bytes) {
  count_copy(bytes);
  check(cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault, stream()), "copy");
}

void wait_for(cudaEvent_t event) {
  count_wait();
  check(cudaEventSynchronize(event), "event");
}

cudaEvent_t make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "event");
  return event;
}

std::byte* pinned_memory(int64_t bytes) {
  void* memory = nullptr;
  check(cudaMallocHost(&memory, static_cast<size_t>(bytes)), "pinned memory");
  return static_cast<std::byte*>(memory);
}

// Pinned memory that uploads pass through, one half after the other: a half is filled again when
// the device has taken all that was in it. Never given back.
class Staging {
 public:
  void upload(std::byte* to, const std::byte* from, int64_t bytes) {
    if (!memory_) memory_ = pinned_memory(2 * kHalf);
    for (int64_t done = 0, piece; done < bytes; done += piece) {
      piece = std::min(bytes - done, kHalf);
      if (at_ + piece > kHalf) turn();
      std::byte* const staged = memory_ + half_ * kHalf + at_;
      std::memcpy(staged, from + done, static_cast<size_t>(piece));
      put_copy(to + done, staged, piece);
      at_ += piece;
    }
  }

 private:
  static constexpr int64_t kHalf = kStaged / 2;

  // To the other half.
  void turn() {
    if (!taken_[half_]) taken_[half_] = make_event();
    check(cudaEventRecord(taken_[half_], stream()), "event");
    half_ = 1 - half_;
    at_ = 0;
    if (taken_[half_] && cudaEventQuery(taken_[half_]) != cudaSuccess) wait_for(taken_[half_]);
  }

  std::byte* memory_ = nullptr;
  cudaEvent_t taken_[2] = {};  // recorded behind the last copy out of each half
  int half_ = 0;
  int64_t at_ = 0;  // the first free byte of the half
};

}  // namespace

struct Download {
  int device;
  std::byte* pinned;
  cudaEvent_t here;
  int64_t bytes = 0;
};

namespace {

// Those that nobody uses, of each device. Never destroyed: a tensor may outlive main().
class Downloads {
 public:
  Download* take() {
    const std::lock_guard lock(mutex_);
    const int device = current_device();
    std::vector<Download*>& idle = idle_[device];
    if (idle.empty()) return new Download{device, pinned_memory(kDownloadBytes), make_event()};
    Download* const pending = idle.back();
    idle.pop_back();
    return pending;
  }
  void give(Download* pending) noexcept {
    const std::lock_guard lock(mutex_);
    idle_[pending->device].push_back(pending);
  }

 private:
  std::mutex mutex_;
  std::map<int, std::vector<Download*>> idle_;
};

Downloads& downloads() {
  static Downloads* const instance = new Downloads;
  return *instance;
}

struct Scratch {
  std::unique_ptr<std::byte, decltype(&cuda::free)> memory{nullptr, &cuda::free};
  int64_t bytes = 0;
};

}  // namespace

void check_device(int index) {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  const std::string device = "device cuda:" + std::to_string(index) + ": ";
  if (status != cudaSuccess || count == 0) {
    cudaGetLastError();  // forget it
    throw DeviceError(device + "this machine has no CUDA device in working order (" +
                      (status == cudaSuccess ? "none found" : cudaGetErrorString(status)) +
                      "); use --device cpu");
  }
  if (index < count) return;
  throw DeviceError(device +
                    "the last CUDA device of this machine is cuda:" + std::to_string(count - 1));
}

std::string device_name(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "device properties");
  return properties.name;
}

int64_t device_memory(int index) {
  cudaDeviceProp properties;
  check(cudaGetDeviceProperties(&properties, index), "device properties");
  return static_cast<int64_t>(properties.totalGlobalMem);
}

void set_device(int index) {
  if (index == current_device()) return;
  check(cudaSetDevice(index), "cuda:" + std::to_string(index));
}

std::byte* allocate(int64_t bytes) {
  void* memory = nullptr;
  const cudaError_t status = cudaMalloc(&memory, static_cast<size_t>(bytes));
  if (status == cudaErrorMemoryAllocation) {
    cudaGetLastError();  // forget it
    return nullptr;
  }
  check(status, "memory");
  return static_cast<std::byte*>(memory);
}

void free(std::byte* memory) noexcept {
  cudaFree(memory);  // an error is one that a kernel left behind, and somebody else's to report
}

// Non-blocking: it does not wait for the default stream, which a program around heed may use.
cudaStream_t stream() {
  static std::mutex mutex;
  static std::map<int, cudaStream_t> of_device;
  const std::lock_guard lock(mutex);
  cudaStream_t& found = of_device[current_device()];
  if (!found) check(cudaStreamCreateWithFlags(&found, cudaStreamNonBlocking), "stream");
  return found;
}

void copy(void* to, const void* from, int64_t bytes) {
  put_copy(to, from, bytes);
}

void upload(void* to, const void* from, int64_t bytes) {
  static std::mutex mutex;
  static std::map<int, Staging> of_device;
  const std::lock_guard lock(mutex);
  of_device[current_device()].upload(static_cast<std::byte*>(to),
                                     static_cast<const std::byte*>(from), bytes);
}

void download(void* to, const void* from, int64_t bytes) {
  put_copy(to, from, bytes);
  synchronize();
}

void synchronize() {
  count_wait();
  check(cudaStreamSynchronize(stream()), "synchronize");
}

Download* begin_download(const void* from, int64_t bytes) {
  std::unique_ptr<Download, decltype(&drop_download)> pending(downloads().take(), &drop_download);
  pending->bytes = bytes;
  put_copy(pending->pinned, from, bytes);
  check(cudaEventRecord(pending->here, stream()), "event");
  return pending.release();
}

void finish_download(Download* pending, void* to) {
  const std::unique_ptr<Download, decltype(&drop_download)> owner(pending, &drop_download);
  wait_for(pending->here);
  std::memcpy(to, pending->pinned, static_cast<size_t>(pending->bytes));
}

// What is still on its way comes before whatever its next owner puts into the same stream.
void drop_download(Download* pending) noexcept {
  downloads().give(pending);
}

// One for each thread and device; it grows to the largest that any kernel asks for. What runs in
// the stream may still use the old one, but cudaFree waits for that.
void* scratch_bytes(int64_t bytes) {
  thread_local std::map<int, Scratch> of_device;
  const int device = current_device();
  Scratch& scratch = of_device[device];
  if (bytes > scratch.bytes) {
    scratch = {};
    scratch.memory.reset(allocate_for_scratch(bytes, device));
    scratch.bytes = bytes;
  }
  return scratch.memory.get();
}

void check_launch(const char* launch) {
  const cudaError_t status =
      cudaGetLastError();  // and forgets it: a refused launch can be met otherwise
  if (status != cudaSuccess)
    check(status, "launch of " + std::string(emulator::kernel_name(launch)));
}

}  // namespace heed::cuda
