// Lab 2: the nodes of the graph. Each of these tasks is judged before the others are done; those
// that need each other are in check_backward.cc, and destroy is in check_destroy.cc.
#include <algorithm>
#include <map>
#include <memory>

#include "labs/02-engine/graphs.h"

namespace heed::lab {
namespace {

// ---- task: reachable

LAB_CHECK(FindsEachNodeOnce) {
  if_stopped(
      "Some nodes are reached by several edges, and one edge leads to no node, as that of an input "
      "that needs no gradient does: a search ends if it remembers, and crashes if it follows "
      "that, as a destructor does. (A crash may also be one of std::sort, where a comparison is "
      "true both ways.)");
  Draw draw;
  const NodePtr other = make_node({});
  std::vector<NodePtr> nodes = {make_node({})};
  const int64_t count = draw.between(8, 20);
  for (int64_t i = 1; i < count; ++i) {
    nodes.push_back(make_node({nodes[draw.between(0, i - 1)], nodes[draw.between(0, i - 1)]}));
  }
  nodes.back()->inputs.push_back({});  // an input that needs no gradient has no node
  nodes.insert(nodes.begin(), other);
  nodes.back()->inputs.push_back({nodes[0], 1});  // read by its second output alone
  nodes.back()->inputs[0].node->used = true;      // as after a backward pass
  make_node({nodes[0], nodes[1]});                // not below the root
  std::map<const Node*, bool> below;
  below[nodes.back().get()] = true;
  for (int64_t i = count; i >= 0; --i) {
    if (!below[nodes[i].get()]) continue;
    for (const Edge& input : nodes[i]->inputs) below[input.node.get()] = true;
  }
  below.erase(nullptr);
  const auto wanted =
      std::count_if(below.begin(), below.end(), [](const auto& b) { return b.second; });
  const auto all_that_is_there = [&] {
    std::vector<std::pair<const Node*, bool>> there;
    for (const NodePtr& node : nodes) {
      there.emplace_back(node.get(), node->used);
      for (const Edge& input : node->inputs) there.emplace_back(input.node.get(), false);
    }
    return there;
  };
  const auto before = all_that_is_there();
  std::map<const Node*, int> found;
  for (const NodePtr& node : reachable(nodes.back())) ++found[node.get()];
  if (all_that_is_there() != before)
    return expect(false, "the search changed a node, its edges or `used`: it only looks.");
  for (const auto& [node, times] : found) {
    if (times > 1)
      return expect(false, "a node was found " + std::to_string(times) +
                               " times: each must come once, however many ops use it.");
    if (!node)
      return expect(false,
                    "an edge without a node was followed: skip inputs that need no gradient.");
    if (!below[node]) return expect(false, "a node was found that the root does not depend on.");
  }
  expect(
      std::ssize(found) == wanted,
      "nodes are missing: " + std::to_string(found.size()) + " found, the root depends on " +
          std::to_string(wanted) +
          ", itself included. Each input counts, whichever output of it is read, and a node that "
          "was used already, too: backward() looks for such.");
  expect(std::ssize(reachable(nodes.back())) == std::ssize(found),
         "asked a second time, it finds other nodes: what was seen in one search is forgotten "
         "before the next.");
  const std::weak_ptr<Node> root = nodes.back();
  nodes.clear();
  expect(root.expired(),
         "after the search its nodes are still held: a list that outlives it keeps a whole graph.");
  const NodePtr leaf = make_node({});
  expect(reachable(leaf) == std::vector<NodePtr>{leaf},
         "of a node without inputs it alone is reachable: a loss may be a parameter.");
  if_stopped("of no root nothing is reachable: it is not looked at, and not put on a list.");
  expect(reachable(nullptr).empty(), "of no root nothing is reachable.");
}

// The numbers of the nodes are so far apart, as if others had been made in between.
void check_newest_first(Draw& draw, uint64_t apart) {
  constexpr int64_t kMost = 13;
  alignas(
      Node) static std::byte places[kMost * sizeof(Node)];  // taken in turn, neither up nor down
  const int64_t length = draw.between(2, 6), first = draw.between(0, kMost - 1);
  int64_t taken = 0;
  const auto make = [&](const std::vector<NodePtr>& inputs) {
    std::byte* const place = places + (first + 4 * taken++) % kMost * sizeof(Node);
    const NodePtr node(new (place) Node("placed", scalar(0)), [](Node* x) { x->~Node(); });
    std::construct_at(const_cast<uint64_t*>(&node->number),
                      node->number + static_cast<uint64_t>(taken) * apart);
    for (const NodePtr& input : inputs) node->inputs.push_back({input, 0});
    return node;
  };
  const NodePtr leaf = make({}), other = make({leaf});
  NodePtr top = other;
  for (int64_t i = 0; i < length; ++i) top = make({top});
  const NodePtr left = make({leaf}), right = make({leaf});  // new, though little is above or below
  // A short and a long way to `other`: searched depth first, it comes before nodes that use it.
  const NodePtr young = make({});  // a leaf is not always the oldest
  const std::vector<NodePtr> order = reachable(make({left, top, other, young, leaf, right}));
  for (size_t i = 1; i < order.size(); ++i) {
    const uint64_t before = order[i - 1]->number, here = order[i]->number;
    if (before > here) continue;
    const std::string name = "node " + std::to_string(before);
    return expect(false,
                  before == here
                      ? name +
                            " comes twice: its closure would run twice. What has to be "
                            "remembered of nodes that were seen?"
                      : name + " comes before the newer node " + std::to_string(here) +
                            ": newest first, so that a node runs only when all that use it have "
                            "run. " +
                            (apart > 0 ? "A number has 64 bits, and so has a difference of two."
                                       : "What is certain about the numbers of a node and of its "
                                         "inputs?"));
  }
  expect(std::ssize(order) == length + 6, "of " + std::to_string(length + 6) + " nodes there are " +
                                              std::to_string(order.size()) + ".");
}

LAB_CHECK(NewestFirst) {
  Draw draw;
  check_newest_first(draw, 0);
  if (!testing::Test::HasFailure()) check_newest_first(draw, uint64_t{1} << 30);
}

LAB_CHECK(ManyPaths) {
  if_stopped(
      "From the root to the leaf there are 2^60 paths, but only 121 nodes: a search that follows "
      "every path does not end. What has to be remembered? (A crash may also be one of std::sort, "
      "where a comparison is true both ways.)");
  NodePtr top = make_node({});
  for (int i = 0; i < 60; ++i) {
    const NodePtr left = make_node({top});
    top = make_node({left, top});
  }
  expect(reachable(top).size() == 121, "60 diamonds on top of each other have 121 nodes.");
  Draw draw;
  std::vector<NodePtr> net = {make_node({})};  // each above the one before and two others
  for (int64_t i = 1; i < 3000; ++i) {
    net.push_back(
        make_node({net[draw.between(0, i - 1)], net.back(), net[draw.between(0, i - 1)]}));
  }
  const std::vector<NodePtr> found = reachable(net.back());
  expect(std::equal(found.begin(), found.end(), net.rbegin(), net.rend()),
         text("of 3000 nodes, which others use again and again, ", found.size(),
              " were found, or not newest first: each once, however far apart its users are."));
  if (testing::Test::HasFailure()) return;
  if_stopped(
      "A chain of half a million nodes: a search that calls itself for each of them fills the "
      "stack, and one that looks for each of them in a list of all takes hours.");
  std::vector<NodePtr> chain = {make_node({})};
  while (chain.size() < 500000) chain.push_back(make_node({chain.back()}));
  const std::vector<NodePtr> order = reachable(chain.back());
  expect(order.size() == chain.size(), "a chain of half a million nodes, of which " +
                                           std::to_string(order.size()) + " were found.");
  expect(std::equal(order.begin(), order.end(), chain.rbegin(), chain.rend()) ||
             order.size() != chain.size(),
         "a chain of half a million nodes comes not newest first (its numbers are of 64 bits).");
  if_stopped("");
  for (const NodePtr& node : chain) node->inputs.clear();  // without the destructor's help
}

// ---- task: record

LAB_CHECK(NodeHoldsItsInputs) {
  Draw draw;
  const int64_t count = draw.between(3, 5), parameter = draw.between(0, count - 1);
  std::vector<Var> inputs(count);  // one parameter, all others constants
  for (int64_t i = 0; i < count; ++i) {
    const Tensor value = scalar(draw.uniform(-1, 1));
    inputs[i] = i == parameter ? Var::parameter(value) : Var(value);
  }
  const Tensor constant = scalar(1);
  for (const Var& last : {inputs[parameter], Var(), Var(constant)}) inputs.push_back(last);
  int runs = 0;
  const Shape shape = {draw.between(1, 4)};
  const std::string name = "op" + std::to_string(draw.between(1, 99));
  const Tensor made = Tensor::zeros(shape, DType::f64);
  Var y = record(name.c_str(), made, inputs, [&](Tensor, const Grads&) { ++runs; });
  if (!y.node())
    return expect(
        false,
        "an op with a parameter among its inputs has no node: no gradient can come through.");
  if (y.node()->inputs.size() != inputs.size())
    return expect(false,
                  "a node has an edge for each input, constants included, also for one that comes "
                  "twice, and for one without a value (a bias that is left out): Grads counts "
                  "them.");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const NodePtr& node = y.node()->inputs[i].node;
    expect(inputs[i].node() || !node, "a constant has no node, so its edge has none.");
    expect(!inputs[i].node() || node == inputs[i].node(),
           "the edge of a parameter does not lead to its node: edges stand in the order of the "
           "inputs.");
  }
  expect(y.node()->op == name, "the node of " + name + " says that it is " + y.node()->op + ".");
  expect(static_cast<bool>(y.node()->backward),
         "the node does not keep the closure: the gradient of this op is lost.");
  expect(y.node()->outputs.size() == 1 && y.node()->outputs[0].shape == shape,
         "a node has a buffer for the gradient of each output.");
  expect(runs == 0, "the closure ran while the op was recorded; it belongs to the backward pass.");
  expect(!y.node()->used, "a node that no backward pass has reached says that it was used.");
  inputs.clear();
  expect(constant.shares_memory_uniquely(),
         "the node holds an input's value: what the closure needs of it, it has already.");
  NodePtr held = y.node();
  if (!held->backward) return;
  const std::weak_ptr<Node> node = held;
  held->backward(OutputGrads(*held), Grads(*held));
  expect(runs == 1, "what the node keeps is not the closure that record() was given.");
  y = Var();
  expect(made.shares_memory_uniquely(),
         "the node holds the op's value: what the closure needs of it, it has already.");
  held = nullptr;
  expect(node.expired(), "the value of an op is gone, and its node is still held.");
}

LAB_CHECK(ConstantsAreNotRecorded) {
  Draw draw;
  const Var a = Var::parameter(scalar(1));
  const std::vector<Var> constants(draw.between(1, 4), Var(scalar(2)));
  std::vector<Var> with_a;
  const Backward nothing = [](const OutputGrads&, const Grads&) {};
  for (int64_t place = 0; place <= std::ssize(constants); ++place) {
    with_a = constants;
    with_a.insert(with_a.begin() + place, a);
    const NodePtr node = record("op", scalar(3), with_a, nothing).node();
    const std::string who =
        "an op with a parameter among its inputs, number " + std::to_string(place) + " of them, ";
    expect(node != nullptr, who + "has no node.");
    expect(!node || node->backward, who + "does not keep its closure.");
    expect(!node || std::ssize(node->inputs) <= place || node->inputs[place].node == a.node(),
           who + "has an edge at this place that does not lead there.");
  }
  expect(!record("op", scalar(3), constants, nothing).node(),
         "a constant got a node: what needs no gradient must not be kept in the graph.");
  if (testing::Test::HasFailure()) return;
  if_stopped("An op may have no inputs at all: then none wants a gradient.");
  expect(!record("op", scalar(3), {}, nothing).node(),
         "an op without inputs got a node: no input wants a gradient.");
  if_stopped("");
  const NoGrad guard;
  expect(!record("op", scalar(3), with_a, nothing).node(),
         "a node was made while a NoGrad lives: wants_grad() knows of it.");
}

LAB_CHECK(SeveralOutputs) {
  Draw draw;
  const Var a = Var::parameter(scalar(1));
  const int64_t count = draw.between(3, 5), first = draw.between(2, count - 1),
                second = draw.between(0, first - 1);
  const std::vector<Var> all = record("many", std::vector<Tensor>(count, scalar(1)), {a},
                                      [](const OutputGrads&, const Grads&) {});
  const Var y =
      record("op", scalar(3), {all[first], all[second]}, [](const OutputGrads&, const Grads&) {});
  if (!y.node()) return expect(false, "an op on values that want a gradient has no node.");
  if (y.node()->inputs.size() != 2)
    return expect(false, "the node of an op with two inputs has two edges.");
  expect(y.node()->inputs[0].output == first && y.node()->inputs[1].output == second,
         "an edge says which output of the other node it comes from; here number " +
             std::to_string(first) + " and number " + std::to_string(second) + ", counted from 0.");
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
  // An odd number: who takes several at a time has to take the rest, too.
  const Shape shape = {2 * draw.between(1, 2) + 1, 2 * draw.between(1, 3) + 1};
  const Tensor a = draw.normal(shape), b = draw.normal(shape), c = draw.normal(shape);
  const auto made_of = [&](double of_a, double of_b, double of_c) {
    const Tensor sum = empty_like(a);
    for (int64_t i = 0; i < sum.numel(); ++i) {
      sum.data<double>()[i] =
          of_a * a.data<double>()[i] + of_b * b.data<double>()[i] + of_c * c.data<double>()[i];
    }
    return sum;
  };
  const Tolerance exact = {.relative = 1e-12, .absolute = 1e-14};
  expect_close("one contribution", buffer_with({a.clone()}).total.dense, a);
  expect(buffer_with({Tensor::zeros({0}, DType::f64)}).total.defined(),
         "a contribution without elements is one, too: the gradient is there, and has none.");
  expect_close("the sum of three contributions",
               buffer_with({a.clone(), b.clone(), c.clone()}).total.dense, made_of(1, 1, 1),
               {.tolerance = exact,
                .suspects = {{"the last contribution alone: assigned where it has to be added", c},
                             {"the first contribution alone: the others are lost", a},
                             {"the sum without the second contribution", made_of(1, 0, 1)},
                             {"the sum without the third contribution", made_of(1, 1, 0)},
                             {"made with the first contribution twice", made_of(2, 0, 1)},
                             {"made with the first contribution twice", made_of(2, 1, 1)},
                             {"made with the third contribution taken away", made_of(1, 1, -1)},
                             {"made with the second contribution taken away", made_of(1, -1, 1)}},
                .law = "whatever came before stays in the sum, and each counts once"});
  std::vector<Tensor> held;  // each by somebody else, too
  const auto copy = [&](const Tensor& x) { return held.emplace_back(x.clone()); };
  const Tensor same = copy(a);
  expect_close(
      "the sum of one gradient that comes twice, in the same memory",
      buffer_with({same, same}).total.dense, made_of(2, 0, 0),
      {.suspects = {{"it once: y = x + x hands the same dy to x twice, and both count", a}},
       .law = "each contribution counts, wherever it lies"});
  const GradientBuffer one = buffer_with({copy(a), copy(b)}), two = buffer_with({copy(a), copy(c)});
  expect_close("a sum of two contributions, when another one is there", one.total.dense,
               made_of(1, 1, 0),
               {.suspects = {{"the sum that was made after it: each has memory of its own",
                              two.total.dense}},
                .law = "each sum has memory of its own"});
  const int64_t times = draw.between(5, 20);
  for (const Shape& some : {Shape{draw.between(2000, 3000)}, Shape{}, Shape{1}, Shape{1, 1}}) {
    std::vector<Tensor> ones;
    for (int64_t i = 0; i < times; ++i) ones.push_back(Tensor::full(some, 1, DType::f64));
    expect_close(text("the sum of ", times, " contributions of shape ", some),
                 buffer_with(ones).total.dense,
                 Tensor::full(some, static_cast<double>(times), DType::f64),
                 {.suspects = {{"the sum without one of the contributions",
                                Tensor::full(some, static_cast<double>(times - 1), DType::f64)}},
                  .law = "each element counts, of each contribution"});
    if (testing::Test::HasFailure()) return;
  }
  if_stopped("These gradients are of f32: KERNEL(tensor, ...) brings the element type, as T.");
  const auto f32 = [](const Tensor& x) { return x.to(DType::f32); };
  expect_close("the sum of three contributions of f32",
               buffer_with({f32(a), f32(b), f32(c)}).total.dense, f32(made_of(1, 1, 1)),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-5},
                .law = "KERNEL(tensor, ...) brings the element type, as T"});
}

LAB_CHECK(NobodysGradientChanges) {
  Draw draw;
  const Shape shape = {draw.between(2, 9)};
  const Tensor shared = draw.normal(shape), more = draw.normal(shape);
  const Tensor before = shared.clone(), more_before = more.clone();
  const Tensor sum = buffer_with({shared, more}).total.dense;  // `shared` is also dy of another op
  const std::string law =
      " contribution was written to, and others may hold it, too: `y = a + b` hands the same dy to "
      "a and to b. Adding to it in place changes the gradient of somebody else.";
  expect_close("a gradient that the buffer was given first", shared, before,
               {.suspects = {}, .law = "the first" + law});
  expect_close("a gradient that the buffer was given second", more, more_before,
               {.suspects = {}, .law = "the second" + law});
  (void)buffer_with({draw.normal(shape), draw.normal(shape), more});
  expect_close("a gradient that the buffer was given third", more, more_before,
               {.suspects = {}, .law = "the third" + law});
  (void)buffer_with({shared, shared});
  expect(shared.to_vector() == before.to_vector(),
         "of a gradient that came twice, in the same memory, the first" + law);
  GradientBuffer buffer = buffer_with({shared});
  buffer.add(more.clone());  // which nobody else holds
  expect_close("a gradient that the buffer was given first, and that others hold", shared, before,
               {.suspects = {}, .law = "the first" + law});
  for (int64_t i = 0; i < before.numel(); ++i) {
    before.data<double>()[i] += more_before.data<double>()[i];
  }
  expect_close("their sum", sum, before, {.law = "both count, each once"});
}

void check_copies(Draw& draw, const Shape& shape) {
  const Tensor first = draw.normal(shape);
  GradientBuffer buffer = buffer_with({first});
  expect(buffer.total.dense.raw() == first.raw(),
         "the only contribution was copied. Most values are used once: then keeping what came "
         "costs nothing.");
  buffer.add(draw.normal(shape));  // from here on the sum is in memory of its own
  const Tensor seen = buffer.total.dense;
  for (int more = 0; more < 2; ++more) buffer.add(draw.normal(shape));
  expect(buffer.total.dense.raw() == seen.raw(),
         "a sum in memory of its own did not grow there. Was it copied because somebody looks at "
         "it, as who asks a parameter for its gradient does? Whose memory must not be written to?");
  GradientBuffer alone = buffer_with({draw.normal(shape)});  // nobody else holds it
  const void* const at = alone.total.dense.raw();
  alone.add(draw.normal(shape));
  expect(alone.total.dense.raw() == at,
         "a contribution that nobody else holds was not added to where it lies: "
         "shares_memory_uniquely() tells that the sum may grow in its memory.");
}

LAB_CHECK(NoNeedlessCopies) {
  Draw draw;
  check_copies(draw, {draw.between(100, 1000)});
  if (!testing::Test::HasFailure()) check_copies(draw, {});
}

}  // namespace
}  // namespace heed::lab
