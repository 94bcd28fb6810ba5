// The pieces of a batch, and the sum of their gradients over ranks.
#include "train/gradient_sum.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "nn/module.h"
#include "tensor/random.h"
#include "tests/train/ranks_helpers.h"
#include "train/pieces.h"
#include "train/ranks.h"

namespace heed {
namespace {

TEST(Pieces, AreOfSimilarCost) {
  const std::vector<int64_t> batch = {4, 3, 2, 1, 0}, sizes = {10, 1, 9, 2, 3};
  EXPECT_EQ(cut_in_pieces(batch, sizes, 1), (std::vector<std::vector<int64_t>>{batch}));
  // 10, 9 first, then 3 to the 9, 2 to the 10, and 1 to one of 12.
  EXPECT_EQ(cut_in_pieces(batch, sizes, 2), (std::vector<std::vector<int64_t>>{{3, 1, 0}, {4, 2}}));
  const auto many = cut_in_pieces(batch, sizes, 8);
  ASSERT_EQ(many.size(), 8u);
  EXPECT_EQ(many[0], std::vector<int64_t>{0});
  EXPECT_EQ(many[4], std::vector<int64_t>{1});
  EXPECT_TRUE(many[5].empty());
}

TEST(Pieces, EachBelongsToOneRank) {
  for (const int pieces : {1, 2, 8, 64}) {
    for (int ranks = 1; ranks <= pieces; ++ranks) {
      int next = 0;
      for (int r = 0; r < ranks; ++r) {
        const PieceRange range = pieces_of_rank(r, ranks, pieces);
        EXPECT_EQ(range.begin, next);
        EXPECT_GT(range.end, range.begin);
        next = range.end;
      }
      EXPECT_EQ(next, pieces);
    }
  }
}

TEST(Pieces, AreSummedInATree) {
  TreeSum<std::string> tree([](auto a, auto b) { return "(" + a + b + ")"; });
  for (int i = 0; i < 6; ++i) tree.add({0, i, std::string(1, static_cast<char>('a' + i))});
  ASSERT_EQ(tree.nodes().size(), 2u);
  tree.add({1, 3, "G"});  // of a rank that has summed two of them
  ASSERT_EQ(tree.nodes().size(), 1u);
  EXPECT_EQ(tree.nodes()[0].value, "(((ab)(cd))((ef)G))");
}

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

// What the backward pass of a piece could have left: numbers whose sum depends on its order. Piece
// 3 has none, and piece 5 a dense gradient of the table if `dense`.
Gradients gradients_of(int piece, bool dense) {
  Rng rng(1, "gradients", static_cast<uint64_t>(piece));
  const auto numbers = [&](Shape shape, DType dtype) {
    std::vector<double> values(static_cast<size_t>(shape.numel()));
    for (double& v : values) v = (rng.uniform() - 0.5) * std::pow(10, 8 * rng.uniform());
    return Tensor::from(values, shape).to(dtype);
  };
  Gradients g(4);
  if (piece == 3) return g;
  const std::vector<int32_t> ids =
      piece % 2 == 0 ? std::vector<int32_t>{piece % 7} : std::vector<int32_t>{0, 2, 6};
  g[0].ids = Tensor::from(ids);
  g[0].rows = numbers({std::ssize(ids), 3}, DType::f32);
  if (dense && piece == 5) g[0] = {numbers({7, 3}, DType::f32), {}, {}};
  g[1].dense = numbers({5, 3}, DType::f64);
  g[2].dense = numbers({1}, DType::f32);
  return g;
}

std::vector<std::vector<double>> summed(Ranks& ranks, int pieces, bool dense) {
  Net net;
  const auto all = parameters(net);
  GradientTree tree = gradient_tree(all);
  const PieceRange own = pieces_of_rank(ranks.rank(), ranks.size(), pieces);
  for (int p = own.begin; p < own.end; ++p) tree.add({0, p, gradients_of(p, dense)});
  put_gradients(
      all, ranks.size() == 1 ? std::move(tree.nodes()[0].value) : sum_over_ranks(all, tree, ranks));
  EXPECT_EQ(net.table.gradient().sparse(), !dense);
  EXPECT_FALSE(net.unused.gradient().defined());
  std::vector<std::vector<double>> values;
  for (const NamedParameter& p : all) {
    if (p.var.gradient().defined()) values.push_back(p.var.grad().to_vector());
  }
  return values;
}

TEST(GradientSum, HasTheSameBitsForAnyNumberOfRanks) {
  for (const bool dense : {false, true}) {
    const auto expected = summed(alone(), 8, dense);
    ASSERT_EQ(expected.size(), 3u);
    // ((0 1)(2 3))((4 5)(6 7)) of the number
    const auto term = [&](int p) {
      return static_cast<float>(gradients_of(p, dense)[2].dense.item());
    };
    const float sum = ((term(0) + term(1)) + term(2)) + ((term(4) + term(5)) + (term(6) + term(7)));
    EXPECT_EQ(expected[2][0], sum);
    for (const int count : {2, 3, 4, 5, 8}) {
      on_ranks(count, [&](Ranks& ranks) { EXPECT_EQ(summed(ranks, 8, dense), expected) << count; });
    }
  }
}

TEST(GradientSum, OfSparseGradientsSendsTheirRowsOnly) {
  on_ranks(2, [](Ranks& ranks) {
    struct Table : Module {
      Var rows = Var::parameter(Tensor::zeros({100000, 16}, DType::f32), /*sparse_rows=*/true);
      void visit(Visitor& v) override { v("rows", rows); }
    } table;
    const auto all = parameters(table);
    GradientTree tree = gradient_tree(all);
    const Gradient g{
        {}, Tensor::from(std::vector<int32_t>{5, 70000 + ranks.rank()}), Tensor::full({2, 16}, 1)};
    tree.add({0, ranks.rank(), {g}});
    const Gradients sum = sum_over_ranks(all, tree, ranks);
    EXPECT_EQ(sum[0].ids.to_ints(), (std::vector<int32_t>{5, 70000, 70001}));
    EXPECT_EQ(sum[0].rows.to_vector()[0], 2);
    EXPECT_LT(ranks.bytes_sent(), 1000);
  });
}

}  // namespace
}  // namespace heed
