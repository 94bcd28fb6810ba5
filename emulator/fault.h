#pragma once

#include <stdexcept>

namespace emulator {

// A mistake in a kernel or in how it is launched, or in how the emulation is used. The message
// begins with "kernel NAME, block I of N, thread (X, Y, Z): ".
struct Fault : std::logic_error {
  using std::logic_error::logic_error;
};

}  // namespace emulator
