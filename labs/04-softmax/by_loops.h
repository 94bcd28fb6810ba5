// What the checks of lab 4 compare with: formulas in f64 by plain loops.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "labs/support/check.h"
#include "tensor/tensor.h"

namespace heed::lab {

inline const Tolerance kRough = {.relative = 1e-5, .absolute = 1e-8};
inline const Tolerance kDigits = {.relative = 1e-11, .absolute = 1e-12};
// Of what is made of a sum, one of whose terms is exp(0) = 1: nothing is to be added to it.
inline const Tolerance kNothingAdded = {.relative = 1e-14, .absolute = 1e-14};
inline const char* const kAllDigits =
    "T is f64 here, and this is right to the seven digits of f32: what is of f32 on the way?";

struct Size {
  int64_t rows, cols;
};

inline Size draw_size(Draw& draw) {
  return {draw.between(2, 5), 2 * draw.between(1, 4) + 1};  // no multiple of a vector
}

// As many rows as columns: the largest number of row r stands in column r, 1500 above most of the
// others, and one is 1500 below these. Each row lies 2000 above the one before; of the first ones
// all numbers are far below 0.
inline Tensor far_apart(Draw& draw) {
  const int64_t cols = draw.between(18, 26);
  const Tensor x = draw.normal({cols, cols});
  for (int64_t r = 0; r < cols; ++r) {
    double* const row = x.data<double>() + r * cols;
    row[r] += 1500;
    row[(r + 1) % cols] -= 1500;
    for (int64_t i = 0; i < cols; ++i) row[i] += 2000 * static_cast<double>(r - 2);
  }
  return x;
}
inline const char* const kLargest =
    "exp(1500) is infinite. Is the largest number of the row taken from each exponent, wherever it "
    "stands?";
inline const char* const kLargestOfLosses =
    "exp(1500) is infinite. Is the largest number of the row taken from each exponent, wherever it "
    "stands? And exp(-1500) is 0: is the logarithm of a probability taken?";

// So many rows that threads share them. Each lies 2000 above or below its neighbours, so that what
// belongs to one is of no use to another.
inline Tensor many_rows(Draw& draw) {
  const int64_t cols = draw.between(40, 60);
  const Tensor x = draw.normal({draw.between(600, 700), cols});
  for (int64_t i = 0; i < x.numel(); ++i) {
    x.data<double>()[i] += 2000 * static_cast<double>(i / cols % 3);
  }
  return x;
}

// Rows that no buffer of a fixed size holds by chance.
inline Tensor long_rows(Draw& draw) {
  return draw.normal({3, draw.between(1100, 1300)});
}
inline const char* const kAnyLength =
    "a row may have any number of columns, and each counts: is there a sum, a loop or a buffer of "
    "a size that has nothing to do with that number?";

// Of every row, in f64 by plain loops: ln softmax.
inline Tensor log_softmax_by_loops(const Tensor& x) {
  const Tensor y = Tensor::empty(x.shape(), DType::f64);
  const int64_t cols = x.shape().back();
  const std::vector<double> values = x.to_vector();
  for (int64_t at = 0; at < x.numel(); at += cols) {
    const double max = *std::max_element(values.begin() + at, values.begin() + at + cols);
    double sum = 0;
    for (int64_t i = at; i < at + cols; ++i) sum += std::exp(values[i] - max);
    for (int64_t i = at; i < at + cols; ++i) {
      y.data<double>()[i] = values[i] - max - std::log(sum);
    }
  }
  return y;
}

inline Tensor map(const Tensor& a, const Tensor& b,
                  const std::function<double(double, double)>& f) {
  std::vector<double> x = a.to_vector();
  const std::vector<double> y = b.to_vector();
  for (size_t i = 0; i < x.size(); ++i) x[i] = f(x[i], y[i]);
  return Tensor::from(x, a.shape());
}

inline Tensor plus(const Tensor& a, const Tensor& b) {
  return map(a, b, std::plus<>());
}
inline Tensor minus(const Tensor& a, const Tensor& b) {
  return map(a, b, std::minus<>());
}
inline Tensor times(const Tensor& a, const Tensor& b) {
  return map(a, b, std::multiplies<>());
}
inline Tensor times(double a, const Tensor& b) {
  return map(b, b, [a](double v, double) { return a * v; });
}
// In every element the sum of its row.
inline Tensor row_sums(const Tensor& x) {
  const int64_t cols = x.shape().back();
  std::vector<double> sums(x.numel());
  const std::vector<double> values = x.to_vector();
  for (int64_t i = 0; i < x.numel(); ++i) {
    for (int64_t j = 0; j < cols; ++j) sums[i] += values[i / cols * cols + j];
  }
  return Tensor::from(sums, x.shape());
}

inline Tensor softmax_by_loops(const Tensor& x) {
  const Tensor logs = log_softmax_by_loops(x);
  return map(logs, logs, [](double log, double) { return std::exp(log); });
}

inline double dot(const Tensor& a, const Tensor& b) {
  double sum = 0;
  for (const double product : map(a, b, std::multiplies<>()).to_vector()) sum += product;
  return sum;
}

// The loss of each row, with label smoothing.
inline Tensor losses_by_loops(const Tensor& x, const std::vector<int32_t>& targets,
                              double smoothing) {
  const Tensor logs = log_softmax_by_loops(x);
  const int64_t cols = x.shape().back();
  std::vector<double> losses;
  for (int64_t r = 0; r < std::ssize(targets); ++r) {
    double mean = 0;
    for (int64_t i = 0; i < cols; ++i)
      mean += logs.data<double>()[r * cols + i] / static_cast<double>(cols);
    const double target = logs.data<double>()[r * cols + targets[r]];
    losses.push_back(-(1 - smoothing) * target - smoothing * mean);
  }
  return Tensor::from(losses, {std::ssize(losses)});
}

// sum_r weight_r loss_r
inline double loss_by_loops(const Tensor& x, const std::vector<int32_t>& targets, double smoothing,
                            const Tensor& weights) {
  return dot(weights, losses_by_loops(x, targets, smoothing));
}

// Its gradient: weight_r (p_rj - (1 - e) [j = target] - e / C).
inline Tensor gradient_by_loops(const Tensor& x, const std::vector<int32_t>& targets,
                                double smoothing, const Tensor& weights) {
  const Tensor dx = softmax_by_loops(x);
  const int64_t cols = x.shape().back();
  for (int64_t i = 0; i < x.numel(); ++i) {
    double& d = dx.data<double>()[i];
    d -=
        (i % cols == targets[i / cols] ? 1 - smoothing : 0) + smoothing / static_cast<double>(cols);
    d *= weights.data<double>()[i / cols];
  }
  return dx;
}

// Numbers near 10000 that are exact in f32, and the losses of such rows: these are small, and what
// comes of max + ln s less the target has lost their digits.
inline Tensor near_10000(Draw& draw) {
  const Tensor x = draw.normal({draw.between(4, 6), draw.between(4, 9)});
  return map(x, x, [](double v, double) { return 1e4 + std::round(v * 64) / 64; });
}
inline Expected losses_near_10000(const Tensor& x, const std::vector<int32_t>& targets) {
  const Tensor want = losses_by_loops(x, targets, 0), one_sum = want.to(DType::f32);
  for (int64_t r = 0; r < want.numel(); ++r) {  // max + ln s is the loss and the target
    const double target = x(r, targets[r]);
    one_sum.data<float>()[r] = static_cast<float>(want.data<double>()[r] + target);
    one_sum.data<float>()[r] -= static_cast<float>(target);
  }
  return {
      .tolerance = {.relative = 1e-5, .absolute = 1e-5},
      .suspects = {{"max + ln s - target: in the sum of 10000 and ln s the smaller one loses its "
                    "digits, and target - max is exact",
                    one_sum}},
      .law = "target - max is exact, and small; ln s comes after it"};
}

inline std::string with_smoothing(double smoothing) {
  return smoothing > 0 ? ", smoothing " + std::to_string(smoothing).substr(0, 3) : "";
}

// At least two rows have different ones.
inline std::vector<int32_t> draw_targets(Draw& draw, const Size& size) {
  std::vector<int32_t> targets = draw.ids(size.rows, size.cols);
  if (targets[1] == targets[0]) targets[1] = static_cast<int32_t>((targets[0] + 1) % size.cols);
  return targets;
}

// What smoothed() adds where it gets the logit of the target and a row of exponentials.
inline Tensor half_late(const Tensor& logits, const Tensor& powers,
                        const std::vector<int32_t>& targets, double smoothing) {
  std::vector<double> found;
  for (size_t r = 0; r < targets.size(); ++r) {
    const std::vector<double> row = powers[r].to_vector();
    const double mean =
        std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
    found.push_back(smoothing * (logits[r].to_vector()[targets[r]] - mean));
  }
  return Tensor::from(found, {std::ssize(found)});
}

// What students make of the losses of rows.
inline Suspects wrong_losses(const Tensor& x, const std::vector<int32_t>& targets,
                             double smoothing) {
  const int64_t rows = x.shape()[0], cols = x.shape()[1];
  const Tensor loss = losses_by_loops(x, targets, smoothing);
  const auto with = [&](auto wrong) {  // a number that is added to each loss
    std::vector<double> found = loss.to_vector();
    for (int64_t r = 0; r < rows; ++r) {
      const std::vector<double> row = x[r].to_vector();
      found[r] += wrong(row, row[targets[r]], *std::max_element(row.begin(), row.end()));
    }
    return Tensor::from(found, {std::ssize(found)});
  };
  const auto other_class = [&](int64_t by) {  // the logit that stands there in memory
    std::vector<double> found = loss.to_vector();
    const std::vector<double> all = x.to_vector();
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t at = r * cols + targets[r];
      const bool there = at + by >= 0 && at + by < x.numel();
      found[r] += (1 - smoothing) * (all[at] - all[there ? at + by : at]);
    }
    return Tensor::from(found, {rows});
  };
  using Row = std::vector<double>;
  const auto mean = [](const Row& row) {
    return std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(row.size());
  };
  return {{"that of the class behind the target", other_class(1)},
          {"that of the class before the target", other_class(-1)},
          {"made with the maximum, not with the logit of the target",
           with([](const Row&, double t, double max) { return t - max; })},
          {"off by the maximum: what is taken out of the sum is taken from the target, too",
           with([](const Row&, double, double max) { return -max; })},
          {"off by two maxima: the maximum has the wrong sign in one place",
           with([](const Row&, double, double max) { return -2 * max; })},
          {"off by two maxima: the maximum has the wrong sign in one place",
           with([](const Row&, double, double max) { return 2 * max; })},
          {"made with the target of the first row in all",
           losses_by_loops(x, std::vector<int32_t>(targets.size(), targets[0]), smoothing)},
          {"the loss of the first row for all: is r in each index?",
           Tensor::full({rows}, loss.data<double>()[0], DType::f64)},
          {"made with the mean of the exponentials, not their sum",
           with([=](const Row&, double, double) { return -std::log(static_cast<double>(cols)); })},
          {"the loss without smoothing: smoothed() is to be added", losses_by_loops(x, targets, 0)},
          {"made with what smoothing adds taken away", with([&](const Row& row, double t, double) {
             return -2 * smoothing * (t - mean(row));
           })}};
}

// And of their gradient; `factor` is what a row is multiplied by, "dloss" or "weight".
inline Suspects wrong_gradients(const Tensor& x, const std::vector<int32_t>& targets,
                                double smoothing, const Tensor& dloss, const std::string& factor) {
  const int64_t cols = x.shape()[1];
  const Tensor p = softmax_by_loops(x), each = zeros_like(x), first = zeros_like(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    each.data<double>()[i] = dloss.data<double>()[i / cols];
    first.data<double>()[i] = dloss.data<double>()[0];
  }
  const auto target = [&](int64_t by) {
    const Tensor hot = zeros_like(x);
    for (size_t r = 0; r < targets.size(); ++r) {
      const int64_t at = static_cast<int64_t>(r) * cols + targets[r] + by;
      // What is written behind a row is overwritten with the next one.
      if (at >= 0 && (by < 1 || targets[r] + by < cols)) hot.data<double>()[at] = 1;
    }
    return hot;
  };
  const Tensor hot = target(0), one = Tensor::full(x.shape(), 1, DType::f64),
               share = times(smoothing / static_cast<double>(cols), one);
  const auto made = [&](const Tensor& a, const Tensor& b) {
    return minus(minus(a, times(1 - smoothing, b)), share);
  };
  return {
      {factor + " times softmax(x): the target has to lose what it got too much", times(p, each)},
      {"made without what the target loses", times(minus(p, share), smoothing > 0 ? each : hot)},
      {"softmax(x) - [j = target]: each row has a " + factor + " of its own", made(p, hot)},
      {"made with the " + factor + " of the first row in all", times(made(p, hot), first)},
      {"right but for the class: the one behind the target lost", times(made(p, target(1)), each)},
      {"right but for the class: the one before the target lost", times(made(p, target(-1)), each)},
      {"made with the wrong sign at the target",
       times(minus(plus(p, times(1 - smoothing, hot)), share), each)},
      {"made with the wrong sign of e/C",
       times(plus(minus(p, times(1 - smoothing, hot)), share), each)},
      {"made without e/C", times(minus(p, times(1 - smoothing, hot)), each)},
      {"made with a target that loses 1, not 1 - e", times(minus(minus(p, hot), share), each)},
      {"made without smoothing", times(minus(p, hot), each)},
      {"made with e for e/C",
       times(minus(minus(p, times(1 - smoothing, hot)), times(smoothing, one)), each)},
      {"made with a " + factor + " that the softmax is not multiplied by",
       minus(p, times(each, plus(times(1 - smoothing, hot), share)))},
      {"made with a " + factor + " that only the softmax is multiplied by",
       minus(minus(times(p, each), times(1 - smoothing, hot)), share)},
      {"made with a " + factor + " that the target is not multiplied by",
       minus(times(minus(p, share), each), times(1 - smoothing, hot))}};
}

}  // namespace heed::lab
