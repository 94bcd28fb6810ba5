#include "optim/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "base/error.h"

namespace heed {
namespace {

void check_steps(const char* name, int64_t step, int64_t steps, int64_t least) {
  if (step >= 0 && steps >= least) return;
  throw UsageError(std::string(name) + ": step " + std::to_string(step) + " of " +
                   std::to_string(steps) + "; expected step >= 0 and at least " +
                   std::to_string(least) + " steps");
}

void check_factor(const char* name, double factor) {
  if (factor >= 0 && std::isfinite(factor)) return;
  throw UsageError(text(name, ": needs a finite factor >= 0, got ", factor));
}

}  // namespace

double linear_warm_up(int64_t step, int64_t steps) {
  check_steps("linear_warm_up", step, steps, 0);
  return std::min(
      1.0, (static_cast<double>(step) + 1) / static_cast<double>(std::max<int64_t>(steps, 1)));
}

double cosine_decay(int64_t step, int64_t steps, double floor) {
  check_steps("cosine_decay", step, steps, 1);
  check_factor("cosine_decay", floor);
  const double t = std::min(1.0, static_cast<double>(step) / static_cast<double>(steps));
  return floor + (1 - floor) * (1 + std::cos(std::numbers::pi * t)) / 2;
}

double step_decay(int64_t step, int64_t every, double factor) {
  check_steps("step_decay", step, every, 1);
  check_factor("step_decay", factor);
  const int64_t times = step / every;  // rounded down
  return std::pow(factor, static_cast<double>(times));
}

double inverse_sqrt_decay(int64_t step, int64_t warm_up) {
  check_steps("inverse_sqrt_decay", step, warm_up, 1);
  const double t = static_cast<double>(step) + 1, w = static_cast<double>(warm_up);
  return std::min(t / w, std::sqrt(w / t));
}

HalvingSchedule::HalvingSchedule(Options options) : options_(options) {
  if (!(options.rate > 0) || !(options.min_rate >= 0) || !(options.min_improvement >= 0) ||
      options.patience < 0 || options.max_halvings < 0 || options.halve_after < 0 ||
      options.stop_after < 0) {
    throw UsageError(
        "HalvingSchedule: needs rate > 0, min_rate >= 0, min_improvement >= 0, patience >= 0, "
        "max_halvings >= 0, halve_after >= 0 and stop_after >= 0");
  }
  state.rate = options.rate;
}

bool HalvingSchedule::update(double value, bool higher_is_better) {
  ++state.epoch;
  // NaN is never an improvement.
  const auto beats_best_by = [&](double margin) {
    if (!state.best) return !std::isnan(value);
    if (std::isinf(*state.best)) margin = 0;  // a share of it would be NaN or infinite
    return higher_is_better ? value > *state.best + margin : value < *state.best - margin;
  };
  const bool improved = beats_best_by(options_.min_improvement * std::abs(state.best.value_or(0)));
  const bool best = beats_best_by(0);
  if (best) state.best = value;
  state.bad_epochs = improved ? 0 : state.bad_epochs + 1;
  state.since_best = best ? 0 : state.since_best + 1;
  const bool by_epoch = options_.halve_after > 0 && state.epoch >= options_.halve_after;
  const bool by_value = options_.patience > 0 && state.bad_epochs >= options_.patience;
  if (by_value || by_epoch) {
    state.bad_epochs = 0;
    if (state.halvings >= options_.max_halvings || state.rate / 2 < options_.min_rate) {
      state.finished = true;
    } else {
      state.rate /= 2;
      ++state.halvings;
    }
  }
  if (options_.stop_after > 0 && state.since_best >= options_.stop_after) state.finished = true;
  return best;
}

}  // namespace heed
