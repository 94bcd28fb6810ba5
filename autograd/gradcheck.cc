#include "autograd/gradcheck.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "autograd/ops.h"
#include "tensor/random.h"

namespace heed {

GradCheck check_gradient(const std::function<Var(const std::vector<Var>&)>& f,
                         const std::vector<Tensor>& inputs, uint64_t seed, double step) {
  std::vector<Var> leaves;
  for (const Tensor& x : inputs) {
    check_shape(x.dtype() == DType::f64, "check_gradient: needs f64 inputs");
    leaves.push_back(Var::parameter(x.clone()));
  }
  const Var y = f(leaves);
  std::vector<double> weights(y.value().numel());
  Rng rng(seed, "gradcheck");
  for (double& w : weights) w = 2 * rng.uniform() - 1;
  const Tensor projection = Tensor::from(weights, y.shape(), y.device());
  const auto project = [&](const Var& v) { return sum(mul(v, projection)); };
  project(y).backward();
  const auto reached = [](const Var& leaf) { return leaf.grad().defined(); };
  if (y.value().numel() > 0 && std::none_of(leaves.begin(), leaves.end(), reached)) {
    throw UsageError(
        "check_gradient: no gradient reached an input; does the function use what it is given?");
  }

  GradCheck result;
  for (size_t i = 0; i < leaves.size(); ++i) {
    const int64_t n = leaves[i].value().numel();
    const std::vector<double> analytic =
        leaves[i].grad().defined() ? leaves[i].grad().to_vector() : std::vector<double>(n);
    const Tensor& at = leaves[i].value();
    for (int64_t k = 0; k < n; ++k) {
      NoGrad guard;
      std::vector<double> x = inputs[i].to_vector();
      const auto loss_at = [&](double value) {
        x[k] = value;
        at.copy_from(Tensor::from(x, at.shape(), at.device()));
        return project(f(leaves)).value().item();
      };
      const double here = x[k];
      const double numeric = (loss_at(here + step) - loss_at(here - step)) / (2 * step);
      loss_at(here);
      const double scale = std::max({std::abs(analytic[k]), std::abs(numeric), 0.01});
      const double error = std::abs(analytic[k] - numeric) / scale;
      if (error > result.max_error || std::isnan(error)) {
        std::ostringstream text;
        text << "input " << i << ", element " << k << ": analytic " << analytic[k] << ", numeric "
             << numeric;
        result = {error, text.str()};
        if (std::isnan(error)) return result;
      }
    }
  }
  return result;
}

}  // namespace heed
