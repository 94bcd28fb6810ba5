#pragma once

#include <chrono>

namespace heed {

// Seconds of a clock that nobody sets. Only differences have a meaning.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace heed
