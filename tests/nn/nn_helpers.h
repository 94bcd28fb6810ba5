// What tests of layers need: random inputs, matrices as rows, comparisons, parameters by name.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autograd/packing.h"
#include "nn/gradcheck.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "nn/module.h"

namespace heed {

using Vec = std::vector<double>;

inline Var random(Shape shape, uint32_t purpose) {
  return uniform(shape, -1, 1, {/*seed=*/7, purpose}, DType::f64);
}

// Rows of a matrix.
inline std::vector<Vec> matrix(const Var& x) {
  const Vec flat = x.value().to_vector();
  const size_t width = static_cast<size_t>(x.shape().back());
  std::vector<Vec> result;
  for (size_t at = 0; at < flat.size(); at += width) {
    result.emplace_back(flat.begin() + at, flat.begin() + at + width);
  }
  return result;
}

inline Vec times(const Var& w, const Vec& x) {
  Vec y;
  for (const Vec& row : matrix(w)) {
    double sum = 0;
    for (size_t i = 0; i < x.size(); ++i) sum += row[i] * x[i];
    y.push_back(sum);
  }
  return y;
}

inline double dot(const Vec& a, const Vec& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

inline void expect_near(const Vec& got, const Vec& expected, double tolerance = 1e-12) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], tolerance) << "at " << i;
}
inline void expect_same(const Var& got, const Var& expected, double tolerance = 1e-12) {
  EXPECT_EQ(got.shape().str(), expected.shape().str());
  expect_near(got.value().to_vector(), expected.value().to_vector(), tolerance);
}
inline bool same(const Var& a, const Var& b) {
  return a.value().to_vector() == b.value().to_vector();
}

inline std::string names(Module& module) {
  std::string list;
  for (const NamedParameter& p : parameters(module)) list += p.name + p.var.shape().str() + " ";
  return list;
}

inline Var named(Module& module, const std::string& name) {
  for (const NamedParameter& p : parameters(module)) {
    if (p.name == name) return p.var;
  }
  ADD_FAILURE() << "no parameter " << name;
  return {};
}

// With first values, in f64.
template <class Layer> Layer f64(Layer layer) {
  init(layer, /*seed=*/1);
  convert(layer, DType::f64);
  return layer;
}

// What the top layer of a stack of recurrent layers sees of a constant, 16 units wide, through the
// dropout below it: the layers below put out the same numbers everywhere, and the top one hands
// them on by the block `gate` of its gates.
template <class Layer> std::vector<bool> kept_below_top(Layer layer, int64_t layers, int64_t gate) {
  layer = f64(std::move(layer));
  for (const NamedParameter& p : parameters(layer)) {
    std::vector<double> values(p.var.shape().numel(), p.name.starts_with("bias") ? 0.5 : 0.0);
    if (p.name == "weight_ih_l" + std::to_string(layers - 1)) {
      for (int64_t i = 0; i < 16; ++i) values[(gate * 16 + i) * 16 + i] = 1;
    }
    p.var.set_value(Tensor::from(values, p.var.shape()));
  }
  const Packing packing = Packing::single_step(8);
  const Var x = Tensor::zeros({8, 3}, DType::f64);
  const Vec whole = layer(packing, x).y.value().to_vector();
  const Vec y = layer(packing, x, {}, DropoutMode(0.5, 1, 1)).y.value().to_vector();
  std::vector<bool> kept;
  for (size_t i = 0; i < y.size(); ++i) kept.push_back(y[i] > whole[i]);  // it is doubled
  return kept;
}

// Central differences for the input x and all parameters of a module.
template <class Layer, class Call> void check_module(Layer layer, const Var& x, Call call) {
  struct WithInput : Module {
    WithInput(Layer layer, Var x) : layer(std::move(layer)), x(std::move(x)) {}
    void visit(Visitor& v) override {
      v("x", x);
      v("layer", layer);
    }
    Layer layer;
    Var x;
  };
  WithInput all(f64(std::move(layer)), Var::parameter(x.value()));
  const GradCheck result = check_gradient(all, [&] { return call(all.layer, all.x); });
  EXPECT_LT(result.max_error, 1e-6) << result.worst;
}

}  // namespace heed
