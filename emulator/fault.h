#pragma once

#include <stdexcept>

namespace emulator {

// A mistake in a kernel, in its launch, or in the use of the emulation. The message begins with
// "kernel NAME, block I of N, thread (X, Y, Z): ".
struct Fault : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace emulator
