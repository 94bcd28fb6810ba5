// Lab 2: the backward pass. backward and step are two halves of one loop, which goes through graphs
// that record, reachable and add have made.
#include <algorithm>
#include <memory>
#include <utility>

#include "autograd/anomaly.h"
#include "labs/02-engine/graphs.h"
#include "tensor/shapes_only.h"

namespace heed::lab {
namespace {

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
  if (testing::Test::HasFailure()) return;
  if_stopped(
      "One parameter in three graphs, one after the other: a backward pass changes its gradient, "
      "and nothing else. `used` is for nodes that had a closure.");
  const Var again = Var::parameter(scalar(draw.uniform(1, 2)));
  for (int pass = 0; pass < 3; ++pass) square_of(again).backward();
  const double once = 2 * again.value().item();
  expect_close("d(x^2)/dx after three passes through three graphs", again.grad(), scalar(3 * once),
               {.suspects = {{"that of the last pass alone: what a parameter has collected stays "
                              "until zero_grad(), and the next pass adds to it",
                              scalar(once)}}});
  if (testing::Test::HasFailure()) return;
  if_stopped("");
  const Var p = Var::parameter(scalar(1)), q = Var::parameter(scalar(2));
  Tensor shared;  // one gradient for both, which somebody keeps
  record("both", scalar(3), {p, q}, [&](Tensor dy, const Grads& dx) {
    shared = dy;
    dx.add(0, dy);
    dx.add(1, dy);
  }).backward();
  expect(
      p.grad().raw() != shared.raw() && q.grad().raw() != shared.raw(),
      "a parameter's gradient lies in memory that others use, too: who clips one would change "
      "both. Every node is run, also one without a closure: there its gradient becomes its own.");
  const Var r = Var::parameter(scalar(3)), two = weigh({p, r}, {1, 1});
  const Var last = record("ignores an input", scalar(1), {two, p},
                          [](Tensor dy, const Grads& dx) { dx.add(1, dy); });
  const std::vector<const Node*> all = {last.node().get(), two.node().get(), r.node().get(),
                                        p.node().get()};
  const DetectAnomaly guard;  // its check_settled() is called by run()
  nodes_run().clear();
  last.backward();
  const std::vector<const Node*>& ran = nodes_run();
  const auto place = [&](size_t i) { return std::find(ran.begin(), ran.end(), all[i]); };
  // r and p are used by `two`, whichever of them comes first.
  expect(std::is_permutation(ran.begin(), ran.end(), all.begin(), all.end()) &&
             place(0) < place(1) && place(1) < std::min(place(2), place(3)),
         "run() was called " + std::to_string(ran.size()) +
             " times, for 4 nodes: once for each, after all that use it, also where no gradient "
             "seems to have arrived. Deferred parts of one are added up there.");
}

// Of a loss without memory, on a device that need not be there. What fills memory by itself, which
// is right, too, stops here.
void check_device_of_the_loss() {
  const ShapesOnly only;
  const Tensor value = Tensor::empty({}, DType::f32, {.kind = Device::Kind::cuda, .index = 1});
  const Var loss = record("op", value, {Var::parameter(value)}, [&](Tensor dy, const Grads&) {
    expect(dy.device() == value.device(),
           text("the gradient of the loss is on ", dy.device().str(), ", the loss on ",
                value.device().str(), ": a gradient has shape, type and device of its value."));
  });
  try {
    loss.backward();
  } catch (const std::exception&) {
  }
}

// The loss is one output of several, of any shape with one element.
LAB_CHECK(StartsAtTheLoss) {
  Draw draw;
  for (int64_t i = 0; i < 6; ++i) {
    const DType dtype = i % 2 == 0 ? DType::f64 : DType::f32;
    const int64_t count = draw.between(3, 6), loss = draw.between(1, count - 2);
    const Tensor value = Tensor::full(Shape(std::vector<int64_t>(i / 2, 1)), -3, dtype);
    std::vector<Tensor> dy(count);
    int runs = 0;
    const std::vector<Var> all =
        record("many", std::vector<Tensor>(count, value), {Var::parameter(value)},
               [&](const OutputGrads& arrived, const Grads&) {
                 ++runs;
                 for (int64_t i = 0; i < count; ++i) dy[i] = arrived.take(static_cast<int>(i));
               });
    all[loss].backward();
    if (runs != 1)
      return expect(false, "the loss is output " + std::to_string(loss) + " of a node with " +
                               std::to_string(count) + ", and its closure ran " +
                               std::to_string(runs) +
                               " times: once, as one of the outputs was reached.");
    for (int64_t i = 0; i < count; ++i) {
      if (dy[i].defined() == (i == loss)) continue;
      return expect(false, "the loss is output " + std::to_string(loss) + " of its node, but " +
                               (i == loss ? "nothing arrived there"
                                          : "a gradient arrived at output " + std::to_string(i)) +
                               " (counted from 0).");
    }
    if (dy[loss].dtype() != dtype)
      return expect(false, std::string("the gradient of the loss has the element type ") +
                               name_of(dy[loss].dtype()) + ", the loss has " + name_of(dtype) +
                               ": a gradient has shape, type and device of its value.");
    expect_close("d(loss) / d(loss)", dy[loss], Tensor::full(value.shape(), 1, dtype));
    expect_close("the value of the loss, after backward()", all[loss].value(),
                 Tensor::full(value.shape(), -3, dtype), {.law = "it is read, and not written to"});
    const Var parameter = Var::parameter(value);
    for (const double passes : {1.0, 2.0}) {
      parameter.backward();
      expect_close(passes == 1 ? "the gradient of a loss that is a parameter"
                               : "the gradient of a loss that is a parameter, after two passes",
                   parameter.grad(), Tensor::full(value.shape(), passes, dtype),
                   {.law = "a loss is a Var like any other: if it is a parameter, the 1 is added "
                           "to what that has collected"});
      if (testing::Test::HasFailure()) return;
    }
  }
  check_device_of_the_loss();
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
  const Var early = square_of(x), twin = square_of(x);
  Var late = weigh({early, twin}, {1, 1});
  const int64_t length = draw.between(100, 150);
  for (int64_t i = 0; i < length; ++i) late = weigh({late}, {1});
  const Var newest = Var::parameter(scalar(1));  // a leaf is not always the oldest
  weigh({early, late, newest, twin}, {1, 1, 3, 1}).backward();
  expect_close("d/dw of a parameter that was made after all others", newest.grad(), scalar(3));
  const std::string one = "the contribution of one way only: a node ran before the other arrived";
  const double slope = 2 * x.value().item();
  expect_close("d/dx of two x^2 that arrive on a short and a long way", x.grad(), scalar(4 * slope),
               {.suspects = {{one, scalar(2 * slope)}, {one, scalar(3 * slope)}}});
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
  for (const bool keep : {false, true}) {
    int runs = 0;
    const std::vector<Var> all = record("several", std::vector<Tensor>(4, scalar(1)), {x},
                                        [&](const OutputGrads&, const Grads&) { ++runs; });
    if (keep) all[0].keep_grad();
    const Var loss = weigh(all, {1, 1, 1, 1});
    loss.backward();
    expect(
        loss.node()->inputs.size() == all.size(),
        "a node that has run keeps its inputs, as they were: of some there is no edge any more.");
    expect(runs == 1, "the closure of an op whose outputs were all reached ran " +
                          std::to_string(runs) + " times: once, for all outputs together.");
    for (const GradientBuffer& output : all[0].node()->outputs) {
      expect(!output.total.defined(),
             std::string("a node that has run still holds a gradient of an output that its closure "
                         "did not take") +
                 (keep ? ", where keep_grad() was called: that one is in `kept`, and is not needed "
                         "twice."
                       : ". What a node has used it can let go."));
    }
    for (const Var& of_many : {all[0], loss}) {
      expect(!of_many.node()->backward && of_many.node()->used,
             "a node of several outputs, or inputs, that has run still keeps its closure, or does "
             "not say that it was used.");
    }
  }
  const Var squared = square_of(x);
  squared.keep_grad();
  weigh({squared}, {3}).backward();
  expect(squared.node()->outputs.size() == 1,
         "a node that has run lost the buffers of its outputs: each lets go of its gradient, and "
         "stays, as keep_grad() looks there.");
  if (testing::Test::HasFailure()) return;
  expect_close("a gradient that keep_grad() asked for", squared.grad(), scalar(3));
}

LAB_CHECK(TheGraphIsUsedOnce) {
  Draw draw;
  const Var x = Var::parameter(scalar(draw.uniform(1, 3)));
  Var y = square_of(x);
  for (int64_t i = draw.between(0, 4); i > 0; --i) y = weigh({y}, {1});
  y.backward();
  const Node* below = y.node().get();
  while (!below->inputs.empty() && below->inputs[0]) below = below->inputs[0].node.get();
  expect(below == x.node().get(),
         "a node that has run keeps its inputs, as they were: the edge leads to no node any more.");
  try {
    y.backward();
    expect(false, "a second backward() through the same graph went unnoticed: `used` tells it.");
  } catch (const UsageError& error) {
    const std::string says = error.what();
    expect(says.find("was used already") != std::string::npos,
           "a second backward() through the same graph says \"" + says +
               "\": it takes a node without inputs for a parameter. A node that has run keeps its "
               "inputs.");
  }
  expect_close("d(x^2)/dx", x.grad(), scalar(2 * x.value().item()));
}

// An op of several outputs, of which one is used.
void check_reached(const Var& x, int64_t count, int64_t reached) {
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

LAB_CHECK(UnreachedOutputsAreSkipped) {
  Draw draw;
  const int64_t count = draw.between(3, 5);
  for (int64_t reached = 0; reached < count; ++reached) {
    check_reached(Var::parameter(scalar(1)), count, reached);
  }
  const Var x = Var::parameter(scalar(1));
  int below = 0;  // an op whose only reader gives it nothing
  const Var y = record("below", scalar(1), {x}, [&](const OutputGrads&, const Grads&) { ++below; });
  record("above", scalar(1), {y, x}, [](Tensor, const Grads& dx) {
    dx.add(1, scalar(1));
  }).backward();
  expect(below == 0,
         "a closure ran although no gradient had reached any output of its op: there is no dy that "
         "it could take.");
  expect(!y.node()->backward,
         "a node that no gradient had reached keeps its closure, and what that holds: nobody will "
         "run it any more.");
  expect(y.node()->used, "a node that no gradient had reached does not say that it was used.");
}

// How often check_backward() is asked about an op before its closure runs, and after.
std::pair<int64_t, int64_t> times_asked() {
  asked_about().clear();
  int64_t before = -1;
  const Var x = Var::parameter(scalar(1));
  const std::vector<Var> y = record("op", std::vector<Tensor>(3, scalar(1)), {x, x},
                                    [&](const OutputGrads& dy, const Grads& dx) {
                                      before = std::ssize(asked_about());
                                      dx.add(0, dy.take(1));
                                    });
  y[1].backward();
  const auto after = std::ssize(asked_about()) - std::max<int64_t>(before, 0);
  for (const Node* node : asked_about()) {
    expect(node == y[0].node().get(),
           "check_backward() was asked about another node than the one whose closure has run: it "
           "looks at the inputs of that one by itself.");
  }
  return {before, after};
}

LAB_CHECK(AnomaliesAreLookedFor) {
  const auto without = times_asked();
  if (without.first < 0) return expect(false, "no closure ran.");
  expect(
      without == std::pair<int64_t, int64_t>(0, 0),
      "check_backward() was asked while no DetectAnomaly lives. Looking costs time, and infinity "
      "is an error only for who wants to know.");
  const DetectAnomaly guard;
  const auto [before, after] = times_asked();
  expect(
      before == 0 && after == 1,
      "while a DetectAnomaly lives, check_backward() was asked " + std::to_string(before) +
          " times before a closure ran and " + std::to_string(after) +
          " times after it. It looks at what this closure gave to its inputs: when is that there?");
}

}  // namespace
}  // namespace heed::lab
