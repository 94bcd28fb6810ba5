// What backward() says of leaves whose gradients are complete while the pass goes on.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "autograd/node.h"
#include "autograd/ops.h"
#include "tensor/random.h"
#include "tests/autograd/tensor_helpers.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

// A pass whose nodes and leaves are noted in the order in which they are done.
struct Noted {
  std::vector<const Node*> nodes = {}, leaves = {};
  std::vector<double> gradients = {};             // of the leaves at that time; 0: none
  std::map<const Node*, const Node*> after = {};  // of a leaf: the node that ran last

  // sum_i (i + 1) x_i
  Var weigh(const std::vector<Var>& x) {
    double value = 0;
    for (size_t i = 0; i < x.size(); ++i) value += static_cast<double>(i + 1) * x[i].value().item();
    const auto self = std::make_shared<const Node*>();
    const Var y =
        record("weigh", Tensor::full({}, value, DType::f64), x,
               [this, self, n = x.size()](const Tensor& dy, const Grads& dx) {
                 nodes.push_back(*self);
                 for (size_t i = 0; i < n; ++i) {
                   dx.add(static_cast<int>(i),
                          Tensor::full({}, static_cast<double>(i + 1) * dy.item(), DType::f64));
                 }
               });
    *self = y.node().get();
    return y;
  }
  void run(const Var& loss) {
    loss.backward([this](const Node& leaf) {
      leaves.push_back(&leaf);
      const Tensor& g = leaf.outputs[0].total.dense;
      gradients.push_back(g.defined() ? g.item() : 0);
      after[&leaf] = nodes.empty() ? nullptr : nodes.back();
    });
  }
};

// The last node of a pass that uses a leaf: there is one.
const Node* last_user(const std::vector<const Node*>& ran,
                      const std::map<const Node*, std::vector<const Node*>>& inputs,
                      const Node* leaf) {
  return *std::find_if(ran.rbegin(), ran.rend(), [&](const Node* node) {
    const auto& of_node = inputs.at(node);
    return std::find(of_node.begin(), of_node.end(), leaf) != of_node.end();
  });
}

// In any graph each leaf is told of once, right after the last node that uses it, with the gradient
// that it ends with.
TEST(CompleteGradients, AreToldOfAtOnceInAnyGraph) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Rng rng(seed, "graph");
    Noted pass;
    std::vector<Var> leaves, values;
    std::map<const Node*, std::vector<const Node*>> inputs;
    for (uint64_t i = 2 + rng.below(5); i > 0; --i) leaves.push_back(scalar(1));
    values = leaves;
    for (uint64_t i = 3 + rng.below(12); i > 0; --i) {
      std::vector<Var> some;
      for (uint64_t k = 1 + rng.below(3); k > 0; --k)
        some.push_back(values[rng.below(values.size())]);
      values.push_back(pass.weigh(some));
      for (const Var& x : some) inputs[values.back().node().get()].push_back(x.node().get());
    }
    const Var loss = values.back();
    size_t reached = 0;  // leaves
    for (const auto& node : reachable(loss.node())) reached += node->inputs.empty();
    pass.run(loss);
    ASSERT_EQ(pass.leaves.size(), reached) << seed;
    for (const Var& leaf : leaves) {
      const Node* const node = leaf.node().get();
      const auto at = std::find(pass.leaves.begin(), pass.leaves.end(), node);
      ASSERT_EQ(at != pass.leaves.end(), leaf.grad().defined()) << seed;
      if (at == pass.leaves.end()) continue;
      EXPECT_EQ(std::count(pass.leaves.begin(), pass.leaves.end(), node), 1) << seed;
      EXPECT_EQ(pass.gradients[static_cast<size_t>(at - pass.leaves.begin())], leaf.grad().item());
      EXPECT_EQ(pass.after[node], last_user(pass.nodes, inputs, node)) << seed;
    }
  }
}

TEST(CompleteGradients, WaitForTheLongestWay) {
  const Var twice = scalar(1), once = scalar(1);
  Noted pass;
  Var way = pass.weigh({twice});
  for (int i = 0; i < 5; ++i) way = pass.weigh({way});
  pass.run(pass.weigh({way, twice, once}));
  EXPECT_EQ(pass.leaves, (std::vector<const Node*>{once.node().get(), twice.node().get()}));
  EXPECT_EQ(pass.gradients, (std::vector<double>{3, 1 + 2}));
}

TEST(CompleteGradients, OfOneNodeComeTogether) {
  const Var a = scalar(1), b = scalar(1), deep = scalar(1);
  Noted pass;
  pass.run(pass.weigh({a, pass.weigh({deep}), b, a}));
  ASSERT_EQ(pass.leaves.size(), 3u);
  EXPECT_EQ(pass.leaves[2], deep.node().get());
  EXPECT_EQ(pass.after[a.node().get()], pass.after[b.node().get()]);
}

TEST(CompleteGradients, MayBeNone) {
  const Var x = scalar(3), unused = scalar(4), elsewhere = scalar(5);
  std::vector<const Node*> leaves;
  record("first_of_two", Tensor::full({}, 3, DType::f64), {x, square(unused)},
         [](const Tensor& dy, const Grads& dx) { dx.add(0, dy); })
      .backward([&](const Node& leaf) { leaves.push_back(&leaf); });
  EXPECT_EQ(leaves, (std::vector<const Node*>{x.node().get(), unused.node().get()}));
  EXPECT_FALSE(unused.gradient().defined());
  EXPECT_FALSE(elsewhere.gradient().defined());
}

TEST(CompleteGradients, OfAParameterItself) {
  const Var x = scalar(3);
  Noted pass;
  pass.run(x);
  EXPECT_EQ(pass.gradients, std::vector<double>{1});
}

// What was there before the pass counts.
TEST(CompleteGradients, AreSumsOfSeveralPasses) {
  const Var x = scalar(3);
  square(x).backward();
  Noted pass;
  pass.run(mul(x, 10));
  EXPECT_EQ(pass.gradients, std::vector<double>{16});
}

// All that a leaf has put aside is in its gradient: products of a loop, and rows that were looked
// up.
TEST(CompleteGradients, AreSettled) {
  Rng rng(1, "settled");
  const auto random = [&](Shape shape) {
    std::vector<double> values(static_cast<size_t>(shape.numel()));
    for (double& v : values) v = rng.uniform() - 0.5;
    return Tensor::from(values, shape);
  };
  const Var table = Var::parameter(random({9, 4}), /*sparse_rows=*/true);
  const Var weight = Var::parameter(random({4, 4})), first = Var::parameter(random({4, 4}));
  const auto ids = [](std::vector<int32_t> of) { return Tensor::from(of); };
  const auto loss = [&] {
    Var x = matmul(gather_rows(table, ids({1, 5, 1})), first);
    for (int step = 0; step < 3; ++step) x = tanh(affine(x, weight));
    return sum(x * gather_rows(table, ids({8, 5, 2})));
  };
  std::vector<const Node*> leaves;
  std::vector<std::vector<double>> gradients;
  loss().backward([&](const Node& leaf) {
    leaves.push_back(&leaf);
    const Gradient& g = leaf.outputs[0].total;
    EXPECT_EQ(g.sparse(), &leaf == table.node().get());
    if (g.sparse()) {
      EXPECT_EQ(g.ids.to_ints(), (std::vector<int32_t>{1, 2, 5, 8}));
    }
    gradients.push_back((g.sparse() ? g.rows : g.dense).to_vector());
  });
  ASSERT_EQ(leaves, (std::vector<const Node*>{weight.node().get(), first.node().get(),
                                              table.node().get()}));
  for (const Var& p : {table, weight, first}) p.zero_grad();
  loss().backward();
  EXPECT_EQ(gradients[0], weight.gradient().dense.to_vector());
  EXPECT_EQ(gradients[1], first.gradient().dense.to_vector());
  EXPECT_EQ(gradients[2], table.gradient().rows.to_vector());
}

TEST(CompleteGradients, MayBeTaken) {
  const Var early = scalar(2), late = scalar(3);
  Tensor taken;
  (square(late) * early).backward([&](const Node& leaf) {
    if (&leaf != early.node().get()) return;
    EXPECT_FALSE(late.gradient().defined());
    taken = early.grad();
    early.zero_grad();
  });
  EXPECT_EQ(taken.item(), 9);
  EXPECT_FALSE(early.gradient().defined());
  EXPECT_EQ(late.grad().item(), 12);
}

TEST(CompleteGradients, AnErrorEndsThePass) {
  const Var early = scalar(2), middle = scalar(2), late = scalar(3);
  const auto failing = [](const Var& x) {
    return record("failing", x.value().clone(), {x},
                  [](const Tensor&, const Grads&) { throw DataError("no more"); });
  };
  std::vector<const Node*> leaves;
  const auto note = [&](const Node& leaf) { leaves.push_back(&leaf); };
  EXPECT_EQ(error_of<DataError>([&] { (failing(late) * early).backward(note); }), "no more");
  EXPECT_EQ(leaves, std::vector<const Node*>{early.node().get()});

  const Var y = square(late) * middle;
  EXPECT_EQ(error_of<DataError>(
                [&] { y.backward([](const Node&) { throw DataError("no room for it"); }); }),
            "no room for it");
  EXPECT_FALSE(late.gradient().defined());
  EXPECT_THROW(y.backward(), UsageError);  // its graph is used
  square(late).backward(note);
  EXPECT_EQ(late.grad().item(), 6);
}

}  // namespace
}  // namespace heed
