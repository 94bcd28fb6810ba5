// A small task for trainings that ranks share.
#pragma once

#include <cmath>
#include <vector>

#include "autograd/ops.h"
#include "nn/layers.h"
#include "optim/optimizer.h"
#include "train/task.h"

namespace heed {

// A line through points, with an embedding of two kinds of them and noise that is drawn.
struct Line : Module {
  Linear line{3, 1};
  Embedding kinds{4, 3};
  double dropout = 0.3;
  Device device() const { return line.weight.device(); }
  void visit(Visitor& v) override {
    v("line", line);
    v("kinds", kinds);
  }
};

inline Task fitting(Line& model) {
  Task task;
  task.module = &model;
  for (int64_t i = 0; i < 21; ++i) task.sizes.push_back(1 + i % 5);
  task.loss = [&model](const std::vector<int64_t>& examples, const StepKey& key) {
    std::vector<int32_t> kinds;
    std::vector<double> targets;
    for (const int64_t i : examples) {
      kinds.push_back(static_cast<int32_t>(i % 4));
      targets.push_back(std::sin(static_cast<double>(i)));
    }
    const auto n = std::ssize(kinds);
    const DropoutMode drop{model.dropout, key.seed, key.number()};
    const Tensor wanted = Tensor::from(targets, {n, 1}).to(DType::f32).to(model.device());
    const Var away =
        model.line(drop(model.kinds(Tensor::from(kinds, model.device())), "x")) - Var(wanted);
    Loss loss{mean(square(away)), n};
    loss.counts = {{"examples", static_cast<double>(n)}};
    loss.nll = loss.total.value().item();
    return loss;
  };
  task.measure = [](const Counts& counts) { return Metrics{{"seen", counts.at("examples")}}; };
  task.validate = [&model](const OnValidation& on_batch) {
    on_batch(1, 1);
    return Metrics{{"size", 1 + grad_norm(parameters(model))}};
  };
  return task;
}

}  // namespace heed
