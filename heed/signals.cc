#include "heed/signals.h"

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <ctime>

namespace heed {
namespace {

constexpr int64_t kGrace = 1'000'000'000;  // ns

std::atomic<bool> stop_requested{false};
std::atomic<int> first_signal{0};
std::atomic<int64_t> first_time{0};
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler must not wait");

void raise_default(int signal) {
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

extern "C" void heed_request_stop(int signal) {
  timespec t = {};
  clock_gettime(CLOCK_MONOTONIC, &t);
  const int64_t now = int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
  int64_t before = 0;
  if (first_time.compare_exchange_strong(before, now)) {
    first_signal = signal;
    stop_requested = true;
  } else if (now - before > kGrace) {
    raise_default(signal);  // delivered when the handler returns
  }
}

const std::atomic<bool>& stop_on_signals() {
  constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {};
  action.sa_handler = heed_request_stop;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);  // one at a time: the first one is the one that counts
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (const int signal : kSignals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
  return stop_requested;
}

void end_by_signal() {
  if (first_signal == 0) return;
  std::fflush(nullptr);
  raise_default(first_signal);
}

}  // namespace heed
