// The pieces of a batch, and the sum of their gradients over ranks.
#include "train/gradient_sum.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/train/gradients_helpers.h"
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
  // Examples of no size are shared out, too.
  EXPECT_EQ(cut_in_pieces({0, 1, 2, 3}, {0, 0, 0, 0}, 2),
            (std::vector<std::vector<int64_t>>{{0, 2}, {1, 3}}));
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

TEST(GradientSum, HasTheSameBitsForAnyNumberOfRanks) {
  for (const bool dense : {false, true}) {
    const auto expected = summed(nullptr, 8, dense);
    ASSERT_EQ(expected.size(), 3u);
    // ((0 1)(2 3))((4 5)(6 7)) of the number
    const auto term = [&](int p) {
      return static_cast<float>(gradients_of(p, dense)[2].dense.item());
    };
    const float sum = ((term(0) + term(1)) + term(2)) + ((term(4) + term(5)) + (term(6) + term(7)));
    EXPECT_EQ(expected[2][0], sum);
    for (const int count : {1, 2, 3, 4, 5, 8}) {
      on_ranks(count, [&](Ranks& ranks) {
        EXPECT_EQ(summed(host_carrier(ranks).get(), 8, dense), expected) << count;
      });
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
    const Gradients sum = sum_over_ranks(all, tree, *host_carrier(ranks));
    EXPECT_EQ(sum[0].ids.to_ints(), (std::vector<int32_t>{5, 70000, 70001}));
    EXPECT_EQ(sum[0].rows.to_vector()[0], 2);
    EXPECT_LT(ranks.bytes_sent(), 1000);
  });
}

}  // namespace
}  // namespace heed
