// The part of the CUDA runtime that heed uses, with one stream per device for all threads.
// runtime.cc calls CUDA, runtime_emulated.cc the emulator. It includes no CUDA headers, so any file
// may include it. All functions throw DeviceError for errors of the runtime, unless they say
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct CUstream_st;

namespace heed::cuda {

// Throws DeviceError with the reason unless cuda:index exists.
void check_device(int index);
std::string device_name(int index);
int64_t device_memory(int index);  // all of it, in bytes

// Makes cuda:index the current device of this thread.
void set_device(int index);

// Memory of the current device. Null if there is none left.
std::byte* allocate(int64_t bytes);
void free(std::byte* memory) noexcept;

// The stream of the current device, a cudaStream_t that only heed uses. Its work runs in order, so
// freed memory can be reused by the work that is queued next.
CUstream_st* stream();

// These queue work after the work that the stream already has.
void copy(void* to, const void* from, int64_t bytes);  // from device memory to device memory
// From the host. The bytes are first copied to pinned memory, so the caller may reuse its memory on
// return. Waits for the device only if more than kStaged bytes are still in flight.
void upload(void* to, const void* from, int64_t bytes);
constexpr int64_t kStaged = int64_t{4} << 20;
// To the host. Waits for all work in the stream.
void download(void* to, const void* from, int64_t bytes);
void synchronize();  // the same without a copy

// An asynchronous download of at most kDownloadBytes. begin_download() queues it;
// finish_download(), called once, waits for it, but for no work that was queued after it.
struct Download;
constexpr int64_t kDownloadBytes = 256;
Download* begin_download(const void* from, int64_t bytes);
void finish_download(Download* pending, void* to);
void drop_download(Download* pending) noexcept;  // in place of finish_download()

// Counts of all devices since the start of the program. A launch is a kernel or a call of cuBLAS;
// a wait is a call that blocks until the device has finished something.
struct Counts {
  int64_t launches = 0, host_waits = 0, copies = 0, copied_bytes = 0;
};
Counts counts();
void count_launch();
void count_wait();
void count_copy(int64_t bytes);

// Memory for the partial results of one kernel function, valid until this thread's next call of
// scratch(). If memory is exhausted, the function given to when_exhausted() is called to release
// some.
void* scratch_bytes(int64_t bytes);
template <class T> T* scratch(int64_t n) {
  return static_cast<T*>(scratch_bytes(n * static_cast<int64_t>(sizeof(T))));
}

void when_exhausted(void (*release)(int device));
std::byte* allocate_for_scratch(int64_t bytes, int device);  // throws if there is no memory

// Throws DeviceError for an error that the runtime has reported, possibly of an earlier kernel.
[[noreturn]] void fail(const std::string& doing, const std::string& why);

// For launch(): `launch` is its __PRETTY_FUNCTION__, which names the kernel.
void check_grid(int64_t blocks, const char* launch);
void check_launch(const char* launch);
}  // namespace heed::cuda
