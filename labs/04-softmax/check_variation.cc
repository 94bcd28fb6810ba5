// The variations of lab 4: losses by plain loops, gradients by central differences.
#include "labs/04-softmax/variation.h"

#include <cmath>

#include "labs/04-softmax/by_loops.h"
#include "labs/support/check.h"

namespace heed::lab {
namespace {

// ln y_t where it is near 0: of the others' exponentials alone, so that none is lost beside 1.
double near_zero(const Tensor& row, int64_t target) {
  const std::vector<double> x = row.to_vector();
  double others = 0;
  for (int64_t i = 0; i < std::ssize(x); ++i)
    others += i == target ? 0 : std::exp(x[i] - x[target]);
  return -std::log1p(others);
}

// The loss of a row from ln softmax of it and its target.
using RowLoss = std::function<double(const double* logs, int64_t target, int64_t cols)>;
using Kernel = void (*)(double*, double*, const double*, const int32_t*, const double*, int64_t,
                        int64_t);

Tensor losses(const Tensor& x, const std::vector<int32_t>& targets, const RowLoss& f) {
  const Tensor logs = log_softmax_by_loops(x), loss = Tensor::zeros({x.shape()[0]}, DType::f64);
  const int64_t cols = x.shape().back();
  for (int64_t r = 0; r < loss.numel(); ++r) {
    loss.data<double>()[r] = f(logs.data<double>() + r * cols, targets[r], cols);
  }
  return loss;
}

void check_rows(const std::string& name, Kernel kernel, const RowLoss& f, const Tensor& x,
                const std::vector<int32_t>& targets, const Tensor& dloss) {
  const int64_t rows = x.shape()[0], cols = x.shape()[1];
  const Tensor loss = unwritten({rows}), dx = unwritten(x.shape()), sums = zeros_like(loss);
  kernel(loss.data<double>(), dx.data<double>(), x.data<double>(), targets.data(),
         dloss.data<double>(), rows, cols);
  expect_close("the loss of each row, " + name, loss, losses(x, targets, f),
               {.tolerance = {.relative = 1e-10, .absolute = 1e-10},
                .law = "the numbers are those of your name; ln y_t is not the logarithm of y_t "
                       "where y_t is 0 in f64"});
  const auto slopes = [&](const Tensor& weights) {
    return central_differences(
        [&](const Tensor& at) { return dot(weights, losses(at, targets, f)); }, x);
  };
  expect_close("dx, " + name, dx, slopes(dloss),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-6},
                .suspects = {{"right but for dloss: each row has its own",
                              slopes(Tensor::full({rows}, 1, DType::f64))}},
                .law = "the loss is a function of ln y; d(ln y_i)/dx_j = [i = j] - y_j"});
  for (int64_t i = 0; i < x.numel(); ++i) sums.data<double>()[i / cols] += dx.data<double>()[i];
  expect_close("the sum of each row of dx, " + name, sums, zeros_like(sums),
               {.tolerance = {.absolute = 1e-9},
                .law = "adding a constant to a row of logits changes no loss"});
}

void check_loss(Kernel kernel, const RowLoss& f) {
  Draw draw;
  const int64_t rows = draw.between(2, 5), cols = draw.between(7, 9);  // more than 2 k
  const Tensor x = draw.normal({rows, cols}), dloss = draw.normal({rows});
  std::vector<int32_t> targets = draw.ids(rows, cols);
  targets[0] = static_cast<int32_t>(cols - 1);  // whose neighbours are the first classes
  targets[1] = static_cast<int32_t>(cols - 2);
  check_rows("logits near 0", kernel, f, x, targets, dloss);
  const double spread = draw.uniform(300, 900);
  const Tensor far = map(x, x, [&](double v, double) { return spread * v; });
  far.data<double>()[0] += 4000;  // and not the target
  far.data<double>()[far.numel() - 1] += 4000;
  check_rows("logits in the thousands", kernel, f, far, targets, dloss);
  const Shape many = {draw.between(9, 12), draw.between(70, 80)};
  check_rows("many rows and columns", kernel, f, draw.normal(many), draw.ids(many[0], many[1]),
             draw.normal({many[0]}));
}

}  // namespace

LAB_VARIATION(Focal) {
  const double a = number(0), g = number(1);
  const auto loss_of = [=](double log) { return -a * std::pow(-std::expm1(log), g) * log; };
  check_loss(focal,
             [=](const double* logs, int64_t target, int64_t) { return loss_of(logs[target]); });
  Draw draw;
  const int64_t cols = draw.between(4, 9);
  const Tensor x = draw.normal({3, cols}), loss = unwritten({3}), dx = unwritten(x.shape()),
               one = Tensor::full({3}, 1, DType::f64), want = zeros_like(loss),
               naive = zeros_like(loss);
  const std::vector<int32_t> targets = draw.ids(3, cols);
  for (int64_t r = 0; r < 3; ++r) {  // y_t is 1 but for 1e-6, 1e-10 and 1e-14
    x.data<double>()[r * cols + targets[r]] += 14 + 9 * static_cast<double>(r);
    const double log = near_zero(x[r], targets[r]);
    want.data<double>()[r] = loss_of(log);
    naive.data<double>()[r] = -a * std::pow(1 - std::exp(log), g) * log;
  }
  focal(loss.data<double>(), dx.data<double>(), x.data<double>(), targets.data(),
        one.data<double>(), 3, cols);
  expect_close(
      "the loss of rows whose y_t is nearly 1", loss, want,
      {.tolerance = {.relative = 1e-9, .absolute = 0},
       .suspects = {{"made with ln y_t or 1 - y_t as they stand: y_t is 1 but for a little, of "
                     "which they keep few digits. There are log1p and expm1",
                     naive}},
       .law = "y_t is 1 but for a little, and the little is what the loss is made of: is it "
              "added to 1 anywhere, or subtracted from 1?"});
}

LAB_VARIATION(Neighbour) {
  const double e = number(0);
  const auto k = static_cast<int64_t>(number(1));
  check_loss(neighbour, [=](const double* logs, int64_t target, int64_t cols) {
    return -(1 - e) * logs[target] - e * logs[(target + k) % cols];
  });
}

}  // namespace heed::lab
