#pragma once

#include <string>

namespace heed {

// One line about long work on standard error: rewritten in place on a terminal, a plain line now
// and then where it is a file or a pipe.
class Progress {
 public:
  Progress();
  ~Progress() { done(); }
  void show(const std::string& line);
  void done();  // clears the line, so that ordinary output can follow

 private:
  bool terminal_;
  bool open_ = false;
  double shown_ = 0;
};

std::string format_seconds(double seconds);    // "45s", "3m05s", "2h10m"
std::string format_rate(double tokens_per_s);  // "850", "12.3k"

}  // namespace heed
