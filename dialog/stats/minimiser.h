// L-BFGS with a line search, for smooth convex functions of a few thousand numbers.
#pragma once

#include <deque>
#include <functional>
#include <vector>

namespace heed {

// Minimises one function, which it never calls: its owner computes value and gradient at point()
// and passes them to tell(). So many functions can be computed together, each as long as it needs.
//
// The direction is d = -H g by the two-loop recursion over the last pairs of steps and changes of
// the gradient (Nocedal & Wright 2006, algorithm 7.4); the initial H is a multiple of 1 /
// curvature. Along d, secants narrow a bracket until the weak Wolfe conditions hold (Lewis &
// Overton 2013); the first condition uses slopes if the values differ only by rounding (Hager &
// Zhang 2005, section 4).
class Minimiser {
 public:
  struct Options {
    double tolerance = 1e-4;  // of the largest component of the gradient
    int max_iterations = 1000, history = 10;
  };
  // Turns v into B^-1 v, B a guess of the second derivatives; positive definite, always the same.
  using Guess = std::function<void(std::vector<double>& v)>;
  Minimiser(std::vector<double> start, Guess guess, const Options& options);

  const std::vector<double>& point() const { return trial_; }
  // Value and gradient at point(). Then point() is the next one or, when done(), the solution.
  void tell(double value, const double* gradient);

  bool done() const { return done_; }
  bool converged() const { return converged_; }
  int iterations() const { return iterations_; }

 private:
  struct Pair {
    std::vector<double> s, y;
    double sy;
  };
  void accept(double value, const double* gradient);
  void choose_direction();
  bool falls_enough(double value, double slope) const;
  void narrow(double value, double slope);
  void try_step(double step);
  void stop(bool converged);

  const Options options_;
  const Guess guess_;
  std::vector<double> x_, g_, d_, trial_;
  double value_ = 0, slope_ = 0;                                           // at x_, and along d_
  double step_ = 0, low_ = 0, high_ = 0, low_slope_ = 0, high_slope_ = 0;  // the line search
  int evaluations_ = 0;                                                    // of this line search
  std::deque<Pair> pairs_;                                                 // oldest first
  int iterations_ = 0;
  bool begun_ = false, done_ = false, converged_ = false;
};

}  // namespace heed
