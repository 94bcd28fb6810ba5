#include "train/settings.h"

#include <bit>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "optim/optim.h"
#include "train/pieces.h"

namespace heed {

void check_rule(bool ok, const char* what, double got) {
  if (ok) return;
  std::ostringstream text;
  text << what << ", got " << got;
  throw UsageError(text.str());
}

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
  std::string known;
  for (const std::string& one : optimizer_names()) known += (known.empty() ? "" : ", ") + one;
  throw UsageError("optimizer: expected one of " + known + ", got '" + name + "'");
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
  find_kind(name);
  if (!(weight_decay >= 0) || std::isinf(weight_decay)) {
    throw UsageError("weight_decay: expected 0 or more, got " + std::to_string(weight_decay));
  }
  if (warm_up < 0) throw UsageError("warm_up: expected 0 steps or more");
  if (rate_decay != "none" && rate_decay != "inverse-sqrt") {
    throw UsageError("rate_decay: expected none or inverse-sqrt, got '" + rate_decay + "'");
  }
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
  optimizer.check();
  check_rule(batch_size >= 1, "batch: expected at least 1", static_cast<double>(batch_size));
  check_rule(max_norm > 0, "max_norm: expected a positive number", max_norm);
  check_rule(max_epochs >= 1, "epochs: expected at least 1", max_epochs);
  check_rule(keep_every >= 0, "keep_every: expected 0 epochs or more", keep_every);
  check_rule(log_steps >= 0, "log_steps: expected 0 steps or more", log_steps);
  check_rule(pieces >= 1 && pieces <= kMostPieces && std::has_single_bit(unsigned(pieces)),
             "pieces: expected a power of two, 1 to 1024", pieces);
  HalvingSchedule{schedule};
}

}  // namespace heed
