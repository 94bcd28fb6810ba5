// For tests of what the emulation finds.
#pragma once

#include <string>

#include "emulator/fault.h"

namespace emulator {

// The message of the Fault that run() throws; empty if it throws none.
template <class F> std::string fault_of(F run) {
  try {
    run();
  } catch (const Fault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace emulator
