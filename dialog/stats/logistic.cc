#include "dialog/stats/logistic.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "dialog/stats/cholesky.h"
#include "tensor/matrix.h"
#include "tensor/parallel.h"

namespace heed {
namespace {

constexpr int64_t kBlock = 2048;  // examples whose scores exist at once
constexpr int64_t kPiece = 64;    // of them, for one thread at a time

// The scores s of a piece of examples for A labels, row after row, become residuals p - y with
// p = 1 / (1 + e^-s); sum_i softplus(s_i) - y_i s_i is added to `losses` (A). place: of a label
// among the A, or -1. With e = e^-|s|, softplus(s) = max(s, 0) + log(1 + e): the logarithm is taken
// of the product over the piece, which is at most 2^kPiece.
void to_residuals(double* scores, const LabelIds* labels, int64_t rows,
                  const std::vector<int32_t>& place, std::vector<double>& losses) {
  const size_t count = losses.size();
  std::vector<double> product(count, 1.0);
  for (int64_t r = 0; r < rows; ++r, scores += count) {
    for (const int32_t label : labels[r]) {
      if (place[label] >= 0) losses[place[label]] -= scores[place[label]];
    }
    for (size_t a = 0; a < count; ++a) {
      const double s = scores[a], e = std::exp(-std::fabs(s)), p = 1 / (1 + e);
      losses[a] += s > 0 ? s : 0;
      product[a] *= 1 + e;
      scores[a] = s > 0 ? p : e * p;
    }
    for (const int32_t label : labels[r]) {
      if (place[label] >= 0) scores[place[label]] -= 1;
    }
  }
  for (size_t a = 0; a < count; ++a) losses[a] += std::log(product[a]);
}

// [x, 1] in f64
Tensor with_ones(const Tensor& x) {
  const int64_t n = x.shape()[0], d = x.shape()[1];
  const Tensor wide = x.to(DType::f64), result = Tensor::empty({n, d + 1}, DType::f64);
  for (int64_t i = 0; i < n; ++i) {
    double* row = result.data<double>() + i * (d + 1);
    std::copy_n(wide.data<double>() + i * d, d, row);
    row[d] = 1;
  }
  return result;
}

}  // namespace

LogisticObjective::LogisticObjective(const Tensor& x, const std::vector<LabelIds>& labels,
                                     int64_t size, double c)
    : x_(with_ones(x)),
      labels_(labels),
      size_(size),
      c_(c),
      products_(Tensor::empty({numbers(), numbers()}, DType::f64)) {
  gemm(products_, Matrix(x_).t(), x_);
}

Tensor LogisticObjective::curvature(double weight) const {
  const Tensor result = products_.clone();
  const int64_t d1 = numbers();
  double* const at = result.data<double>();
  for (int64_t i = 0; i < d1 * d1; ++i) at[i] *= c_ * weight;
  for (int64_t j = 0; j + 1 < d1; ++j) at[j * d1 + j] += 1;
  return result;
}

void LogisticObjective::operator()(const Tensor& points, const std::vector<int32_t>& which,
                                   Tensor& values, Tensor& gradients) const {
  const int64_t n = x_.shape()[0], d1 = numbers(), count = points.shape()[0];
  std::vector<int32_t> place(size_, -1);
  for (size_t a = 0; a < which.size(); ++a) place[which[a]] = static_cast<int32_t>(a);
  std::vector<double> loss(count);
  gradients.fill(0);
  const Tensor buffer = Tensor::empty({std::min(n, kBlock), count}, DType::f64);
  for (int64_t at = 0; at < n; at += kBlock) {
    const int64_t rows = std::min(kBlock, n - at), pieces = (rows + kPiece - 1) / kPiece;
    const Tensor x = x_.rows(at, at + rows), scores = buffer.rows(0, rows);
    gemm(scores, x, points.t());
    std::vector<std::vector<double>> losses(pieces, std::vector<double>(count));
    parallel_for(pieces, [&](int64_t p) {
      const int64_t first = p * kPiece;
      to_residuals(scores.data<double>() + first * count, &labels_[at + first],
                   std::min(kPiece, rows - first), place, losses[p]);
    });
    for (const std::vector<double>& part : losses) {
      for (int64_t a = 0; a < count; ++a) loss[a] += part[a];
    }
    gemm(gradients, scores.t(), x, Write::add);
  }
  for (int64_t a = 0; a < count; ++a) {
    const double* w = points.data<double>() + a * d1;
    double* g = gradients.data<double>() + a * d1;
    double norm = 0;
    for (int64_t j = 0; j < d1; ++j) {
      const double penalised = j + 1 < d1 ? w[j] : 0;
      norm += penalised * penalised;
      g[j] = penalised + c_ * g[j];
    }
    values.data<double>()[a] = norm / 2 + c_ * loss[a];
  }
}

namespace {

// One solver a label that is no constant, all of them evaluated together. Those that are done cost
// no more.
std::vector<Minimiser> solve(const LogisticObjective& objective, const std::vector<int64_t>& counts,
                             size_t examples, const std::vector<int32_t>& labels,
                             const Minimiser::Options& options) {
  const int64_t d1 = objective.numbers();
  // Labels whose weight p (1 - p) is within a factor of 4 have the same guess of the curvature.
  std::map<int, Minimiser::Guess> guesses;
  std::vector<Minimiser> solvers;
  for (const int32_t k : labels) {
    const double p = static_cast<double>(counts[k]) / static_cast<double>(examples);
    const int power = static_cast<int>(std::lround(std::log2(p * (1 - p)) / 2));
    Minimiser::Guess& guess = guesses[power];
    if (!guess) guess = cholesky_solver(objective.curvature(std::pow(4.0, power)));
    solvers.emplace_back(std::vector<double>(d1), guess, options);
  }
  std::vector<size_t> running(labels.size());
  std::iota(running.begin(), running.end(), 0);
  while (!running.empty()) {
    const auto count = static_cast<int64_t>(running.size());
    const Tensor points = Tensor::empty({count, d1}, DType::f64);
    Tensor values = Tensor::empty({count}, DType::f64), gradients = empty_like(points);
    std::vector<int32_t> which;
    for (int64_t a = 0; a < count; ++a) {
      const std::vector<double>& point = solvers[running[a]].point();
      std::copy(point.begin(), point.end(), points.data<double>() + a * d1);
      which.push_back(labels[running[a]]);
    }
    objective(points, which, values, gradients);
    parallel_for(count, [&](int64_t a) {
      solvers[running[a]].tell(values.data<double>()[a], gradients.data<double>() + a * d1);
    });
    std::erase_if(running, [&](size_t k) { return solvers[k].done(); });
  }
  return solvers;
}

}  // namespace

Logistic fit_logistic(const Tensor& x, const std::vector<LabelIds>& labels, int64_t size,
                      const LogisticOptions& options) {
  const auto n = static_cast<int64_t>(labels.size());
  check_shape(x.shape().rank() == 2 && x.shape()[0] == n, "logistic: expected x (", n, ", d), got ",
              x.shape());
  const int64_t d = x.shape()[1];
  const std::vector<int64_t> counts = count_labels(labels, size);
  Logistic fitted{Tensor::zeros({size, d}, DType::f64), std::vector<double>(size), 0, 0};
  std::vector<int32_t> open;
  for (int64_t k = 0; k < size; ++k) {
    const double certain = std::numeric_limits<double>::infinity();
    if (counts[k] == 0 || counts[k] == n) {
      fitted.bias[k] = counts[k] == 0 ? -certain : certain;
    } else {
      open.push_back(static_cast<int32_t>(k));
    }
  }
  if (open.empty()) return fitted;
  const LogisticObjective objective(x, labels, size, options.c);
  const std::vector<Minimiser> solvers =
      solve(objective, counts, labels.size(), open, options.solver);
  for (size_t i = 0; i < open.size(); ++i) {
    const std::vector<double>& point = solvers[i].point();
    std::copy_n(point.begin(), d, fitted.weights.data<double>() + open[i] * d);
    fitted.bias[open[i]] = point[d];
    fitted.unconverged += !solvers[i].converged();
    fitted.iterations = std::max(fitted.iterations, solvers[i].iterations());
  }
  return fitted;
}

Tensor Logistic::scores(const Tensor& x) const {
  const Tensor wide = x.to(DType::f64);
  Tensor result = Tensor::empty({x.shape()[0], weights.shape()[0]}, DType::f64);
  gemm(result, wide, weights.t());
  const auto count = static_cast<int64_t>(bias.size());
  for (int64_t i = 0; i < x.shape()[0]; ++i) {
    double* row = result.data<double>() + i * count;
    for (int64_t k = 0; k < count; ++k) row[k] += bias[k];
  }
  return result;
}

}  // namespace heed
