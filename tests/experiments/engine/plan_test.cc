// Names of runs, and which of them a shard has.
#include "experiments/engine/runs/plan.h"

#include <gtest/gtest.h>

#include "experiments/engine/runs/overview.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

TEST(Runs, AreFoundByTheirNames) {
  const std::vector<std::string> variants = {"a", "a-seedy", "a-seed1", "b"};
  for (size_t v = 0; v < variants.size(); ++v) {
    for (const uint64_t seed : {0, 1, 3, 10}) {
      const PlannedRun run = planned_run(variants, v, seed);
      const auto found = find_run(variants, run.name);
      ASSERT_TRUE(found) << run.name;
      EXPECT_EQ(found->variant, v) << run.name;
      EXPECT_EQ(found->seed, seed) << run.name;
    }
  }
  for (const char* name :
       {"", "a", "a-seed", "a-seedx", "a-seed1x", "a-seed-1", "c-seed1", "-seed1"}) {
    EXPECT_FALSE(find_run(variants, name)) << name;
  }
}

// Each run is that of one shard, for any number of them.
TEST(Runs, AreSharedOut) {
  const std::vector<std::string> variants = {"a", "b", "c"};
  for (const int shards : {1, 2, 3, 4, 7}) {
    std::vector<std::string> names(6);
    for (int shard = 1; shard <= shards; ++shard) {
      Selection selection;
      parse_shard(std::to_string(shard) + "/" + std::to_string(shards), selection);
      size_t at = static_cast<size_t>(shard) - 1;
      for (const PlannedRun& run : select_runs(variants, 1, 2, selection)) {
        ASSERT_LT(at, names.size());
        names[at] = run.name;
        at += static_cast<size_t>(shards);
      }
    }
    EXPECT_EQ(names, (std::vector<std::string>{"a-seed1", "b-seed1", "c-seed1", "a-seed2",
                                               "b-seed2", "c-seed2"}));
  }
}

// Of two of four variants each shard has one.
TEST(Runs, ShardsCountTheChosenVariants) {
  for (const auto& [shard, names] : {std::pair(1, std::vector<std::string>{"b-seed5", "b-seed6"}),
                                     {2, {"d-seed5", "d-seed6"}}}) {
    std::vector<std::string> its;
    for (const PlannedRun& run :
         select_runs({"a", "b", "c", "d"}, 5, 2, {.only = "d,b", .shard = shard, .shards = 2})) {
      its.push_back(run.name);
    }
    EXPECT_EQ(its, names) << shard;
  }
}

TEST(Runs, SeedsEndWithTheLargest) {
  const uint64_t last = 18446744073709551615u;
  EXPECT_EQ(select_runs({"a"}, last, 1, {})[0].name, "a-seed18446744073709551615");
  EXPECT_EQ(select_runs({"a"}, last - 1, 2, {})[1].seed, last);
  EXPECT_EQ(error_of<UsageError>([&] { select_runs({"a"}, last - 1, 3, {}); }),
            "seeds: 3 from 18446744073709551614 on go beyond the largest one, "
            "18446744073709551615");
}

TEST(Runs, AShardThatIsNoneIsRefused) {
  Selection selection;
  for (const char* text : {"", "1", "/2", "1/", "1/2x", "1x/2", "1/2/3", " 1/2", "1 /2", "1.5/2"}) {
    EXPECT_EQ(error_of<UsageError>([&] { parse_shard(text, selection); }),
              std::string("shard: expected i/n, such as 1/2, got '") + text + "'");
  }
  for (const char* text : {"0/2", "3/2", "1/0", "-1/2"}) {
    parse_shard(text, selection);
    EXPECT_NE(error_of<UsageError>([&] { select_runs({"a"}, 1, 1, selection); }), "no error")
        << text;
  }
}

// With its result, and, where it is a training's, with all additions.
TEST(Runs, AreFinishedWithAllTheirFiles) {
  const TempDir dir;
  Plan plan;
  plan.out = dir.path("");
  plan.additions = {"one.json", "two.json"};
  plan.is_trained = [](const PlannedRun& run) { return run.variant == 0; };
  const PlannedRun trained = planned_run({"a", "b"}, 0, 1), made = planned_run({"a", "b"}, 1, 1);
  for (const PlannedRun& run : {trained, made}) {
    std::filesystem::create_directory(plan.directory(run));
    EXPECT_FALSE(plan.is_finished(run));
    dir.write(run.name + "/evaluation.json", "{}");
  }
  EXPECT_FALSE(plan.is_finished(trained));
  EXPECT_TRUE(plan.is_finished(made));
  dir.write("a-seed1/one.json", "{}");
  EXPECT_FALSE(plan.is_finished(trained));
  dir.write("a-seed1/two.json", "{}");
  EXPECT_TRUE(plan.is_finished(trained));
}

// Epochs of a kind take 20 s and those of all 40 s in the mean, measurements 8 s: of 4 epochs 2.5
// are left, and 2 of a kind that has none yet, with the measurements of both.
TEST(Runs, LeaveTimeByTheirKinds) {
  const std::vector<RunProgress> runs = {{"a", true, 2, 2, {{10, 20}, 6}},
                                         {"a", false, 4, 1.5, {{30}, 0}},
                                         {"b", false, 2, 0, {}},
                                         {"c", true, 1, 1, {{100}, 10}}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1), 2.5 * 20 + 8 + 2 * 40 + 8);
  EXPECT_DOUBLE_EQ(seconds_left(runs, 2), (2.5 * 20 + 8 + 2 * 40 + 8) / 2);
  EXPECT_EQ(seconds_left({runs[2]}, 1), 0);  // nothing is known
  // An epoch whose checkpoint was lost is done again, so that a run can have more times than
  // epochs.
  EXPECT_DOUBLE_EQ(seconds_left({runs[1], {"a", false, 2, 3, {{30, 30, 30}, 0}}}, 1), 2.5 * 30);
}

// All its epochs are behind it, but nothing is measured.
TEST(Overview, ATrainedRunIsNotDone) {
  const TempDir dir;
  Plan plan;
  plan.out = dir.path("");
  plan.kind = [](const PlannedRun&) { return "all"; };
  plan.max_epochs = [](const PlannedRun&) { return 2; };
  plan.runs = {planned_run({"a"}, 0, 1)};
  std::filesystem::create_directory(plan.directory(plan.runs[0]));
  save_times(plan.directory(plan.runs[0]), {{10, 10}, 0});
  EXPECT_EQ(Overview(plan, 1).done(), 0u);
}

// Two of four runs are finished, each after two epochs of 10 s; a third has done a quarter of its
// second epoch of four, the last one is measured.
TEST(Overview, SaysWhatRunsAndHowLongItTakes) {
  const TempDir dir;
  Plan plan;
  plan.out = dir.path("");
  plan.train_metric = "train_loss", plan.metric_digits = 2;
  plan.kind = [](const PlannedRun&) { return "all"; };
  plan.max_epochs = [](const PlannedRun&) { return 4; };
  for (const size_t v : {0, 1, 2, 3}) plan.runs.push_back(planned_run({"a", "b", "c", "d"}, v, 1));
  for (const PlannedRun& run : plan.runs) std::filesystem::create_directory(plan.directory(run));
  for (const size_t v : {0, 1}) {
    dir.write(plan.runs[v].name + "/evaluation.json", "{}");
    save_times(plan.directory(plan.runs[v]), {{10, 10}, 0});
  }
  Overview overview(plan, 1);
  EXPECT_EQ(overview.done(), 2u);
  using Kind = WorkerNews::Kind;
  const auto seconds = [](double left) { return std::to_string(left); };
  overview.hear({.kind = Kind::kBegun, .run = "c-seed1", .process = 7});
  EXPECT_EQ(overview.line(seconds),
            "2 of 4 done | c-seed1 begins | about 80.000000 of training left");
  overview.hear({.kind = Kind::kTraining,
                 .run = "c-seed1",
                 .epoch = 2,
                 .max_epochs = 4,
                 .part = 0.25,
                 .metric = 1.5,
                 .process = 7});
  overview.hear(
      {.kind = Kind::kMeasuring, .run = "d-seed1", .part = 0.5, .message = "none", .process = 8});
  EXPECT_EQ(
      overview.line(seconds),
      "2 of 4 done | c-seed1 epoch 2/4 25% loss 1.50 | d-seed1 test none 50% | about 27.500000 "
      "of training left");
  // What a step takes counts only until an epoch is done.
  save_times(plan.directory(plan.runs[2]), {{10}, 0});
  overview.hear({.kind = Kind::kEpoch, .run = "c-seed1", .epoch = 1, .process = 7});
  overview.hear({.kind = Kind::kTraining,
                 .run = "c-seed1",
                 .epoch = 2,
                 .max_epochs = 4,
                 .part = 0.5,
                 .seconds = 400,
                 .process = 7});
  EXPECT_TRUE(overview.line(seconds).ends_with("| about 25.000000 of training left"))
      << overview.line(seconds);
  overview.hear({.kind = Kind::kFailed, .run = "c-seed1", .message = "no", .process = 7});
  EXPECT_EQ(overview.line(seconds), "2 of 4 done | d-seed1 test none 50%");
  save_times(plan.directory(plan.runs[1]), {{10, 10}, 30});  // now it is known what tests take
  overview.look();
  EXPECT_EQ(overview.line(seconds), "2 of 4 done | d-seed1 test none 50% | about 30.000000 left");
}

}  // namespace
}  // namespace heed
