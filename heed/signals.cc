#include "heed/signals.h"

#include <csignal>

namespace heed {

static std::atomic<bool> stop_requested{false};

extern "C" void heed_request_stop(int signal) {
  stop_requested = true;
  if (signal == SIGINT) std::signal(SIGINT, SIG_DFL);
}

const std::atomic<bool>& stop_on_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (std::signal(signal, heed_request_stop) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
  return stop_requested;
}

}  // namespace heed
