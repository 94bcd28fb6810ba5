// Lists whose elements ranks share out.
#include "train/share_out.h"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/train/ranks_helpers.h"

namespace heed {
namespace {

struct Element {
  int64_t value = 0;
};
void each_member(auto& bytes, Element& e) {
  bytes(e.value);
}

TEST(ShareOut, GivesTheResultsOfAllElementsToAllRanks) {
  for (const int count : {1, 2, 3, 4}) {
    for (const size_t elements : {0, 1, 3, 10}) {  // fewer than ranks, and a rest
      on_ranks(count, [&](Ranks& ranks) {
        std::vector<int64_t> list(elements);
        std::iota(list.begin(), list.end(), 5);
        const auto all = share_out<Element>(ranks, elements, [&] {
          std::vector<Element> own;
          for (const int64_t x : part_of_rank(ranks, list)) own.push_back({x * x});
          return own;
        });
        ASSERT_EQ(all.size(), elements);
        for (size_t i = 0; i < elements; ++i) EXPECT_EQ(all[i].value, list[i] * list[i]) << i;
      });
    }
  }
}

// Whichever rank it is; afterwards all are in step.
TEST(ShareOut, AStopOfOneIsOneOfAll) {
  for (const int count : {1, 2, 3, 4}) {
    for (int stops = 0; stops < count; ++stops) {
      on_ranks(count, [&](Ranks& ranks) {
        const auto work = [&] {
          if (ranks.rank() == stops) throw StopValidation{};
          return std::vector<Element>{{1}};
        };
        EXPECT_THROW(share_out<Element>(ranks, static_cast<size_t>(count), work), StopValidation);
        EXPECT_EQ(ranks.of_first(std::to_string(ranks.rank())), "0");
      });
    }
  }
}

}  // namespace
}  // namespace heed
