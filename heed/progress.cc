#include "heed/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/clock.h"
#include "dialog/parts/batch.h"
#include "dialog/text/terminal.h"

namespace heed {

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
    // a longer line could not be rewritten in place
    const int width = terminal_columns(stderr).value_or(80) - 1;
    std::fprintf(stderr, "\r\033[K%s", cut(printable(line), width).c_str());
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

PassProgress::PassProgress(size_t passes, const std::vector<Example>& examples,
                           const std::string& unit)
    : passes_(static_cast<double>(passes)), size_(examples.size()), unit_(unit), begin_(now()) {
  for (const Example& e : examples) pass_tokens_ += static_cast<double>(example_tokens(e));
}

void PassProgress::show(const std::string& pass, int64_t examples, int64_t tokens) {
  if (examples <= examples_) {
    passed_ += 1;
    tokens_before_ += static_cast<double>(tokens_);
  }
  examples_ = examples;
  tokens_ = tokens;
  const double seconds = std::max(now() - begin_, 1e-9), all = tokens_before_ + tokens_;
  const double part = (passed_ + std::min(1.0, tokens_ / pass_tokens_)) / passes_;
  progress_.show((pass.empty() ? "" : pass + ": ") + std::to_string(examples) + " of " +
                 std::to_string(size_) + " " + unit_ + "  " + format_rate(all / seconds) +
                 " tokens/s  " + format_seconds(seconds * (1 - part) / part) + " left");
}

std::string training_line(const TrainProgress& p, const std::string& numbers) {
  char begin[80];
  std::snprintf(begin, sizeof begin, "epoch %d/%d  step %ld/%ld  loss %.3f  ", p.epoch,
                p.max_epochs, static_cast<long>(p.step), static_cast<long>(p.steps), p.loss);
  return begin + numbers + "  " + format_rate(p.tokens_per_s) + " tokens/s  " +
         format_seconds(p.seconds_left) + " left in epoch";
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
