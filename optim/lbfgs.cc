#include <algorithm>
#include <cmath>

#include "autograd/ops.h"
#include "optim/optim.h"

namespace heed {
namespace {

// a . b over all parameters
double dot(const std::vector<Var>& a, const std::vector<Var>& b) {
  double total = 0;
  for (size_t i = 0; i < a.size(); ++i) total += sum(a[i] * b[i]).value().item();
  return total;
}

// a += factor b
void add_scaled(std::vector<Var>& a, double factor, const std::vector<Var>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] + factor * b[i];
}

// sum |a_i|
double sum_abs(const std::vector<Var>& a) {
  double total = 0;
  for (const Var& x : a) total += sum(abs(x)).value().item();
  return total;
}

}  // namespace

Lbfgs::Lbfgs(Module& module, const Options& options)
    : Optimizer(module, options.rate, /*weight_decay=*/0, options.groups),
      options_(options),
      last_step_(remember("last_step")),
      last_g_(remember("last_g")),
      steps_(*remember_numbers("steps")),
      pairs_(*remember_numbers("pairs")) {
  if (!(options.rate >= 0) || options.history < 1) {
    throw UsageError("Lbfgs: needs rate >= 0 and a history of at least 1");
  }
  for (int k = 0; k < options.history; ++k) {
    s_.push_back(&remember("s" + std::to_string(k)));
    y_.push_back(&remember("y" + std::to_string(k)));
  }
}

void Lbfgs::update(const std::vector<Update>& all) {
  std::vector<Var> g;
  for (const Update& u : all) g.push_back(u.g());
  if (steps_ > 0) remember_pair(all, g);
  const std::vector<Var> d = direction(all, g);
  const double shorter = steps_ == 0 ? std::min(1.0, 1 / sum_abs(g)) : 1;
  for (size_t i = 0; i < all.size(); ++i) {
    const Update& u = all[i];
    const Var step = u.rate * shorter * d[i];
    last_step_[u.index].copy_from(step.value());
    last_g_[u.index].copy_from(g[i].value());
    u.p().copy_from((u.p() + step).value());
  }
  ++steps_;
}

// The step before and what it did to the gradient, unless the curvature along it is not positive.
void Lbfgs::remember_pair(const std::vector<Update>& all, const std::vector<Var>& g) {
  std::vector<Var> s, y;
  for (size_t i = 0; i < all.size(); ++i) {
    s.push_back(last_step_[all[i].index]);
    y.push_back(g[i] - last_g_[all[i].index]);
  }
  if (!(dot(s, y) > 1e-10)) return;
  const size_t place = pairs_++ % s_.size();
  for (size_t i = 0; i < all.size(); ++i) {
    (*s_[place])[all[i].index].copy_from(s[i].value());
    (*y_[place])[all[i].index].copy_from(y[i].value());
  }
}

// d = -H g by the two loops over the pairs, newest first and oldest first. Before them
// H = (s . y) / (y . y) of the newest pair.
std::vector<Var> Lbfgs::direction(const std::vector<Update>& all, const std::vector<Var>& g) const {
  const auto used = std::min<int32_t>(pairs_, options_.history);
  const auto part = [&](const std::vector<std::vector<Tensor>*>& pairs, int32_t k) {
    std::vector<Var> result;
    for (const Update& u : all) result.push_back((*pairs[k % pairs.size()])[u.index]);
    return result;
  };
  std::vector<Var> d;
  for (const Var& x : g) d.push_back(neg(x));
  std::vector<double> alpha(used);
  for (int32_t k = pairs_ - 1; k >= pairs_ - used; --k) {
    const std::vector<Var> s = part(s_, k), y = part(y_, k);
    alpha[k - (pairs_ - used)] = dot(s, d) / dot(s, y);
    add_scaled(d, -alpha[k - (pairs_ - used)], y);
  }
  if (used > 0) {
    const std::vector<Var> s = part(s_, pairs_ - 1), y = part(y_, pairs_ - 1);
    const double h = dot(s, y) / dot(y, y);
    for (Var& x : d) x = h * x;
  }
  for (int32_t k = pairs_ - used; k < pairs_; ++k) {
    const std::vector<Var> s = part(s_, k), y = part(y_, k);
    add_scaled(d, alpha[k - (pairs_ - used)] - dot(y, d) / dot(s, y), s);
  }
  return d;
}

}  // namespace heed
