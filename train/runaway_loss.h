#pragma once

#include <cstdio>
#include <string>

namespace heed {

// Detects a diverging loss long before it is infinite: a uniform guess costs `start` nats per
// token, and training starts there.
class RunawayLoss {
 public:
  explicit RunawayLoss(double start) : start_(start) {}

  // Returns true once: when the mean over the last steps is far above the start.
  bool update(double nll) {
    mean_ += (nll - mean_) / kSteps;
    const bool seen = start_ > 0 && mean_ > kFar * start_ && !said_;
    said_ = said_ || seen;
    return seen;
  }
  std::string warning(const std::string& place, double rate) const {
    char text[300];
    std::snprintf(text, sizeof text,
                  "training: %s: the loss runs away: %.3g nats a token where a uniform guess costs "
                  "%.3g; the learning rate %g seems too large. Stop with Ctrl-C and try a smaller "
                  "--rate",
                  place.c_str(), mean_, start_, rate);
    return text;
  }

 private:
  static constexpr double kSteps = 8, kFar = 1.5;
  double start_;
  double mean_ = start_;  // exponential, over about kSteps steps
  bool said_ = false;
};

}  // namespace heed
