// The model of a cache that labs count misses with.
#include "labs/01-memory/cache.h"

#include <gtest/gtest.h>

namespace heed::lab {
namespace {

const void* at(int64_t address) {
  return reinterpret_cast<const void*>(address);  // NOLINT(performance-no-int-to-ptr)
}

TEST(Cache, ALineIsLoadedOnce) {
  Cache cache(1024, 64, 4);
  for (int64_t i = 0; i < 64; ++i) cache.touch(at(4096 + 4 * i), 4);
  EXPECT_EQ(cache.misses(), 4);
  EXPECT_EQ(cache.touched(), 64);
}

TEST(Cache, AnAccessMayCrossALine) {
  Cache cache(1024, 64, 4);
  cache.touch(at(4096 + 60), 8);
  EXPECT_EQ(cache.misses(), 2);
}

TEST(Cache, TheLineUsedLongestAgoMakesRoom) {
  Cache cache(256, 64, 4);  // one set
  for (const int64_t line : {0, 1, 2, 3, 0, 4, 0, 1}) cache.touch(at(64 * line), 1);
  EXPECT_EQ(cache.misses(), 6);  // 4 pushed out 1, not 0
}

TEST(Cache, ASetHoldsAsManyLinesAsItHasWays) {
  Cache narrow(512, 64, 2), wide(512, 64, 8);  // four sets, and one
  for (int round = 0; round < 10; ++round) {
    for (int64_t i = 0; i < 4; ++i) {  // four lines of one set of the first
      narrow.touch(at(256 * i), 1);
      wide.touch(at(256 * i), 1);
    }
  }
  EXPECT_EQ(narrow.misses(), 40);
  EXPECT_EQ(wide.misses(), 4);
}

}  // namespace
}  // namespace heed::lab
