// Tests that need something of another thread or process wait for it: a busy machine has its own
// time.
#pragma once

#include <chrono>
#include <thread>

namespace heed {

// Whether the condition holds, within a minute.
template <class Condition> bool wait_until(Condition condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return condition();
}

}  // namespace heed
