// Ranks of one machine: what they give each other, and how one that fails ends all.
#include "train/ranks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <string>
#include <vector>

#include "tests/file_helpers.h"
#include "tests/train/ranks_helpers.h"

namespace heed {
namespace {

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

// Whatever the others do at that time; afterwards they agree on something else.
TEST(Ranks, OneThatGivesUpIsHeard) {
  on_ranks(4, [](Ranks& ranks) {
    for (int round = 0; round < 3; ++round) {
      const bool gives_up = ranks.rank() == round || ranks.rank() == 3;
      if (gives_up) {
        ranks.give_up();
      } else {
        EXPECT_THROW(ranks.gather(std::string(9'000'000, 'x')), OtherGaveUp);
      }
      EXPECT_EQ(ranks.gather(std::to_string(ranks.rank())),
                (std::vector<std::string>{"0", "1", "2", "3"}));
    }
  });
  alone().give_up();
  EXPECT_EQ(alone().any(1), 1U);
}

TEST(Ranks, AreNamedByTheirNumbersFromZeroOn) {
  char host[256] = {};
  ASSERT_EQ(::gethostname(host, sizeof host - 1), 0);
  EXPECT_EQ(name_of_rank(0, 1), std::string("rank 0 of 1 on ") + host);
  EXPECT_EQ(name_of_rank(2, 4), std::string("rank 2 of 4 on ") + host);
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

}  // namespace
}  // namespace heed
