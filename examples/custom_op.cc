// A new op: its value, its gradient, and a check that the two agree. The library does not change.
//
//   build/release/examples/custom_op --steps 30
//
// An op of the library has a kernel for each device instead of loops (docs/add-an-op.md).
#include <cstdio>

#include "autograd/gradcheck.h"
#include "autograd/node.h"
#include "autograd/ops.h"
#include "examples/options.h"
#include "nn/init.h"

using namespace heed;
using examples::Options;

// The loops of the op, for f32 and f64.
template <class T> void forward(T* d, const T* x, const T* y, int64_t n, int64_t m, int64_t width) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      T sum = 0;
      for (int64_t k = 0; k < width; ++k) {
        const T difference = x[i * width + k] - y[j * width + k];
        sum += difference * difference;
      }
      d[i * m + j] = sum;
    }
  }
}

// Adds (+=) to dx and dy; null if the gradient is not needed.
template <class T>
void backward(T* dx, T* dy, const T* dd, const T* x, const T* y, int64_t n, int64_t m,
              int64_t width) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < m; ++j) {
      for (int64_t k = 0; k < width; ++k) {
        const T slope = 2 * (x[i * width + k] - y[j * width + k]) * dd[i * m + j];
        if (dx) dx[i * width + k] += slope;
        if (dy) dy[j * width + k] -= slope;
      }
    }
  }
}

// Squared distances of all pairs of rows, x (n, width), y (m, width) -> d (n, m).
//   d_ij = |x_i - y_j|^2
//   dx_i = sum_j 2 dd_ij (x_i - y_j)
//   dy_j = sum_i 2 dd_ij (y_j - x_i)
Var squared_distances(const Var& x, const Var& y) {
  check_shape(x.shape().rank() == 2 && y.shape().rank() == 2 && x.shape()[1] == y.shape()[1],
              "squared_distances: needs (n, width) and (m, width), got ", x.shape(), " and ",
              y.shape());
  const int64_t n = x.shape()[0], m = y.shape()[0], width = x.shape()[1];
  const bool f64 = x.dtype() == DType::f64;
  const Saved a(x.value()), b(y.value());
  const Tensor d = Tensor::empty({n, m}, x.dtype());
  f64 ? forward(d.data<double>(), a.data<double>(), b.data<double>(), n, m, width)
      : forward(d.data<float>(), a.data<float>(), b.data<float>(), n, m, width);

  // The closure holds the tensors that the gradient needs (and never a Var). dx.sum(i) is the
  // gradient of input i to add to, and null where nobody needs it.
  return record("squared_distances", d, {x, y},
                [a, b, n, m, width, f64](Tensor dd, const Grads& dx) {
                  f64 ? backward(dx.sum<double>(0), dx.sum<double>(1), dd.data<double>(),
                                 a.data<double>(), b.data<double>(), n, m, width)
                      : backward(dx.sum<float>(0), dx.sum<float>(1), dd.data<float>(),
                                 a.data<float>(), b.data<float>(), n, m, width);
                });
}

void check() {
  const RandomKey key{/*seed=*/1, purpose_id("check")};
  const GradCheck result = check_gradient(
      [](const std::vector<Var>& in) { return squared_distances(in[0], in[1]); },
      {uniform({4, 3}, -1, 1, key, DType::f64), uniform({5, 3}, 1, 2, key, DType::f64)});
  std::printf("gradient check: largest relative error %.1e (%s)\n", result.max_error,
              result.max_error < 1e-6 ? "correct" : result.worst.c_str());
}

// The point with the smallest mean squared distance to all others is their mean.
void use(int64_t steps) {
  const Var points = Tensor::from(std::vector<float>{0, 0, 4, 0, 4, 3, 0, 3}, {4, 2});
  const Var center = Var::parameter(Tensor::from(std::vector<float>{9, -9}, {1, 2}));
  for (int64_t step = 0; step < steps; ++step) {
    mean(squared_distances(points, center)).backward();
    const Var moved = center.detach() - 0.2 * Var(center.grad());
    center.value().copy_from(moved.value());
    center.zero_grad();
  }
  std::printf("center of the rectangle: %s\n", center.value().str().c_str());
}

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, {{"steps", "30"}}, [](const Options& options) {
    check();
    use(options.number("steps"));
  });
}
