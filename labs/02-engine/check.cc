// Lab 2: the engine. Graphs are made by hand, or of ops with closures that are written here, so
// that each task can be judged before the others are done.
#include <algorithm>
#include <map>
#include <memory>

#include "autograd/node.h"
#include "labs/support/check.h"

namespace heed::lab {
namespace {

using NodePtr = std::shared_ptr<Node>;

Tensor scalar(double value) {
  return Tensor::full({}, value, DType::f64);
}

NodePtr make_node(const std::vector<NodePtr>& inputs) {
  auto node = std::make_shared<Node>("made by hand", scalar(0));
  for (const NodePtr& input : inputs) node->inputs.push_back({input, 0});
  return node;
}

// Ops with one or two inputs, y = sum_i weight_i x_i, that count their closures' runs.
Var weigh(
    const std::vector<Var>& inputs, const std::vector<double>& weights,
    const std::function<void()>& at_run = [] {}) {
  double sum = 0;
  for (size_t i = 0; i < inputs.size(); ++i) sum += weights[i] * inputs[i].value().item();
  return record("weigh", scalar(sum), inputs, [weights, at_run](Tensor dy, const Grads& dx) {
    at_run();
    for (size_t i = 0; i < weights.size(); ++i) {
      dx.add(static_cast<int>(i), scalar(weights[i] * dy.item()));
    }
  });
}

Var square_of(const Var& x) {
  const Tensor at = x.value();
  return record("square", scalar(at.item() * at.item()), {x},
                [at](Tensor dy, const Grads& dx) { dx.add(0, scalar(2 * at.item() * dy.item())); });
}

// ---- task: reachable

LAB_CHECK(FindsEachNodeOnce) {
  Draw draw;
  std::vector<NodePtr> nodes = {make_node({})};
  const int64_t count = draw.between(8, 20);
  for (int64_t i = 1; i < count; ++i) {
    nodes.push_back(make_node({nodes[draw.between(0, i - 1)], nodes[draw.between(0, i - 1)]}));
  }
  nodes.back()->inputs.push_back({});  // an input that needs no gradient has no node
  make_node({nodes[0], nodes[1]});     // not below the root
  std::map<const Node*, bool> below;
  below[nodes.back().get()] = true;
  for (int64_t i = count - 1; i >= 0; --i) {
    if (!below[nodes[i].get()]) continue;
    for (const Edge& input : nodes[i]->inputs) below[input.node.get()] = true;
  }
  below.erase(nullptr);
  const auto wanted =
      std::count_if(below.begin(), below.end(), [](const auto& b) { return b.second; });
  std::map<const Node*, int> found;
  for (const NodePtr& node : reachable(nodes.back())) ++found[node.get()];
  for (const auto& [node, times] : found) {
    if (times > 1)
      return expect(false, "a node was found " + std::to_string(times) +
                               " times: each must come once, however many ops use it.");
    if (!node)
      return expect(false,
                    "an edge without a node was followed: skip inputs that need no gradient.");
    if (!below[node]) return expect(false, "a node was found that the root does not depend on.");
  }
  expect(std::ssize(found) == wanted, "nodes are missing: " + std::to_string(found.size()) +
                                          " found, the root depends on " + std::to_string(wanted) +
                                          ", itself included.");
  expect(reachable(nullptr).empty(), "of no root nothing is reachable.");
}

LAB_CHECK(NewestFirst) {
  LAB_AFTER(FindsEachNodeOnce);
  Draw draw;
  const NodePtr leaf = make_node({});
  NodePtr other = make_node({leaf}), top = other;
  for (int64_t i = draw.between(2, 6); i > 0; --i) top = make_node({top});
  // A short and a long way to `other`: searched depth first, it comes before nodes that use it.
  const std::vector<NodePtr> order = reachable(make_node({top, other, leaf}));
  for (size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1]->number > order[i]->number) continue;
    return expect(
        false, "node " + std::to_string(order[i - 1]->number) + " comes before the newer node " +
                   std::to_string(order[i]->number) +
                   ": a node may run only when all that use it have run. What is certain about the "
                   "numbers of a node and of its inputs?");
  }
}

LAB_CHECK(ManyPaths) {
  if_stopped(
      "From the root to the leaf there are 2^60 paths, but only 121 nodes: a search that follows "
      "every "
      "path does not end. What has to be remembered?");
  NodePtr top = make_node({});
  for (int i = 0; i < 60; ++i) {
    const NodePtr left = make_node({top});
    top = make_node({left, top});
  }
  expect(reachable(top).size() == 121, "60 diamonds on top of each other have 121 nodes.");
}

// ---- task: record

LAB_CHECK(NodeHoldsItsInputs) {
  Draw draw;
  const int64_t count = draw.between(2, 5), parameter = draw.between(0, count - 1);
  std::vector<Var> inputs(count);  // one parameter, all others constants
  for (int64_t i = 0; i < count; ++i) {
    const Tensor value = scalar(draw.uniform(-1, 1));
    inputs[i] = i == parameter ? Var::parameter(value) : Var(value);
  }
  int runs = 0;
  const Shape shape = {draw.between(1, 4)};
  const Var y =
      record("op", Tensor::zeros(shape, DType::f64), inputs, [&](Tensor, const Grads&) { ++runs; });
  if (!y.node())
    return expect(
        false,
        "an op with a parameter among its inputs has no node: no gradient can come through.");
  expect(std::ssize(y.node()->inputs) == count,
         "a node has an edge for each input, constants included: Grads counts them.");
  if (std::ssize(y.node()->inputs) != count) return;
  for (int64_t i = 0; i < count; ++i) {
    const NodePtr& node = y.node()->inputs[i].node;
    expect(i == parameter || !node, "a constant has no node, so its edge has none.");
    expect(i != parameter || node == inputs[i].node(),
           "the edge of a parameter does not lead to its node.");
  }
  expect(static_cast<bool>(y.node()->backward),
         "the node does not keep the closure: the gradient of this op is lost.");
  expect(y.node()->outputs.size() == 1 && y.node()->outputs[0].shape == shape,
         "a node has a buffer for the gradient of each output.");
  expect(runs == 0, "the closure ran while the op was recorded; it belongs to the backward pass.");
}

LAB_CHECK(ConstantsAreNotRecorded) {
  Draw draw;
  const Var a = Var::parameter(scalar(1));
  const std::vector<Var> constants(draw.between(1, 4), Var(scalar(2)));
  std::vector<Var> with_a = constants;
  with_a.insert(with_a.begin() + draw.between(0, std::ssize(constants)), a);
  const Backward nothing = [](const OutputGrads&, const Grads&) {};
  expect(record("op", scalar(3), with_a, nothing).node() != nullptr,
         "an op with a parameter among its inputs has no node.");
  expect(!record("op", scalar(3), constants, nothing).node(),
         "a constant got a node: what needs no gradient must not be kept in the graph.");
  const NoGrad guard;
  expect(!record("op", scalar(3), with_a, nothing).node(),
         "a node was made while a NoGrad lives: wants_grad() knows of it.");
}

LAB_CHECK(SeveralOutputs) {
  Draw draw;
  const Var a = Var::parameter(scalar(1));
  const int64_t count = draw.between(2, 5), first = draw.between(1, count - 1),
                second = draw.between(0, first - 1);
  const std::vector<Var> all = record("many", std::vector<Tensor>(count, scalar(1)), {a},
                                      [](const OutputGrads&, const Grads&) {});
  const Var y =
      record("op", scalar(3), {all[first], all[second]}, [](const OutputGrads&, const Grads&) {});
  if (!y.node() || y.node()->inputs.size() != 2)
    return expect(false, "the node of an op with two inputs has two edges.");
  expect(y.node()->inputs[0].output == first && y.node()->inputs[1].output == second,
         "an edge says which output of the other node it comes from; here number " +
             std::to_string(first) + " and number " + std::to_string(second) + ", from 0.");
  expect(all[0].node() && std::ssize(all[0].node()->outputs) == count,
         "a node has a buffer for the gradient of each output.");
}

// ---- task: add

GradientBuffer buffer_with(const std::vector<Tensor>& contributions) {
  GradientBuffer buffer(contributions[0]);
  for (const Tensor& dx : contributions) buffer.add(dx);
  return buffer;
}

LAB_CHECK(ContributionsAddUp) {
  Draw draw;
  const Shape shape = {draw.between(2, 5), draw.between(2, 7)};
  const Tensor a = draw.normal(shape), b = draw.normal(shape), c = draw.normal(shape),
               want = a.clone();
  for (int64_t i = 0; i < want.numel(); ++i) {
    want.data<double>()[i] += b.data<double>()[i] + c.data<double>()[i];
  }
  expect_close("one contribution", buffer_with({a.clone()}).total.dense, a);
  expect_close("the sum of three contributions",
               buffer_with({a.clone(), b.clone(), c.clone()}).total.dense, want,
               {.suspects = {{"the last contribution alone: assigned where it has to be added", c},
                             {"the first contribution alone: the others are lost", a}}});
}

LAB_CHECK(NobodysGradientChanges) {
  LAB_AFTER(ContributionsAddUp);
  Draw draw;
  const Shape shape = {draw.between(2, 9)};
  const Tensor shared = draw.normal(shape), more = draw.normal(shape);
  const Tensor before = shared.clone(), more_before = more.clone();
  buffer_with({shared, more});  // `shared` is also dy of another op
  const std::string law =
      "the first contribution is kept as it is, and others may hold it, too: `y = a + b` hands "
      "the same dy to a and to b. Adding to it in place changes the gradient of somebody else.";
  expect_close("a gradient that the buffer was given first", shared, before,
               {.suspects = {}, .law = law});
  expect_close("a gradient that the buffer was given second", more, more_before,
               {.suspects = {}, .law = law});
}

LAB_CHECK(TheFirstIsNotCopied) {
  Draw draw;
  const Tensor first = draw.normal({draw.between(100, 1000)});
  expect(buffer_with({first}).total.dense.raw() == first.raw(),
         "the only contribution was copied. Most values are used once: then keeping what came "
         "costs nothing.");
}

// ---- task: backward

LAB_CHECK(GradientsOfARandomGraph) {
  Draw draw;
  const int64_t leaves = draw.between(2, 4), ops = draw.between(5, 12);
  std::vector<int64_t> a(ops), b(ops);
  std::vector<double> weights(2 * ops);
  for (int64_t i = 0; i < ops; ++i) {
    a[i] = draw.between(0, leaves + i - 1);
    b[i] = draw.between(0, leaves + i - 1);
  }
  for (double& w : weights) w = draw.uniform(-1, 1);
  const Tensor x = draw.normal({leaves});
  // Every op reads two earlier values, also the same twice; the last but few are used at all.
  const auto result_of = [&](const Tensor& at, std::vector<Var>& values) {
    values.clear();
    for (int64_t i = 0; i < leaves; ++i)
      values.push_back(Var::parameter(scalar(at.data<double>()[i])));
    for (int64_t i = 0; i < ops; ++i) {
      values.push_back(
          square_of(weigh({values[a[i]], values[b[i]]}, {weights[2 * i], weights[2 * i + 1]})));
    }
    return weigh({values.back(), values[leaves], values[0]}, {1, 0.5, 0.25});
  };
  std::vector<Var> values;
  result_of(x, values).backward();
  const Tensor got = Tensor::zeros({leaves}, DType::f64);
  for (int64_t i = 0; i < leaves; ++i) {
    if (values[i].grad().defined()) got.data<double>()[i] = values[i].grad().item();
  }
  const Tensor want = central_differences(
      [&](const Tensor& at) {
        std::vector<Var> unused;
        return result_of(at, unused).value().item();
      },
      x);
  expect_close("d(loss) / d(parameters)", got, want,
               {.tolerance = {.relative = 1e-4, .absolute = 1e-6},
                .law = "a value that is used twice gets the sum of both contributions, and its "
                       "closure runs when "
                       "both have arrived."});
}

LAB_CHECK(EachClosureRunsOnce) {
  Draw draw;
  int runs = 0;
  const Var x = Var::parameter(scalar(draw.uniform(0.5, 1)));
  Var y = x;
  const int64_t levels = draw.between(5, 9);
  for (int64_t i = 0; i < levels; ++i) y = weigh({y, y}, {0.5, 0.5}, [&] { ++runs; });
  y.backward();
  expect(runs == levels,
         std::to_string(levels) + " ops, but " + std::to_string(runs) +
             " runs of closures: each must run once, when the gradient of its output is complete.");
}

LAB_CHECK(LongAndShortPathsMeet) {
  Draw draw;
  const Var x = Var::parameter(scalar(draw.uniform(0.5, 1)));
  const Var early = square_of(x);
  Var late = early;
  const int64_t length = draw.between(3, 9);
  for (int64_t i = 0; i < length; ++i) late = weigh({late}, {1});
  weigh({late, early}, {1, 1}).backward();
  expect_close(
      "d/dx of x^2 that arrives on a short and a long way", x.grad(), scalar(4 * x.value().item()),
      {.suspects = {{"the contribution of one way only: the node ran before the other had arrived",
                     scalar(2 * x.value().item())}}});
}

// ---- task: step

LAB_CHECK(MemoryFallsOnTheWay) {
  Draw draw;
  const Var x = Var::parameter(scalar(1));
  std::vector<std::weak_ptr<int>> kept;
  int64_t alive_above = -1, worst = 0;
  const int64_t length = draw.between(4, 9);
  Var y = x;
  for (int64_t i = 0; i < length; ++i) {
    auto values = std::make_shared<int>(0);  // what the closure keeps
    kept.push_back(values);
    y = weigh({y}, {1}, [&, i, values] {
      alive_above = 0;
      for (int64_t k = i + 1; k < length; ++k) alive_above += !kept[k].expired();
      worst = std::max(worst, alive_above);
    });
  }
  y.backward();
  if (alive_above < 0) return expect(false, "no closure ran.");
  expect(
      worst == 0,
      "when a closure runs, " + std::to_string(worst) +
          " closures that ran before it still keep their values: memory does not fall on the way. "
          "What a node has used it can let go.");
  expect(kept[0].expired(), "after the pass the last closure still keeps its values.");
}

LAB_CHECK(TheGraphIsUsedOnce) {
  Draw draw;
  const Var x = Var::parameter(scalar(draw.uniform(1, 3)));
  Var y = square_of(x);
  for (int64_t i = draw.between(0, 4); i > 0; --i) y = weigh({y}, {1});
  y.backward();
  try {
    y.backward();
    expect(false, "a second backward() through the same graph went unnoticed: `used` tells it.");
  } catch (const UsageError&) {
  }
  expect_close("d(x^2)/dx", x.grad(), scalar(2 * x.value().item()));
}

LAB_CHECK(UnreachedOutputsAreSkipped) {
  Draw draw;
  const Var x = Var::parameter(scalar(1));
  const int64_t count = draw.between(2, 5), reached = draw.between(0, count - 1);
  int runs = 0;
  const std::vector<Var> all = record("many", std::vector<Tensor>(count, scalar(1)), {x},
                                      [&](const OutputGrads& dy, const Grads& dx) {
                                        ++runs;
                                        for (int i = 0; i < count; ++i) {
                                          if (i != reached && dy.take(i).defined()) runs += 100;
                                        }
                                        dx.add(0, scalar(5));
                                      });
  weigh({all[reached]}, {1}).backward();
  expect(runs == 1, runs == 0 ? "a closure did not run although one of its outputs was reached."
                              : "the gradient of an output that nothing used must stay undefined.");
  expect_close("d/dx", x.grad(), scalar(5));
}

// ---- task: destroy

// `below`, under a chain of so many nodes that nobody holds.
void let_go_of_a_chain(NodePtr below, int64_t length) {
  if_stopped(
      "A chain of half a million nodes was let go, and each destructor called the next one: the "
      "stack is "
      "too small for that. It takes a loop.");
  for (int64_t i = 0; i < length; ++i) below = make_node({std::move(below)});
}

LAB_CHECK(HalfAMillionNodes) {
  NodePtr(make_node({make_node({})})).reset();
  require_written();
  for (const int64_t length : {10, 500000}) let_go_of_a_chain(make_node({}), length);
}

LAB_CHECK(OthersKeepTheirNodes) {
  Draw draw;
  std::vector<NodePtr> nodes = {make_node({})};
  const int64_t count = draw.between(5, 12), held = draw.between(1, count - 2);
  for (int64_t i = 1; i < count; ++i)
    nodes.push_back(make_node({nodes.back(), nodes[draw.between(0, i - 1)]}));
  std::vector<std::weak_ptr<Node>> all(nodes.begin(), nodes.end());
  const NodePtr mine = nodes[held];
  nodes.clear();
  require_written();
  expect(mine->inputs.size() == 2, "a node that somebody still holds lost its inputs.");
  if (mine->inputs.size() == 2)
    expect(mine->inputs[0].node != nullptr, "a node that somebody still holds lost its inputs.");
  for (int64_t i = held + 1; i < count; ++i) {
    expect(all[i].expired(), "a node that nobody holds any more was kept: memory leaks.");
  }
  let_go_of_a_chain(mine, 500000);
  expect(mine->inputs.size() == 2, "a node that somebody still holds lost its inputs.");
}

}  // namespace
}  // namespace heed::lab
