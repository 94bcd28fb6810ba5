#include "heed/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace heed {

static double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Of the terminal; a longer line could not be rewritten in place.
static size_t columns() {
  winsize size = {};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

Progress::Progress() : terminal_(isatty(STDERR_FILENO) != 0) {}

void Progress::show(const std::string& line) {
  const double interval = terminal_ ? 0.1 : 15;
  if (now() - shown_ < interval) return;
  if (!terminal_ && shown_ == 0) {  // a plain log begins after a first interval
    shown_ = now();
    return;
  }
  shown_ = now();
  if (terminal_) {
    std::fprintf(stderr, "\r\033[K%s", line.substr(0, columns() - 1).c_str());
  } else {
    std::fprintf(stderr, "%s\n", line.c_str());
  }
  std::fflush(stderr);
  open_ = terminal_;
}

void Progress::done() {
  if (open_) std::fprintf(stderr, "\r\033[K");
  open_ = false;
}

std::string format_seconds(double seconds) {
  const long s = std::lround(seconds);
  char text[32];
  if (s < 60) {
    std::snprintf(text, sizeof text, "%lds", s);
  } else if (s < 3600) {
    std::snprintf(text, sizeof text, "%ldm%02lds", s / 60, s % 60);
  } else {
    std::snprintf(text, sizeof text, "%ldh%02ldm", s / 3600, s / 60 % 60);
  }
  return text;
}

std::string format_rate(double tokens_per_s) {
  char text[32];
  if (tokens_per_s < 1000) {
    std::snprintf(text, sizeof text, "%.0f", tokens_per_s);
  } else {
    std::snprintf(text, sizeof text, "%.1fk", tokens_per_s / 1000);
  }
  return text;
}

}  // namespace heed
