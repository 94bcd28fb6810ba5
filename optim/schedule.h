// Learning rates: factors that depend on the step, and a schedule that depends on the validation
// after each epoch.
//
//   optimizer.rate = 3e-3 * linear_warm_up(step, 500) * cosine_decay(step, 10'000);
#pragma once

#include <cstdint>
#include <optional>

namespace heed {

// Factors of the highest rate, for step = 0, 1, ... They throw UsageError for negative steps, for
// invalid numbers of steps, and for a floor or factor that is negative or not finite.
//
// min(1, (step + 1) / steps): grows during the first `steps` steps; 1 if steps is 0
[[nodiscard]] double linear_warm_up(int64_t step, int64_t steps);
// floor + (1 - floor) (1 + cos(pi t)) / 2,  t = min(1, step / steps)      Loshchilov & Hutter 2017
[[nodiscard]] double cosine_decay(int64_t step, int64_t steps, double floor = 0);
// factor^floor(step / every)
[[nodiscard]] double step_decay(int64_t step, int64_t every, double factor);
// min((step + 1) / warm_up, sqrt(warm_up / (step + 1))), which is 1 after the warm-up: the schedule
// of Vaswani et al. 2017, section 5.3, as a fraction of its highest rate
[[nodiscard]] double inverse_sqrt_decay(int64_t step, int64_t warm_up);

// Halves the learning rate when the validation's value stops getting better, and says when to stop.
// If lower is better, as for perplexity (for accuracy it is the other way round):
//   an epoch improves if  value < best - min_improvement |best|, or < best if that is infinite
//   after `patience` epochs in a row without improvement: rate /= 2; patience 0: never
//   stop when the rate would fall below min_rate, or after max_halvings
//   stop, with stop_after > 0, after stop_after epochs in a row without a new best one
// With halve_after > 0 the rate is also halved after that epoch and after every later one, whatever
// the value: epoch halve_after + 1 is the first with half the rate (Luong et al. 2015).
class HalvingSchedule {
 public:
  struct Options {
    double rate = 1.0, min_rate = 1e-3, min_improvement = 0.0;
    int patience = 1, max_halvings = 10, halve_after = 0, stop_after = 0;
  };
  // All that changes. It is saved with a run and restored on resume.
  struct State {
    double rate = 1.0;
    std::optional<double> best = {};
    int epoch = 0, bad_epochs = 0, halvings = 0, since_best = 0;
    bool finished = false;
  };
  explicit HalvingSchedule(Options options);
  // Call it after each epoch. Returns true if this is the best value so far; NaN never is.
  bool update(double value, bool higher_is_better = false);
  double rate() const { return state.rate; }
  bool finished() const { return state.finished; }

  State state;

 private:
  Options options_;
};

}  // namespace heed
