// The part of the CUDA runtime that heed uses, with one stream a device for all threads. runtime.cc
// is the real one, runtime_emulated.cc the one of the emulation. Free of CUDA headers: everybody
// may include it. All functions throw DeviceError for what the runtime reports, unless they say
// otherwise.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

struct CUstream_st;

namespace heed::cuda {

// Throws DeviceError, saying why, unless cuda:index is there.
void check_device(int index);
std::string device_name(int index);
int64_t device_memory(int index);  // all of it, in bytes

// What kernels that stay on the current device for long may count on.
struct Limits {
  int64_t multiprocessors = 0;
  int64_t shared_bytes = 0;  // shared memory of a block that asks for more than the usual 48 KiB
  bool cooperative = false;  // launches that keep all blocks resident
};
Limits limits();

// Makes cuda:index the device that this thread's next calls mean.
void set_device(int index);

// Memory of the current device. Null where there is no more.
std::byte* allocate(int64_t bytes);
void free(std::byte* memory) noexcept;

// The stream of the current device, a cudaStream_t: its own, which nothing but heed uses. What is
// in it runs in order, so memory that was let go may be used again by whatever is put in next.
CUstream_st* stream();

// What is put into the stream, after everything that is in it already.
void copy(void* to, const void* from, int64_t bytes);  // from device memory to device memory
void zero(void* to, int64_t bytes);
// From the host, whose memory is free again on return: it was copied to pinned memory, from where
// the device takes it. Waits for the device only if more than kStaged bytes are on their way.
void upload(void* to, const void* from, int64_t bytes);
constexpr int64_t kStaged = int64_t{4} << 20;
// To the host, there on return: waits for everything in the stream.
void download(void* to, const void* from, int64_t bytes);
void synchronize();  // the same without a copy

// A download in two halves. begin() puts it into the stream; finish(), once, waits until it has
// come, and for nothing behind it. At most kLateBytes.
struct Late;
constexpr int64_t kLateBytes = 256;
Late* begin_download(const void* from, int64_t bytes);
void finish_download(Late* late, void* to);
void drop_download(Late* late) noexcept;  // in place of finish_download()

// What was asked of all devices since the program began. A launch is a kernel, a call of cuBLAS or
// a zero(); a wait is a call that returns when the device has done something.
struct Counts {
  int64_t launches = 0, host_waits = 0, copies = 0, copied_bytes = 0;
};
Counts counts();
void count_launch();
void count_wait();
void count_copy(int64_t bytes);

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
}  // namespace heed::cuda
