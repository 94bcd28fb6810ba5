#include "train/settings.h"

#include <bit>

#include "base/error.h"
#include "base/list.h"
#include "optim/optim.h"
#include "train/setting_rules.h"

namespace heed {

namespace {

template <class T> std::unique_ptr<Optimizer> make_of(Module& module, const OptimizerSettings& s) {
  return std::make_unique<T>(
      module, typename T::Options{.weight_decay = s.weight_decay, .groups = s.groups});
}

// All that a training can step with: name, usual rate, how it is made.
struct OptimizerKind {
  const char* name;
  double rate;
  std::unique_ptr<Optimizer> (*make)(Module&, const OptimizerSettings&);
};
constexpr OptimizerKind kKinds[] = {
    {"sgd", 1.0, make_of<Sgd>}, {"adam", 0.003, make_of<Adam>}, {"adagrad", 0.1, make_of<Adagrad>}};

const OptimizerKind& find_kind(const std::string& name) {
  for (const OptimizerKind& kind : kKinds) {
    if (kind.name == name) return kind;
  }
  throw UsageError("optimizer: expected one of " + joined(optimizer_names()) + ", got '" + name +
                   "'");
}

}  // namespace

std::vector<std::string> optimizer_names() {
  std::vector<std::string> names;
  for (const OptimizerKind& kind : kKinds) names.emplace_back(kind.name);
  return names;
}

double default_rate(const std::string& optimizer) {
  return find_kind(optimizer).rate;
}

void OptimizerSettings::check() const {
  LoopSettings loop;  // whose lines are those of the optimiser, too
  loop.optimizer = *this;
  check_values("", loop, [](auto& s, auto& v) { visit_settings(s, v); });
  if (rate_decay == "inverse-sqrt" && warm_up == 0) {
    throw UsageError("rate_decay: inverse-sqrt needs a warm-up of 1 step or more");
  }
}

double OptimizerSettings::rate_factor(int64_t step) const {
  return rate_decay == "inverse-sqrt" ? inverse_sqrt_decay(step, warm_up)
                                      : linear_warm_up(step, warm_up);
}

std::unique_ptr<Optimizer> make_optimizer(Module& module, const OptimizerSettings& settings) {
  settings.check();
  return find_kind(settings.name).make(module, settings);
}

void LoopSettings::check() const {
  check_values("", *this, [](auto& s, auto& v) { visit_settings(s, v); });
  optimizer.check();
  if (!std::has_single_bit(static_cast<unsigned>(pieces))) {
    throw UsageError("pieces: expected a power of two, 1 to 1024, got " + std::to_string(pieces));
  }
  HalvingSchedule{schedule};
  if (schedule.halve_after > 0 && schedule.max_halvings == 0) {
    throw UsageError("halve_after: this training ends where it would halve its rate");
  }
  const bool halves = schedule.patience > 0 || schedule.halve_after > 0;
  if (halves && schedule.min_rate > schedule.rate) {
    throw UsageError(
        "min_rate: is above the rate, so that training would end instead of halving it");
  }
}

}  // namespace heed
