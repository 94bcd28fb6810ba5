// Logistic regression, one against rest, for all labels of a task at once (Parthasarathi, Pineau &
// Chandar 2020, section 4; the objective is scikit-learn's):
//
//   J(w, b) = 1/2 |w|^2 + C sum_i log(1 + exp(-z_i (w . x_i + b)))
//   z_i = 1 with the label, else -1
//
// b is not penalised. J is strictly convex in w, so any solver that converges will do.
#pragma once

#include <cstdint>
#include <vector>

#include "dialog/stats/metrics.h"
#include "dialog/stats/minimiser.h"
#include "tensor/tensor.h"

namespace heed {

// J and its gradient, for several labels together: two products of matrices.
class LogisticObjective {
 public:
  // x f32 or f64 (n, d), finite; the labels of each of the n examples, ascending, below `size`.
  // `labels` must outlive this object.
  LogisticObjective(const Tensor& x, const std::vector<LabelIds>& labels, int64_t size, double c);

  int64_t numbers() const { return x_.shape()[1]; }  // of a point: d weights, then b
  // J of the labels which[a] at the rows of points, f64 (A, d + 1), into values (A) and its
  // gradient into gradients (A, d + 1). The same for any number of threads.
  void operator()(const Tensor& points, const std::vector<int32_t>& which, Tensor& values,
                  Tensor& gradients) const;
  // J's second derivatives (d + 1, d + 1) if every example has a label with probability p, and
  // weight = p (1 - p):  diag(1, .., 1, 0) + C weight sum_i [x_i, 1] [x_i, 1]^T
  Tensor curvature(double weight) const;

 private:
  Tensor x_;  // f64 (n, d + 1), the last column 1
  const std::vector<LabelIds>& labels_;
  int64_t size_;
  double c_;
  Tensor products_;  // (d + 1, d + 1): sum_i [x_i, 1] [x_i, 1]^T
};

struct LogisticOptions {
  double c = 1;
  Minimiser::Options solver = {};
};

// sign(w . x + b). A label that all examples have, or none, is a constant: w = 0, b = +-infinity.
struct Logistic {
  Tensor weights;            // f64 (K, d)
  std::vector<double> bias;  // (K)
  int64_t unconverged = 0;   // labels whose gradient is still above the tolerance
  int iterations = 0;        // of the label with most

  Tensor scores(const Tensor& x) const;  // f32 or f64 (n, d) -> f64 (n, K): w . x + b
};

// Throws ShapeError unless x has a row for each example.
Logistic fit_logistic(const Tensor& x, const std::vector<LabelIds>& labels, int64_t size,
                      const LogisticOptions& options = {});

}  // namespace heed
