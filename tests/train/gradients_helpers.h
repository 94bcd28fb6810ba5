// Gradients to sum over ranks: numbers whose sum depends on the order of the additions.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "nn/module.h"
#include "tensor/random.h"
#include "train/gradient_sum.h"
#include "train/pieces.h"

namespace heed {

// An embedding, whose gradient is sparse, a matrix, and a number.
struct Net : Module {
  Var table = Var::parameter(Tensor::zeros({7, 3}, DType::f32), /*sparse_rows=*/true);
  Var weight = Var::parameter(Tensor::zeros({5, 3}, DType::f64));
  Var bias = Var::parameter(Tensor::zeros({1}, DType::f32));
  Var unused = Var::parameter(Tensor::zeros({2, 2}, DType::f32));
  void visit(Visitor& v) override {
    v("table", table);
    v("weight", weight);
    v("bias", bias);
    v("unused", unused);
  }
};

// What the backward pass of a piece could have left. Piece 3 has none, and piece 5 a dense gradient
// of the table if `dense`.
inline Gradients gradients_of(int piece, bool dense, Device device = {}) {
  Rng rng(1, "gradients", static_cast<uint64_t>(piece));
  const auto numbers = [&](Shape shape, DType dtype) {
    std::vector<double> values(static_cast<size_t>(shape.numel()));
    for (double& v : values) v = (rng.uniform() - 0.5) * std::pow(10, 8 * rng.uniform());
    return Tensor::from(values, shape).to(dtype).to(device);
  };
  Gradients g(4);
  if (piece == 3) return g;
  const std::vector<int32_t> ids =
      piece % 2 == 0 ? std::vector<int32_t>{piece % 7} : std::vector<int32_t>{0, 2, 6};
  g[0].ids = Tensor::from(ids, device);
  g[0].rows = numbers({std::ssize(ids), 3}, DType::f32);
  if (dense && piece == 5) g[0] = {numbers({7, 3}, DType::f32), {}, {}};
  g[1].dense = numbers({5, 3}, DType::f64);
  g[2].dense = numbers({1}, DType::f32);
  return g;
}

// The sum of so many pieces, of each parameter that has one; without a carrier this process has
// them all.
inline std::vector<std::vector<double>> summed(Carrier* carrier, int pieces, bool dense,
                                               Device device = {}) {
  Net net;
  move(net, device);
  const auto all = parameters(net);
  GradientTree tree = gradient_tree(all);
  const PieceRange own =
      carrier ? pieces_of_rank(carrier->ranks().rank(), carrier->ranks().size(), pieces)
              : PieceRange{0, pieces};
  for (int p = own.begin; p < own.end; ++p) tree.add({0, p, gradients_of(p, dense, device)});
  put_gradients(all,
                carrier ? sum_over_ranks(all, tree, *carrier) : std::move(tree.nodes()[0].value));
  EXPECT_EQ(net.table.gradient().sparse(), !dense);
  EXPECT_FALSE(net.unused.gradient().defined());
  std::vector<std::vector<double>> values;
  for (const NamedParameter& p : all) {
    if (!p.var.gradient().defined()) continue;
    EXPECT_EQ(p.var.grad().device(), device);
    values.push_back(p.var.grad().to_vector());
  }
  return values;
}

}  // namespace heed
