// The loss of a linear layer over many classes, by loops, and how it changes with x and W: one
// number of each row is enough, the sum of its exponentials.
#pragma once

#include <cmath>
#include <vector>

#include "tensor/tensor.h"

namespace heed::lab {

struct Chunked {
  const std::vector<double> x, w, weights;
  const std::vector<int32_t>& targets;
  const double smoothing;
  const int64_t rows, cols, width;
  std::vector<double> sums = {}, means = {};  // of each row: sum exp(logit), mean logit

  Chunked(const Tensor& x, const Tensor& w, const std::vector<int32_t>& targets, double smoothing,
          const Tensor& weights)
      : x(x.to_vector()),
        w(w.to_vector()),
        weights(weights.to_vector()),
        targets(targets),
        smoothing(smoothing),
        rows(x.shape()[0]),
        cols(w.shape()[0]),
        width(x.shape()[1]) {
    for (int64_t r = 0; r < rows; ++r) {
      const auto [sum, mean] = row(&this->x[r * width]);
      sums.push_back(sum);
      means.push_back(mean);
    }
  }

  double logit(const double* row, int64_t c) const {
    double sum = 0;
    for (int64_t k = 0; k < width; ++k) sum += row[k] * w[c * width + k];
    return sum;
  }
  std::pair<double, double> row(const double* at) const {
    double sum = 0, mean = 0;
    for (int64_t c = 0; c < cols; ++c) {
      const double value = logit(at, c);
      sum += std::exp(value);
      mean += value / static_cast<double>(cols);
    }
    return {sum, mean};
  }
  double loss(int64_t r, double sum, double target, double mean) const {
    return weights[r] * (std::log(sum) - (1 - smoothing) * target - smoothing * mean);
  }

  Tensor nll(const std::vector<int32_t>& of) const {
    std::vector<double> found;
    for (int64_t r = 0; r < rows; ++r) {
      found.push_back(std::log(sums[r]) - logit(&x[r * width], of[r]));
    }
    return Tensor::from(found, {std::ssize(found)});
  }

  double total() const {
    double sum = 0;
    for (int64_t r = 0; r < rows; ++r) {
      sum += loss(r, sums[r], logit(&x[r * width], targets[r]), means[r]);
    }
    return sum;
  }

  // By central differences, a row at a time.
  Tensor dx(const std::vector<int64_t>& of, double h = 1e-4) const {
    std::vector<double> found;
    for (const int64_t r : of) {
      for (int64_t k = 0; k < width; ++k) {
        const auto at = [&](double by) {
          std::vector<double> moved(&x[r * width], &x[r * width] + width);
          moved[k] += by;
          const auto [sum, mean] = row(moved.data());
          return loss(r, sum, logit(moved.data(), targets[r]), mean);
        };
        found.push_back((at(h) - at(-h)) / (2 * h));
      }
    }
    return Tensor::from(found, {std::ssize(of), width});
  }

  // Of rows [begin, end) of x: W_ck moves one logit of each.
  Tensor dw(const std::vector<int64_t>& classes, int64_t begin, int64_t end,
            double h = 1e-4) const {
    std::vector<double> found;
    for (const int64_t c : classes) {
      for (int64_t k = 0; k < width; ++k) {
        double slope = 0;
        for (int64_t r = begin; r < end; ++r) {
          const double here = logit(&x[r * width], c), target = logit(&x[r * width], targets[r]);
          const auto at = [&](double by) {
            const double moves = by * x[r * width + k];
            return loss(r, sums[r] + std::exp(here) * std::expm1(moves),
                        target + (targets[r] == c ? moves : 0),
                        means[r] + moves / static_cast<double>(cols));
          };
          slope += (at(h) - at(-h)) / (2 * h);
        }
        found.push_back(slope);
      }
    }
    return Tensor::from(found, {std::ssize(classes), width});
  }
};

// Some rows of a matrix, in f64.
inline Tensor gathered(const Tensor& x, const std::vector<int64_t>& rows) {
  std::vector<double> found;
  for (const int64_t r : rows) {
    const std::vector<double> row = x[r].to_vector();
    found.insert(found.end(), row.begin(), row.end());
  }
  return Tensor::from(found, {std::ssize(rows), x.shape().back()});
}

}  // namespace heed::lab
