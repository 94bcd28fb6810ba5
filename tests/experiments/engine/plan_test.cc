// Names of runs, and which of them a shard has.
#include "experiments/engine/runs/plan.h"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace heed
