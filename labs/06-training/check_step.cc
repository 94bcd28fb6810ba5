// Lab 6, task sparse: steps of whole models and of tables. The kernel of a step: check_sgd.cc.
#include "labs/06-training/models.h"
#include "tensor/allocator.h"

namespace heed::lab {
namespace {

const Tolerance kExact = {.relative = 1e-12, .absolute = 1e-13};

// ---- task: sparse

// What a group of parameters has, as factors of what all have.
struct Group {
  double rate = 1, decay = 1;
};

void check_step_of_all(Draw& draw, double momentum, size_t count) {
  Bag bag;
  const Shape shape = {draw.between(2, 8)};
  // The second has no gradient at first; the last ones have one element.
  std::vector<Shape> shapes = {shape, {draw.between(9, 15)}, shape, shape, {1}, {}};
  shapes.erase(shapes.begin() + static_cast<std::ptrdiff_t>(count), shapes.end());
  const std::vector<Group> of = {{}, {}, {0.25, 0.5}, {1, 0}, {}, {}};
  std::vector<ParameterGroup> groups;
  for (size_t i = 2; i < std::min<size_t>(count, 4); ++i) {
    groups.push_back({.name = text("p", i), .rate = of[i].rate, .weight_decay = of[i].decay});
  }
  std::vector<Tensor> before, after(shapes.size());
  for (size_t i = 0; i < shapes.size(); ++i) {
    bag.all.push_back(Var::parameter(draw.normal(shapes[i])));
    if (i != 1) give(bag.all[i], draw.normal(shapes[i]));
    before.push_back(bag.all[i].value().clone());
  }
  const double rate = draw.uniform(0.1, 0.5), decay = draw.uniform(0.1, 0.5);
  const double scale = draw.uniform(0.2, 0.7);
  Sgd sgd(bag, {.rate = rate, .momentum = momentum, .weight_decay = decay, .groups = groups});
  sgd.step({.scale = scale});
  expect_close("a parameter without a gradient", bag.all[1].value(), before[1],
               {.law = "it is not among those that update() gets, and stays"});
  const auto name = [&](size_t i) {
    return text(momentum > 0 ? "" : "without momentum, ", "parameter ", i, " of ", shapes.size(),
                ", counted from 0,");
  };
  for (size_t i = 0; i < shapes.size(); ++i) {
    if (i == 1) continue;
    after[i] = bag.all[i].value().clone();
    const Tensor &p = before[i], g = bag.all[i].grad();
    const double r = of[i].rate * rate, w = of[i].decay * decay;
    expect_close(name(i) + " after the first step", after[i], combined(1 - r * w, p, -r * scale, g),
                 {.tolerance = kExact,
                  .suspects = {{"the parameter as it was", p},
                               {"a step with the rate of all, and not that of its group",
                                combined(1 - rate * w, p, -rate * scale, g)},
                               {"a step with the weight decay of all, and not that of its group",
                                combined(1 - r * decay, p, -r * scale, g)},
                               {"a step without the scale", combined(1 - r * w, p, -r, g)},
                               {"a step with weight decay and momentum exchanged",
                                combined(1 - r * momentum, p, -r * scale, g)}},
                  .law = "rate, weight decay and scale of a parameter are in its Update; the "
                         "momentum is that of all"});
  }
  if (testing::Test::HasFailure()) return;
  give(bag.all[1], draw.normal(bag.all[1].shape()));  // now it is among them, between the others
  sgd.step({.scale = scale});
  for (size_t i = 0; i < shapes.size(); ++i) {  // v = m d1 + d2, d = scale g + w p
    if (i == 1) continue;
    const Tensor &p = after[i], g = bag.all[i].grad();
    const double r = of[i].rate * rate, w = of[i].decay * decay;
    const Tensor remembered = combined(w, before[i], scale, g);
    expect_close(name(i) + " after the second step", bag.all[i].value(),
                 combined(1, combined(1 - r * w, p, -r * scale, g), -r * momentum, remembered),
                 {.tolerance = kExact,
                  .suspects = {{"the parameter as the first step left it", p},
                               {"a step that remembers nothing of the first",
                                combined(1 - r * w, p, -r * scale, g)}},
                  .law = "each parameter has a velocity of its own, (*velocity_)[u.index]"});
  }
}

LAB_CHECK(StepOfAll) {
  Draw draw;
  for (const size_t count : {6, 2, 3}) {
    if_stopped("");
    check_step_of_all(draw, draw.uniform(0.3, 0.9), count);
    if_stopped("Without momentum velocity_ is null.");
    if (!testing::Test::HasFailure()) check_step_of_all(draw, 0, count);
    if (testing::Test::HasFailure()) return;
  }
}

// The kernel by itself, of both types, with a scale of either sign.
void check_rows(Draw& draw, DType type, double scale) {
  // So many rows that threads share them.
  const Tensor table = draw.normal({draw.between(2400, 2800), 2 * draw.between(10, 15) + 1}, type);
  const int64_t rows = table.shape()[0], width = table.shape()[1];
  std::vector<int32_t> ids = {static_cast<int32_t>(rows - 1), 0};
  for (int32_t id = 3; id < rows - 2; id += 2) ids.push_back(id);
  const Tensor g = draw.normal({std::ssize(ids), width}, type), before = table.clone();
  const Tensor all = Tensor::zeros(table.shape(), DType::f64);
  const std::vector<double> values = g.to_vector();
  for (int64_t i = 0; i < g.numel(); ++i) {
    all.data<double>()[ids[i / width] * width + i % width] = values[i];
  }
  const double rate = draw.uniform(0.05, 0.5);
  const Tensor list = Tensor::from(ids), given = g.clone();
  KERNEL(table, sgd_update_rows(table.data<T>(), g.data<T>(), list.data<int32_t>(), &scale, rate,
                                std::ssize(ids), width));
  expect_close(text("a table of ", type == DType::f32 ? "f32" : "f64",
                    " after a step of some of its rows, scale ", scale),
               table.to(DType::f64), combined(1, before, -rate * scale, all),
               {.tolerance = {.relative = 1e-5, .absolute = 1e-6},
                .suspects = {{"the table as it was", combined(1, before, 0, all)},
                             {"a table with steps the other way: the scale has a sign, and the "
                              "gradient is to be subtracted",
                              combined(1, before, rate * scale, all)}},
                .law = "row i of the gradient belongs to row ids[i] of the table, with all its "
                       "columns, and is taken times rate and scale"});
  expect_close("the gradient, after the step", g, given,
               {.tolerance = {.relative = 0, .absolute = 0},
                .law = "it is read, and not written to: who asks for it afterwards gets it"});
}

// The last row of a table of 2^32 elements, of which no other is there.
void check_far_row(Draw& draw) {
  if_stopped("Row ids[i] begins at ids[i] times width, which is more than 32 bits hold.");
  const int64_t width = 4096;
  const int32_t id = 1 << 20;
  const Tensor row = draw.normal({width}), before = row.clone(), g = draw.normal({width});
  auto* const table = reinterpret_cast<double*>(reinterpret_cast<uintptr_t>(row.data<double>()) -
                                                sizeof(double) * id * width);
  const double scale = 1;
  cpu::sgd_update_rows(table, g.data<double>(), &id, &scale, 0.5, 1, width);
  expect_close("row 2^20 of a table of that many rows", row, combined(1, before, -0.5, g),
               {.tolerance = kExact, .law = "row ids[i] begins at ids[i] times width"});
}

LAB_CHECK(SparseEqualsDense) {
  LAB_AFTER(StepOfAll);
  Draw draw;
  for (const double sign : {1.0, -1.0}) {
    check_rows(draw, DType::f64, sign * draw.uniform(0.2, 0.7));
    check_rows(draw, DType::f32, sign * draw.uniform(0.2, 0.7));
    if (testing::Test::HasFailure()) return;
  }
  check_far_row(draw);
  if_stopped("");
  if (testing::Test::HasFailure()) return;
  const Tensor start = draw.normal({draw.between(6, 12), draw.between(2, 5)});
  std::vector<Tensor> ids;
  for (int step = 0; step < 3; ++step) ids.push_back(Tensor::from(draw.ids(4, start.shape()[0])));
  const Sgd::Options plain = {.rate = draw.uniform(0.05, 0.3),
                              .groups = {{.name = "p1", .rate = 0.25}}};
  Sgd::Options with_momentum = plain, with_decay = plain, one_rate = plain;
  with_momentum.momentum = 0.8;
  with_decay.weight_decay = 0.2;
  one_rate.groups.clear();
  const Tensor dense = tables_after(start, false, plain, ids);
  std::vector<double> of_first = dense.to_vector();
  of_first.resize(start.numel());
  const Tensor first = Tensor::from(of_first, start.shape());
  const auto check = [&](const std::string& name, const Sgd::Options& options, const Tensor& from) {
    const bool coarse = from.dtype() == DType::f32;
    const bool moves_all = options.momentum > 0 || options.weight_decay > 0;
    expect_close("two tables with sparse gradients after three steps, " + name,
                 tables_after(from, true, options, ids), tables_after(from, false, options, ids),
                 {.tolerance = coarse ? Tolerance{.relative = 1e-5, .absolute = 1e-6} : kExact,
                  .suspects = {{"the tables as they were", below(start, start)},
                               {"a step of the first table alone", below(first, start)},
                               {"that of one rate for both, and not that of their groups",
                                tables_after(start, false, one_rate, ids)},
                               {"that of plain steps: with momentum or weight decay all rows move, "
                                "also those that were not looked up in this step",
                                moves_all ? dense : Tensor::zeros({0}, DType::f64)}},
                  .law = "row i of the gradient belongs to row ids[i] of the table, and is taken "
                         "times rate and scale",
                  .want = "yours, with dense gradients",
                  .got = "yours, with sparse ones"});
  };
  check("plain", plain, start);
  check("with momentum", with_momentum, start);
  check("with weight decay", with_decay, start);
  check("plain, of f32", plain, start.to(DType::f32));
  check("plain, of tables with one more axis", plain,
        start.reshape({start.shape()[0], start.shape()[1], 1}));
}

void check_memory(Draw& draw, const Sgd::Options& options, const std::string& name) {
  Bag bag;
  const Shape shape = {draw.between(20000, 30000), draw.between(24, 40)};
  bag.all = {Var::parameter(draw.normal(shape, DType::f32), /*sparse_rows=*/true)};
  Sgd sgd(bag, options);
  sum(gather_rows(bag.all[0], Tensor::from(draw.ids(10, shape[0])))).backward();
  release_cached();
  const int64_t before = memory_stats().bytes_in_use;
  reset_peak();
  sgd.step({.max_norm = 1});
  const double share = static_cast<double>(memory_stats().peak_bytes - before) /
                       static_cast<double>(bag.all[0].value().bytes());
  expect(share < 0.05, "a step after ten words were looked up" + name + " takes memory of " +
                           text(share) +
                           " times the whole table: it makes a gradient for every row. A table of "
                           "50,000 words is touched in ten rows.");
}

// What is in use after each of some steps.
void check_that_nothing_stays(Draw& draw) {
  Bag bag;
  bag.all = {Var::parameter(draw.normal({1000})), Var::parameter(draw.normal({50, 20}), true)};
  Sgd sgd(bag, {.rate = 0.1, .momentum = 0.5});
  int64_t first = 0, last = 0;
  for (int step = 0; step < 10; ++step) {
    give(bag.all[0], draw.normal({1000}));
    bag.all[1].zero_grad();
    sum(gather_rows(bag.all[1], Tensor::from(draw.ids(5, 50)))).backward();
    sgd.step({.max_norm = 1});
    zero_grad(bag);
    last = memory_stats().bytes_in_use;
    if (step == 1) first = last;
  }
  expect(last <= first, text("after 10 steps ", last - first,
                             " bytes more are in use than after 2: something stays of each step."));
}

LAB_CHECK(MemoryOfAStep) {
  LAB_AFTER(SparseEqualsDense);
  Draw draw;
  check_that_nothing_stays(draw);
  check_memory(draw, {.rate = 0.1}, "");
  if (testing::Test::HasFailure()) return;
  check_memory(draw,
               {.rate = 0.1, .weight_decay = 0.1, .groups = {{.name = "p0", .weight_decay = 0}}},
               ", in a table whose group has the weight decay 0,");
}

LAB_CHECK(LearnsToCopy) {
  Draw draw;
  const int64_t symbols = draw.between(4, 6), length = draw.between(4, 6);
  SequenceModel model(symbols, /*embedding_width=*/6, /*width=*/16);
  init(model, seed());
  Sgd sgd(model, {.rate = 0.5, .momentum = 0.9});
  const double before = copy_loss(model, nullptr, symbols, length, draw.rng());
  for (int step = 0; step < 500; ++step) copy_loss(model, &sgd, symbols, length, draw.rng());
  const double after = copy_loss(model, nullptr, symbols, length, draw.rng());
  expect(after < 0.2 * before,
         "500 steps of training took the loss from " + text(before) + " to " + text(after) +
             ", and guessing is " + text(std::log(static_cast<double>(symbols))) +
             ". If the other checks of this task pass, look at clipping and norm.");
}

}  // namespace
}  // namespace heed::lab
