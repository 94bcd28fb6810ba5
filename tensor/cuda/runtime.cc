#include "tensor/cuda/runtime.h"

#include <cuda_runtime_api.h>

#include <map>
#include <memory>

#include "tensor/error.h"

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

void copy(void* to, const void* from, int64_t bytes) {
  check(cudaMemcpy(to, from, static_cast<size_t>(bytes), cudaMemcpyDefault), "copy");
}

void zero(void* to, int64_t bytes) {
  check(cudaMemsetAsync(to, 0, static_cast<size_t>(bytes)), "memset");
}

void synchronize() {
  check(cudaDeviceSynchronize(), "synchronize");
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
  const cudaError_t status = cudaPeekAtLastError();
  if (status != cudaSuccess) check(status, "launch of " + kernel_name(launch));
}

}  // namespace heed::cuda
