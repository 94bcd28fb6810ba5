#include "heed/signals.h"

#include <csignal>

namespace heed {

static std::atomic<bool> stop_requested{false};

extern "C" void heed_request_stop(int) {
  stop_requested = true;
}

const std::atomic<bool>& stop_on_signals() {
  std::signal(SIGINT, heed_request_stop);
  std::signal(SIGTERM, heed_request_stop);
  return stop_requested;
}

}  // namespace heed
