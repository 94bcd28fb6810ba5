#include "heed/signals.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "base/file.h"

namespace heed {
namespace {

constexpr int64_t kGrace = 1'000'000'000;  // ns

std::atomic<bool> stop_requested{false};
std::atomic<int> first_signal{0};
std::atomic<int64_t> first_time{0};
bool on_terminal = false;
static_assert(std::atomic<int64_t>::is_always_lock_free, "a signal handler must not wait");

void raise_default(int signal) {
  remove_half_written_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);  // one at a time: the first one is the one that counts
  for (const int signal : kSignals) sigaddset(&action.sa_mask, signal);
  for (const int signal : kSignals) {
    struct sigaction before = {};
    sigaction(signal, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

// On a terminal behind "^C" or a line of progress, which the new line ends.
void say(const char* text) {
  const char* const rest = on_terminal ? text : text + 1;
  [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, rest, std::strlen(rest));
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

extern "C" void heed_leave_nothing(int signal) {
  say(signal == SIGINT    ? "\nheed: stopped by Ctrl-C (SIGINT) before the end\n"
      : signal == SIGTERM ? "\nheed: stopped by SIGTERM before the end\n"
                          : "\nheed: stopped by SIGHUP before the end\n");
  raise_default(signal);
}

void leave_nothing_on_signals() {
  on_terminal = ::isatty(STDERR_FILENO) != 0;
  handle(heed_leave_nothing);
}

const std::atomic<bool>& stop_on_signals() {
  handle(heed_request_stop);
  return stop_requested;
}

void end_by_signal() {
  if (first_signal == 0) return;
  std::fflush(nullptr);
  raise_default(first_signal);
}

}  // namespace heed
