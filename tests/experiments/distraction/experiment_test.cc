// Variants, and how long runs take.
#include <set>

#include "experiments/distraction/variants.h"
#include "experiments/engine/runs/plan.h"
#include "experiments/engine/runs/times.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::vector<std::string> names(const std::vector<PlannedRun>& runs) {
  std::vector<std::string> result;
  for (const PlannedRun& run : runs) result.push_back(run.name);
  return result;
}

// ---- variants

std::vector<PlannedRun> select(uint64_t first_seed, int seeds, const Selection& selection) {
  return select_runs(names_of(variant_names(all_variants())), first_seed, seeds, selection);
}

TEST(Variants, AreTheOnesOfThePaper) {
  std::set<std::string> all;
  int without_loss = 0;
  for (const Variant& v : all_variants()) {
    all.insert(v.name.name);
    without_loss += !v.attention_loss;
    const auto place = find_variant(v.structure.name, v.insert_prob, v.attention_loss);
    ASSERT_TRUE(place);
    const auto baseline = baseline_of(*place);
    ASSERT_EQ(baseline.has_value(), v.insert_prob > 0);
    if (!baseline) continue;
    EXPECT_EQ(all_variants()[*baseline].name.name, std::string(v.structure.name) + "-p0");
  }
  EXPECT_EQ(all.size(), 23u);
  EXPECT_EQ(without_loss, 3);
  for (const char* name : {"non-hier-p0", "dynamic-ui-p1.0", "static-ui-p0.7-no-loss"}) {
    EXPECT_TRUE(all.contains(name)) << name;
  }
  EXPECT_FALSE(find_variant("static", 0.5, false));
}

TEST(Variants, Select) {
  EXPECT_EQ(select(1, 1, {}).size(), 23u);
  EXPECT_EQ(select(1, 3, {}).size(), 69u);
  EXPECT_EQ(select(1, 1, {.only = "static-ui*"}).size(), 7u);
  EXPECT_EQ(names(select(5, 2, {.only = "dynamic-p0"})),
            (std::vector<std::string>{"dynamic-p0-seed5", "dynamic-p0-seed6"}));
  // several patterns: in the order of the variants, and a variant that two fit once
  EXPECT_EQ(names(select(5, 1, {.only = "dynamic-p0,non-hier-p0,dynamic-p?"})),
            (std::vector<std::string>{"non-hier-p0-seed5", "dynamic-p0-seed5"}));
  // shards share all runs out, and no run twice
  std::multiset<std::string> all;
  for (int shard = 1; shard <= 4; ++shard) {
    for (const std::string& n : names(select(1, 2, {.shard = shard, .shards = 4}))) {
      all.insert(n);
    }
  }
  EXPECT_EQ(all.size(), 46u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 46u);
  const auto error = [](int seeds, const Selection& selection) {
    return error_of<UsageError>([&] { select(1, seeds, selection); });
  };
  EXPECT_NE(error(1, {.only = "statik*"}).find("no variant fits 'statik*'; there are non-hier-p0"),
            std::string::npos);
  EXPECT_NE(error(1, {.only = "static-*,"}).find("no variant fits ''"), std::string::npos);
  EXPECT_NE(error(1, {.only = "gru,static-*"}).find("no variant fits 'gru'"), std::string::npos);
  EXPECT_EQ(error(1, {.shard = 3, .shards = 2}), "shard: expected i/n with 1 <= i <= n, got 3/2");
  EXPECT_EQ(error(0, {}), "seeds: expected at least 1, got 0");
}

// ---- time left

TEST(Times, LeftFromMeasuredEpochs) {
  std::vector<RunProgress> runs = {{"static", true, 4, 4, {{10, 10, 10, 10}, 8}},
                                   {"static", false, 4, 1, {{10}, 0}},
                                   {"dynamic", false, 4, 0, {}},
                                   {"static", false, 4, 0, {}}};
  // 3 and 4 epochs of static, 4 of dynamic, of which only the mean of all is known, 3 tests
  EXPECT_DOUBLE_EQ(seconds_left(runs, 1), (3 + 4 + 4) * 10 + 3 * 8);
  runs[2] = {"dynamic", false, 4, 1.5, {{40}, 0}};
  EXPECT_DOUBLE_EQ(seconds_left(runs, 2), (3 * 10 + 4 * 10 + 2.5 * 40 + 3 * 8) / 2.0);
  EXPECT_EQ(seconds_left({{"static", false, 4, 0, {}}}, 2), 0);
}

TEST(Times, AreKept) {
  const TempDir dir;
  EXPECT_TRUE(load_times(dir.path("")).epochs.empty());
  save_times(dir.path(""), {{1.5, 2}, 3});
  EXPECT_EQ(load_times(dir.path("")).epochs, (std::vector<double>{1.5, 2}));
  EXPECT_EQ(load_times(dir.path("")).evaluation, 3);
  dir.write("times.json", "[]");
  EXPECT_NE(error_of<DataError>([&] { load_times(dir.path("")); }).find("times.json: not what"),
            std::string::npos);
}

}  // namespace
}  // namespace heed
