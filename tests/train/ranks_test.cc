// Ranks of one machine, the sums that they make, and a training that they share.
#include "train/ranks.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <map>

#include "autograd/ops.h"
#include "nn/init.h"
#include "nn/layers.h"
#include "optim/optimizer.h"
#include "tests/file_helpers.h"
#include "train/forked_ranks.h"
#include "train/gradient_sum.h"
#include "train/loop.h"
#include "train/step.h"
#include "train/step_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

const std::atomic<bool> kNoStop = false;

// Runs the body on each rank; what a rank finds wrong is an error of all.
void on_ranks(int count, const std::function<void(Ranks&)>& body) {
  fork_ranks(
      count,
      [&](Ranks& ranks) {
        body(ranks);
        if (testing::Test::HasFailure()) throw Error("see above");
      },
      kNoStop);
}

TEST(Ranks, GiveEachOtherBlocks) {
  for (const int count : {1, 2, 3, 5}) {
    on_ranks(count, [&](Ranks& ranks) {
      EXPECT_EQ(ranks.size(), count);
      const auto text = [](int from, int to) {  // of several sizes, and empty
        return std::string(static_cast<size_t>(3 * from), static_cast<char>('a' + to));
      };
      std::vector<std::string> blocks;
      for (int to = 0; to < count; ++to) blocks.push_back(text(ranks.rank(), to));
      const auto got = ranks.exchange({blocks.begin(), blocks.end()});
      for (int from = 0; from < count; ++from) {
        EXPECT_EQ(got[static_cast<size_t>(from)].view(), text(from, ranks.rank()));
      }
      EXPECT_EQ(ranks.of_first("of " + std::to_string(ranks.rank())), "of 0");
      EXPECT_EQ(ranks.any(ranks.rank() == 0 ? 4 : 1), count > 1 ? 5U : 4U);
      EXPECT_EQ(ranks.any(0), 0U);
    });
  }
}

// More than they show each other at a time, in blocks that end anywhere.
TEST(Ranks, GiveEachOtherLargeBlocks) {
  on_ranks(3, [](Ranks& ranks) {
    const auto block = [](int from, int to) {
      std::string bytes(static_cast<size_t>(from + 1) * 3'000'001 + static_cast<size_t>(to), 'x');
      for (size_t i = 0; i < bytes.size(); i += 1000) bytes[i] = static_cast<char>(i / 1000 + to);
      return bytes;
    };
    std::vector<std::string> blocks;
    for (int to = 0; to < 3; ++to) blocks.push_back(block(ranks.rank(), to));
    const auto got = ranks.exchange({blocks.begin(), blocks.end()});
    for (int from = 0; from < 3; ++from) {
      EXPECT_TRUE(got[static_cast<size_t>(from)].view() == block(from, ranks.rank())) << from;
    }
    EXPECT_EQ(ranks.bytes_sent(), 2 * (ranks.rank() + 1) * 3'000'001 + 3 - ranks.rank());
    const auto all = ranks.gather(block(ranks.rank(), 0));
    for (int from = 0; from < 3; ++from) {
      EXPECT_TRUE(all[static_cast<size_t>(from)] == block(from, 0)) << from;
    }
  });
}

TEST(Ranks, OneThatFailsEndsAll) {
  const std::string host = name_of_rank(2, 4);
  EXPECT_EQ(error_of<Error>([] {
              fork_ranks(
                  4,
                  [](Ranks& ranks) {
                    if (ranks.rank() == 2) throw DataError("no such file");
                    ranks.any(0);  // for ever
                  },
                  kNoStop);
            }),
            host + ": no such file");
  EXPECT_EQ(error_of<UsageError>([] {
              fork_ranks(
                  4,
                  [](Ranks& ranks) {
                    if (ranks.rank() == 2) throw UsageError("no such option");
                    ranks.any(0);
                  },
                  kNoStop);
            }),
            host + ": no such option");
  EXPECT_EQ(error_of<Error>([] {
              fork_ranks(
                  4,
                  [](Ranks& ranks) {
                    if (ranks.rank() == 2) ::raise(SIGKILL);
                    ranks.any(0);
                  },
                  kNoStop);
            }),
            host +
                ": was ended by signal 9 (Killed); the others were ended too; a training goes on "
                "with --resume");
  EXPECT_EQ(error_of<UsageError>([] {
              fork_ranks(
                  65, [](Ranks&) {}, kNoStop);
            }),
            "ranks: expected 1 to 64, got 65");
}

// ---- pieces -------------------------------------------------------------------------------------

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

// ---- gradients ----------------------------------------------------------------------------------

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

// ---- a training ---------------------------------------------------------------------------------

// A line through points, with an embedding of two kinds of them and noise that is drawn.
struct Line : Module {
  Linear line{3, 1};
  Embedding kinds{4, 3};
  double dropout = 0.3;
  void visit(Visitor& v) override {
    v("line", line);
    v("kinds", kinds);
  }
};

Task fitting(Line& model) {
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
    const Var away = model.line(drop(model.kinds(Tensor::from(kinds)), "x")) -
                     Var(Tensor::from(targets, {n, 1}).to(DType::f32));
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

struct SharedTraining : testing::Test {
  SharedTraining() { settings.optimizer.name = "adam"; }

  bool train_line(const std::string& name, Ranks& ranks, TrainHooks hooks = {}) const {
    Line model;
    init(model, static_cast<uint64_t>(1 + ranks.rank()));  // rank 0's are taken
    hooks.ranks = &ranks;
    if (ranks.first()) fs::create_directories(dir.path(name));
    return train(dir.path(name), settings, {fitting(model)}, hooks);
  }
  std::map<std::string, std::string> files(const std::string& name) const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::directory_iterator(dir.path(name))) {
      const std::string file = entry.path().filename();
      if (file != kStepsFile) all[file] = dir.read(name + "/" + file);
    }
    return all;
  }

  const TempDir dir;
  LoopSettings settings = {
      .batch_size = 6, .max_epochs = 3, .schedule = {.rate = 0.1}, .pieces = 8, .log_steps = 1};
};

TEST_F(SharedTraining, HasTheSameBitsForAnyNumberOfRanks) {
  ASSERT_TRUE(train_line("one", alone()));
  ASSERT_EQ(load_steps(dir.path("one")).size(), 12u);
  for (const int count : {1, 2, 3, 4, 8}) {
    const std::string name = std::to_string(count);
    on_ranks(count, [&](Ranks& ranks) { EXPECT_TRUE(train_line(name, ranks)); });
    EXPECT_EQ(files(name), files("one")) << count;
    EXPECT_EQ(load_steps(dir.path(name)).back().loss, load_steps(dir.path("one")).back().loss);
  }
  settings.pieces = 4;  // other dropout, another order of the sums
  ASSERT_TRUE(train_line("four", alone()));
  EXPECT_NE(files("four"), files("one"));
}

TEST_F(SharedTraining, EveryPieceHasAKeyOfItsOwn) {
  Line model;
  init(model, 1);
  Task task = fitting(model);
  std::vector<uint64_t> keys;
  task.loss = [&, loss = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    keys.push_back(key.number());
    return loss(examples, key);
  };
  settings.max_epochs = 1;
  ASSERT_TRUE(train(dir.path("."), settings, {task}));
  EXPECT_EQ(keys.size(), 21u);  // pieces with an example: 6, 6, 6 and 3
  std::sort(keys.begin(), keys.end());
  EXPECT_EQ(std::adjacent_find(keys.begin(), keys.end()), keys.end());
}

// Without dropout, and but for the order of its sums, the gradient of the pieces is that of the
// batch, whatever sizes they have.
TEST_F(SharedTraining, PiecesHaveTheGradientOfTheBatch) {
  Line model;
  init(model, 1);
  Task task = fitting(model);
  model.dropout = 0;
  task.sizes[20] = 100;  // alone in its piece
  const std::vector<int64_t> batch = {20, 1, 2, 3, 4, 5, 6, 7, 8};
  std::vector<std::vector<double>> gradients;
  for (const int pieces : {1, 2}) {
    zero_grad(model);
    StepSum sum = PiecewiseGradients(pieces, alone()).compute_gradients(task, batch, {}).sum();
    EXPECT_EQ(sum.tokens, 9);
    EXPECT_EQ(sum.counts.at("examples"), 9);
    std::vector<double> all = {sum.total, sum.nll};
    for (const NamedParameter& p : parameters(model)) {
      for (const double g : p.var.grad().to_vector()) all.push_back(g);
    }
    gradients.push_back(all);
  }
  for (size_t i = 0; i < gradients[0].size(); ++i) {
    EXPECT_NEAR(gradients[1][i], gradients[0][i], 1e-5) << i;
  }
}

// Stopped by one rank in the middle of an epoch, with three ranks, it goes on with two.
TEST_F(SharedTraining, GoesOnWithAnotherNumberOfRanks) {
  ASSERT_TRUE(train_line("whole", alone()));
  on_ranks(3, [&](Ranks& ranks) {
    std::atomic<bool> stop = false;
    TrainHooks hooks;
    hooks.stop = &stop;
    hooks.on_step = [&](const TrainProgress& p) {
      stop = ranks.rank() == 1 && p.epoch == 2 && p.step == 3;
    };
    EXPECT_FALSE(train_line("parts", ranks, hooks));
  });
  EXPECT_TRUE(fs::exists(dir.path("parts/checkpoint-1-3.safetensors")));
  on_ranks(2, [&](Ranks& ranks) { EXPECT_TRUE(train_line("parts", ranks)); });
  EXPECT_EQ(files("parts")["model.safetensors"], files("whole")["model.safetensors"]);
  EXPECT_EQ(files("parts")["log.jsonl"], files("whole")["log.jsonl"]);
}

// As on machines of several kinds.
TEST_F(SharedTraining, RefusesRanksWithOtherNumbers) {
  const std::string error = error_of<Error>([&] {
    on_ranks(2, [&](Ranks& ranks) {
      Line model;
      TrainHooks hooks;
      hooks.ranks = &ranks;
      hooks.on_step = [&](const TrainProgress& p) {
        if (ranks.rank() == 1 && p.step == 2) model.line.bias.value().fill(7);
      };
      init(model, 1);
      fs::create_directories(dir.path("run"));
      train(dir.path("run"), settings, {fitting(model)}, hooks);
    });
  });
  EXPECT_NE(error.find("training: the numbers of rank 1 on "), std::string::npos) << error;
  EXPECT_NE(error.find(": ranks need processors of one kind and the same heed"), std::string::npos);
  EXPECT_FALSE(fs::exists(dir.path("run/state.json")));
}

TEST_F(SharedTraining, NeedsAPieceForEachRank) {
  settings.pieces = 2;
  const std::string error =
      error_of<UsageError>([&] { on_ranks(3, [&](Ranks& ranks) { train_line("run", ranks); }); });
  EXPECT_NE(error.find(": ranks: 3 share out the pieces of a batch, and this training cuts it into "
                       "2; take fewer ranks, or more --pieces for a new run"),
            std::string::npos)
      << error;
  settings.pieces = 12;
  EXPECT_EQ(error_of<UsageError>([&] { settings.check(); }),
            "pieces: expected a power of two, 1 to 1024, got 12");
}

}  // namespace
}  // namespace heed
