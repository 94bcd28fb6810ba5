// The part of the CUDA runtime that a small program uses, for one device whose memory is that of
// the host. A kernel has ended when launch() returns, so there is nothing to wait for. Its mistakes
// are thrown as a Fault, rather than returned by the next call.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/memory.h"

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2 };
enum cudaMemcpyKind {
  cudaMemcpyHostToHost,
  cudaMemcpyHostToDevice,
  cudaMemcpyDeviceToHost,
  cudaMemcpyDeviceToDevice,
  cudaMemcpyDefault
};

template <class T> cudaError_t cudaMalloc(T** at, size_t bytes) {
  *at = reinterpret_cast<T*>(emulator::allocate(static_cast<int64_t>(bytes)));
  return *at ? cudaSuccess : cudaErrorMemoryAllocation;
}
template <class T> cudaError_t cudaFree(T* at) {
  emulator::free(reinterpret_cast<std::byte*>(at));
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  emulator::copy(to, from, static_cast<int64_t>(bytes));
  return cudaSuccess;
}
inline cudaError_t cudaMemset(void* at, int byte, size_t bytes) {
  emulator::fill(at, byte, static_cast<int64_t>(bytes));
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() {
  return cudaSuccess;
}
inline cudaError_t cudaGetLastError() {
  return cudaSuccess;
}
inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "out of memory";
}
