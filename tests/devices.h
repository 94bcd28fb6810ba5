// The devices that a test should run on: the CPU, and cuda:0 where there is a GPU or its emulation.
//   for (Device device : test_devices()) { SCOPED_TRACE(device.str()); ... }
#pragma once

#include <cstdlib>
#include <vector>

#include "tensor/cuda/runtime.h"
#include "tensor/tensor.h"

namespace heed {

const Device kCuda{Device::Kind::cuda, 0};
constexpr const char* kNoCuda = "no GPU, and not built with HEED_CUDA=emulate";

inline bool has_cuda() {
  static const bool found = [] {
    try {
      cuda::check_device(0);
      return true;
    } catch (const DeviceError&) {
      return false;
    }
  }();
  return found;
}

inline std::vector<Device> test_devices() {
  std::vector<Device> devices{Device{}};
  if (has_cuda()) devices.push_back(kCuda);
  return devices;
}

}  // namespace heed
