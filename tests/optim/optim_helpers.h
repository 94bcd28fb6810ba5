// Small modules with gradients that are set by hand.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "autograd/ops.h"
#include "nn/module.h"

namespace heed {

using Vec = std::vector<double>;

// Two parameters; their gradients are what backward() of sum(p x) makes of x.
struct Two : Module {
  Two(const Vec& a_values, const Vec& b_values)
      : a(Var::parameter(Tensor::from(a_values, {static_cast<int64_t>(a_values.size())}))),
        b(Var::parameter(Tensor::from(b_values, {static_cast<int64_t>(b_values.size())}))) {}
  void visit(Visitor& v) override {
    v("a", a);
    v("b", b);
  }
  Var a, b;
};

// A table whose gradients keep to the rows, and one with dense gradients.
struct Tables : Module {
  Tables() {
    const Tensor start = Tensor::from(Vec{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2});
    sparse = Var::parameter(start.clone(), /*sparse_rows=*/true);
    dense = Var::parameter(start.clone());
  }
  void visit(Visitor& v) override {
    v("sparse", sparse);
    v("dense", dense);
  }
  Var sparse, dense;
};

inline void set_grad(const Var& p, const Vec& values) {
  p.zero_grad();
  sum(p * Var(Tensor::from(values, p.shape()))).backward();
}

inline void expect_near(const Var& got, const Vec& expected, double tolerance = 1e-14) {
  const Vec values = got.value().to_vector();
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(values[i], expected[i], tolerance);
}

}  // namespace heed
