// A training that ranks share.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>

#include "nn/init.h"
#include "tests/file_helpers.h"
#include "tests/train/line_helpers.h"
#include "tests/train/ranks_helpers.h"
#include "train/loop.h"
#include "train/step.h"
#include "train/step_log.h"

namespace heed {
namespace {

namespace fs = std::filesystem;

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

// The same where examples weigh 1 to 3 in the loss: a piece weighs what its examples weigh.
TEST_F(SharedTraining, PiecesWeighWhatTheirExamplesWeigh) {
  Line model;
  init(model, 1);
  Task task = fitting(model);
  model.dropout = 0;
  for (int64_t i = 0; i < 21; ++i) task.weights.push_back(1 + i % 3);
  task.loss = [&, alike = task.loss](const std::vector<int64_t>& examples, const StepKey& key) {
    std::vector<int64_t> repeated;
    for (const int64_t i : examples) repeated.insert(repeated.end(), task.weights[i], i);
    return alike(repeated, key);
  };
  const std::vector<int64_t> batch = {1, 2, 5, 8, 11, 3, 6, 9, 14};
  std::vector<double> totals, nlls;
  std::vector<std::vector<double>> gradients;
  for (const int pieces : {1, 4}) {
    zero_grad(model);
    const StepSum sum =
        PiecewiseGradients(pieces, alone()).compute_gradients(task, batch, {}).sum();
    totals.push_back(sum.total), nlls.push_back(sum.nll);
    gradients.push_back(model.line.weight.grad().to_vector());
  }
  EXPECT_NEAR(totals[1], totals[0], 1e-6);
  EXPECT_NEAR(nlls[1], nlls[0], 1e-6);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(gradients[1][i], gradients[0][i], 1e-5) << i;
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
