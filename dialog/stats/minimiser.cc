#include "dialog/stats/minimiser.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace heed {
namespace {

constexpr double kFall = 1e-4, kFlat = 0.9;  // c1 and c2 of the Wolfe conditions
constexpr double kRounding = 1e-10;          // relative differences of values that say nothing
constexpr int kMaxEvaluations = 50;          // of one line search
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double dot(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

double largest(const std::vector<double>& a) {
  double most = 0;
  for (const double x : a) most = std::max(most, std::fabs(x));
  return most;
}

// a += factor b
void add_scaled(std::vector<double>& a, double factor, const std::vector<double>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

}  // namespace

Minimiser::Minimiser(std::vector<double> start, Guess guess, const Options& options)
    : options_(options),
      guess_(std::move(guess)),
      x_(start),
      g_(start.size()),
      d_(start.size()),
      trial_(std::move(start)) {}

void Minimiser::tell(double value, const double* gradient) {
  if (!begun_) {
    begun_ = true;
    accept(value, gradient);
    return;
  }
  double slope = 0;
  for (size_t i = 0; i < d_.size(); ++i) slope += gradient[i] * d_[i];
  if (falls_enough(value, slope) && slope >= kFlat * slope_) {
    Pair pair{std::vector<double>(x_.size()), std::vector<double>(x_.size()), 0};
    for (size_t i = 0; i < x_.size(); ++i) {
      pair.s[i] = trial_[i] - x_[i];
      pair.y[i] = gradient[i] - g_[i];
    }
    pair.sy = dot(pair.s, pair.y);
    if (pair.sy > 0) pairs_.push_back(std::move(pair));
    if (pairs_.size() > static_cast<size_t>(options_.history)) pairs_.pop_front();
    ++iterations_;
    accept(value, gradient);
  } else if (++evaluations_ == kMaxEvaluations) {
    stop(false);
  } else {
    narrow(value, slope);
  }
}

void Minimiser::accept(double value, const double* gradient) {
  x_ = trial_;
  value_ = value;
  g_.assign(gradient, gradient + g_.size());
  if (largest(g_) <= options_.tolerance) return stop(true);
  if (iterations_ == options_.max_iterations) return stop(false);
  choose_direction();
  evaluations_ = 0;
  low_ = 0;
  low_slope_ = slope_;
  high_ = kInfinity;
  try_step(1);
}

void Minimiser::choose_direction() {
  for (size_t i = 0; i < d_.size(); ++i) d_[i] = -g_[i];
  std::vector<double> alpha(pairs_.size());
  for (size_t k = pairs_.size(); k-- > 0;) {
    alpha[k] = dot(pairs_[k].s, d_) / pairs_[k].sy;
    add_scaled(d_, -alpha[k], pairs_[k].y);
  }
  guess_(d_);
  if (!pairs_.empty()) {
    std::vector<double> by = pairs_.back().y;
    guess_(by);
    const double scale = pairs_.back().sy / dot(pairs_.back().y, by);
    for (double& v : d_) v *= scale;
  }
  for (size_t k = 0; k < pairs_.size(); ++k) {
    add_scaled(d_, alpha[k] - dot(pairs_[k].y, d_) / pairs_[k].sy, pairs_[k].s);
  }
  slope_ = dot(g_, d_);
  if (slope_ < 0) return;
  pairs_.clear();  // rounding made nonsense of them
  for (size_t i = 0; i < d_.size(); ++i) d_[i] = -g_[i];
  guess_(d_);
  slope_ = dot(g_, d_);
}

bool Minimiser::falls_enough(double value, double slope) const {
  if (value <= value_ + kFall * step_ * slope_) return true;
  return std::fabs(value - value_) <= kRounding * std::fabs(value_) &&
         slope <= (2 * kFall - 1) * slope_;
}

// The step was too long, or too short: the next one lies where the slope would be 0 if it were
// linear, well within the bracket.
void Minimiser::narrow(double value, double slope) {
  if (!falls_enough(value, slope)) {
    high_ = step_;
    high_slope_ = slope;
  } else {
    low_ = step_;
    low_slope_ = slope;
  }
  if (high_ == kInfinity) return try_step(4 * step_);
  const double width = high_ - low_, rise = high_slope_ - low_slope_;
  const double secant = rise > 0 ? low_ - low_slope_ * width / rise : low_ + width / 2;
  const double inside = std::isfinite(secant)
                            ? std::clamp(secant, low_ + 0.1 * width, high_ - 0.1 * width)
                            : low_ + width / 2;
  try_step(inside);
}

void Minimiser::try_step(double step) {
  step_ = step;
  for (size_t i = 0; i < trial_.size(); ++i) trial_[i] = x_[i] + step * d_[i];
}

void Minimiser::stop(bool converged) {
  trial_ = x_;
  done_ = true;
  converged_ = converged;
}

}  // namespace heed
