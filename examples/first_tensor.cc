// Tensors, views, ops and gradients: the first ten minutes with heed.
//
//   build/release/examples/first_tensor
#include <cstdio>

#include "autograd/ops.h"
#include "examples/options.h"

using namespace heed;
using examples::Options;

void tensors() {
  // A tensor is an array of numbers of one type, row after row.
  const Tensor a = Tensor::of({{1, 2}, {3, 4}, {5, 6}});
  std::printf("a            %s, a(1, 0) = %g\n", a.str().c_str(), a(1, 0));

  // Views show the same memory: nothing is copied, and a change shows through both.
  const Tensor flat = a.reshape({6}), last = a.rows(2, 3);
  last.fill(0);
  std::printf("as (6)       %s\n", flat.str().c_str());
  std::printf("row 1        %s\n", a[1].str().c_str());
}

void gradients() {
  // A Var is a tensor that records its origin. Parameters collect gradients, constants (any tensor)
  // do not.
  const Var w = Var::parameter(Tensor::of({{1, -1}, {2, 0.5}}));
  const Var x = Tensor::of({{1, 2}, {3, 4}, {5, 6}});

  // loss = mean (x w)^2.   d loss / dw = 2/6 x^T (x w)
  const Var y = matmul(x, w);
  const Var loss = mean(square(y));
  std::printf("x w          %s\n", y.value().str().c_str());
  std::printf("loss         %s\n", loss.value().str().c_str());

  // Running the code built this graph: each line is an op, its result, and its inputs.
  std::printf("%s", graph_text(loss).c_str());

  loss.backward();
  std::printf("d loss / dw  %s\n", w.grad().str().c_str());
}

void errors() {
  try {
    (void)matmul(Tensor::zeros({2, 3}), Tensor::zeros({4, 5}));
  } catch (const ShapeError& error) {
    std::printf("an error     %s\n", error.what());
  }
}

int main(int argc, char** argv) {
  return examples::run_example(argc, argv, {}, [](const Options&) {
    tensors();
    gradients();
    errors();
  });
}
