// The part of the CUDA runtime that heed uses, for one stream a device. runtime.cc is the real one,
// runtime_emulated.cc the one of the emulation. Free of CUDA headers: everybody may include it.
// All functions throw DeviceError for what the runtime reports, unless they say otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace heed::cuda {

// Throws DeviceError, saying why, unless cuda:index is there.
void check_device(int index);
std::string device_name(int index);
int64_t device_memory(int index);  // all of it, in bytes

// Makes cuda:index the device that this thread's next calls mean.
void set_device(int index);

// Memory of the current device. Null where there is no more.
std::byte* allocate(int64_t bytes);
void free(std::byte* memory) noexcept;

// Between any two places, in the order of the stream; done on return if either is on the host.
void copy(void* to, const void* from, int64_t bytes);
void zero(void* to, int64_t bytes);
void synchronize();  // waits for everything in the stream

// Memory for the partial results of one kernel function: valid until this thread's next call of
// scratch(). Where there is none, what when_exhausted() was told is asked to give some back.
void* scratch_bytes(int64_t bytes);
template <class T> T* scratch(int64_t n) {
  return static_cast<T*>(scratch_bytes(n * static_cast<int64_t>(sizeof(T))));
}

void when_exhausted(void (*release)(int device));
std::byte* allocate_for_scratch(int64_t bytes, int device);  // throws where there is no memory

// Throws the DeviceError of an error that the runtime has reported, maybe left by an earlier
// kernel.
[[noreturn]] void fail(const std::string& doing, const std::string& why);

// For launch(): `launch` is its __PRETTY_FUNCTION__, which names the kernel.
void check_grid(int64_t blocks, const char* launch);
void check_launch(const char* launch);
// "heed::gpu::fill<float>" out of "... [with auto kernel = heed::gpu::fill<float>; ...]"
std::string kernel_name(const char* launch);

}  // namespace heed::cuda
