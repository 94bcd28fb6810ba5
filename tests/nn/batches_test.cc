#include "nn/batches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <numeric>
#include <set>
#include <thread>

#include "base/error.h"
#include "nn/recurrent.h"
#include "tensor/random.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

std::vector<int64_t> random_lengths(int64_t count) {
  Rng rng(9, "test.lengths");
  std::vector<int64_t> lengths(count);
  for (int64_t& n : lengths) n = 5 + static_cast<int64_t>(rng.below(300));
  return lengths;
}

TEST(BucketBatches, HoldEveryIndexOnce) {
  for (const int64_t count : {0, 1, 7, 8, 9, 399, 400, 401, 1000}) {
    std::vector<int64_t> all;
    for (const auto& batch : bucket_batches(random_lengths(count), 8, 1, 2)) {
      EXPECT_GE(batch.size(), 1u);
      EXPECT_LE(batch.size(), 8u);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    std::sort(all.begin(), all.end());
    std::vector<int64_t> expected(count);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(all, expected);
  }
}

// One short batch a window at most.
TEST(BucketBatches, AreFull) {
  EXPECT_EQ(bucket_batches(random_lengths(1000), 8, 1, 0).size(), 125u);
  EXPECT_EQ(bucket_batches(random_lengths(1003), 8, 1, 0).size(), 126u);
}

TEST(BucketBatches, AreAFunctionOfSeedAndEpoch) {
  const auto lengths = random_lengths(500);
  const auto batches = bucket_batches(lengths, 16, 1, 2);
  EXPECT_EQ(batches, bucket_batches(lengths, 16, 1, 2));
  const auto as_sets = [](const std::vector<std::vector<int64_t>>& list) {
    std::set<std::set<int64_t>> sets;
    for (const auto& batch : list) sets.emplace(batch.begin(), batch.end());
    return sets;
  };
  // other batches, not only another order of them
  EXPECT_NE(as_sets(batches), as_sets(bucket_batches(lengths, 16, 1, 3)));
  EXPECT_NE(as_sets(batches), as_sets(bucket_batches(lengths, 16, 2, 2)));
}

TEST(BucketBatches, HoldSimilarLengthsInAnyOrder) {
  const auto lengths = random_lengths(1600);
  const auto batches = bucket_batches(lengths, 32, 1, 0);  // one window: sorted throughout
  int64_t spread = 0, falling = 0, before = 0;
  for (const auto& batch : batches) {
    EXPECT_TRUE(std::is_sorted(batch.begin(), batch.end(),
                               [&](int64_t a, int64_t b) { return lengths[a] < lengths[b]; }));
    const auto [low, high] = std::minmax_element(
        batch.begin(), batch.end(), [&](int64_t a, int64_t b) { return lengths[a] < lengths[b]; });
    spread = std::max(spread, lengths[*high] - lengths[*low]);
    falling += lengths[*low] < before;
    before = lengths[*low];
  }
  EXPECT_LE(spread, 25);   // of 300, which is what chance would give
  EXPECT_GE(falling, 10);  // short batches do not come first
}

TEST(BucketBatches, NeedABatchSize) {
  for (const int64_t size : {0, -1}) {
    EXPECT_EQ(error_of<UsageError>([&] {
                bucket_batches({1, 2}, size, 1, 0);
              }),
              "batch: expected at least 1, got " + std::to_string(size));
  }
}

TEST(BucketBatches, AnyBatchSizeFits) {
  EXPECT_EQ(bucket_batches({1, 2, 3}, int64_t{1} << 62, 1, 0).size(), 1u);
}

TEST(ShuffledBatches, HoldEveryIndexOnceOrOnlyFullBatches) {
  for (const bool drop_last : {false, true}) {
    std::vector<int64_t> all;
    for (const auto& batch : shuffled_batches(403, 8, 1, 2, drop_last)) {
      EXPECT_TRUE(!drop_last || batch.size() == 8);
      all.insert(all.end(), batch.begin(), batch.end());
    }
    EXPECT_FALSE(std::is_sorted(all.begin(), all.end()));
    EXPECT_EQ(std::set<int64_t>(all.begin(), all.end()).size(), all.size());
    EXPECT_EQ(all.size(), drop_last ? 400u : 403u);
  }
  EXPECT_NE(shuffled_batches(403, 8, 1, 2), shuffled_batches(403, 8, 1, 3));
  EXPECT_TRUE(shuffled_batches(7, 8, 1, 0, /*drop_last=*/true).empty());
}

const std::vector<std::vector<int64_t>> kThreeBatches = {{2, 0}, {1, 4}, {3}};

TEST(Prefetched, GivesEveryBatchInOrderMadeOnAnotherThread) {
  const std::thread::id here = std::this_thread::get_id();
  std::atomic<int> made = 0;
  const auto make = [&](const std::vector<int64_t>& ids) {
    EXPECT_NE(std::this_thread::get_id(), here);
    ++made;
    return ids;
  };
  std::vector<std::vector<int64_t>> given;
  for (const std::vector<int64_t>& batch : Prefetched(kThreeBatches, make)) given.push_back(batch);
  EXPECT_EQ(given, kThreeBatches);
  EXPECT_EQ(made, 3);
  const auto none = std::vector<std::vector<int64_t>>();
  for (const std::vector<int64_t>& batch : Prefetched(none, make)) ADD_FAILURE() << batch.size();
}

TEST(ShuffledBatches, OfLessThanNothingThereAreNone) {
  EXPECT_EQ(error_of<UsageError>([] { shuffled_batches(-1, 8, 1, 2); }),
            "batches: negative number of examples -1");
  EXPECT_TRUE(shuffled_batches(0, 8, 1, 2).empty());
}

// It refers to the lengths.
static_assert(!std::is_constructible_v<EpochBatches, std::vector<int64_t>, int64_t, uint64_t, int>);
static_assert(std::is_constructible_v<EpochBatches, std::vector<int64_t>&, int64_t, uint64_t, int>);

TEST(EpochBatches, OneHoldsAllHoweverLargeItMayBe) {
  const std::vector<int64_t> lengths = {1, 2, 3};
  EXPECT_EQ(batch_count(lengths, INT64_MAX), 1);
  EpochBatches batches(lengths, INT64_MAX, 1, 1);
  for (const int64_t n : {0, 1, 2}) EXPECT_EQ(batches.at(n).size(), 3u);
}

TEST(EpochBatches, OfNothingThereIsNone) {
  const std::vector<int64_t> none, three = {1, 2, 3};
  EXPECT_THROW((void)EpochBatches(none, 2, 1, 1).at(0), UsageError);
  EXPECT_THROW((void)EpochBatches(three, 0, 1, 1).at(0), UsageError);
  EXPECT_THROW((void)EpochBatches(three, 2, 1, 1).at(-1), UsageError);
  EXPECT_THROW((void)RecurrentState().top(), UsageError);
}

TEST(Prefetched, MakesOneBatchAheadAndCanBeLeft) {
  std::atomic<int> made = 0;
  {
    Prefetched batches(kThreeBatches,
                       [&](const std::vector<int64_t>& ids) { return made += ids[0]; });
    for (const int sum : batches) {
      EXPECT_EQ(sum, 2);
      break;
    }
  }
  EXPECT_EQ(made, 2 + 1);  // the second was made, the third was not begun
}

TEST(Prefetched, BeginsAgainWithTheFirst) {
  Prefetched batches(kThreeBatches, [](const std::vector<int64_t>& ids) { return ids; });
  for (const std::vector<int64_t>& batch : batches) {
    EXPECT_EQ(batch, kThreeBatches[0]);
    break;
  }
  std::vector<std::vector<int64_t>> given;
  for (const std::vector<int64_t>& batch : batches) given.push_back(batch);
  EXPECT_EQ(given, kThreeBatches);
}

TEST(Prefetched, ABatchIsReadOnce) {
  Prefetched batches(kThreeBatches, [](const std::vector<int64_t>& ids) { return ids; });
  const std::string text = "batches: batch 0 was read already; keep what *it returns";
  auto it = batches.begin();
  (void)*it;
  EXPECT_EQ(error_of<UsageError>([&] { (void)*it; }), text);
  EXPECT_EQ(error_of<UsageError>([&] {
              for (const auto& outer : batches) {
                for (const auto& inner : batches) EXPECT_FALSE(outer.empty() || inner.empty());
              }
            }),
            "batches: batch 1 was read already; keep what *it returns");
}

// Also where a loop was left while the next batch was being made.
TEST(Prefetched, MakesOneBatchAtATime) {
  std::atomic<int> running = 0, most = 0;
  Prefetched batches(kThreeBatches, [&](const std::vector<int64_t>& ids) {
    most = std::max(most.load(), ++running);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    --running;
    return ids;
  });
  for (int times = 0; times < 2; ++times) {
    for (const std::vector<int64_t>& batch : batches) {
      EXPECT_EQ(batch, kThreeBatches[0]);
      break;
    }
  }
  for (const std::vector<int64_t>& batch : batches) EXPECT_FALSE(batch.empty());
  EXPECT_EQ(most, 1);
}

TEST(Prefetched, ThrowsWhereTheBatchIsDue) {
  const auto make = [](const std::vector<int64_t>& ids) {
    if (ids[0] == 1) throw UsageError("no such example");
    return ids[0];
  };
  int64_t last = -1;
  EXPECT_EQ(error_of<UsageError>([&] {
              for (const int64_t first : Prefetched(kThreeBatches, make)) last = first;
            }),
            "no such example");
  EXPECT_EQ(last, 2);
}

}  // namespace
}  // namespace heed
