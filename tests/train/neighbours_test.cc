// What the ranks of a machine have in memory once.
#include "train/neighbours.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <string>

#include "tests/file_helpers.h"
#include "tests/train/ranks_helpers.h"

namespace heed {

// A value of two parts.
struct Pair {
  std::string text;
  int number = 0;
  bool operator==(const Pair&) const = default;
};
static void each_member(auto& bytes, Pair& pair) {
  bytes(pair.text, pair.number);
}

namespace {

// The line of /proc/self/maps that an address is in: "7f..-7f.. r--s ... /memfd:heed (deleted)"
std::string mapping_of(const char* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const size_t dash = line.find('-');
    const auto begin = std::stoull(line.substr(0, dash), nullptr, 16),
               end = std::stoull(line.substr(dash + 1), nullptr, 16);
    if (begin <= at && at < end) return line;
  }
  return "";
}

TEST(Neighbours, HaveTheMemoryOfTheFirst) {
  const std::string text = std::string(3'000'001, 'x') + "end";
  for (const int count : {2, 3}) {
    on_ranks(count, [&](Ranks& ranks) {
      const Neighbours neighbours(ranks);
      EXPECT_EQ(neighbours.reads(), ranks.first());
      EXPECT_FALSE(neighbours.alone());
      const Bytes shared = neighbours.share(ranks.first() ? text : "ignored");
      EXPECT_TRUE(shared.view() == text);
      const std::string mapping = mapping_of(shared.data());
      EXPECT_NE(mapping.find(" r--s "), std::string::npos) << mapping;  // nobody writes to it
      EXPECT_NE(mapping.find("/memfd:heed (deleted)"), std::string::npos) << mapping;
      EXPECT_EQ(neighbours.share("").size(), 0u);
    });
  }
}

TEST(Neighbours, OneAloneKeepsWhatItHas) {
  const Neighbours neighbours(alone());
  EXPECT_TRUE(neighbours.reads());
  EXPECT_TRUE(neighbours.alone());
  EXPECT_EQ(neighbours.share("text").size(), 0u);
  std::vector<Pair> own = {{"text", 7}};
  neighbours.share_copy(own);
  EXPECT_EQ(own, (std::vector<Pair>{{"text", 7}}));
}

TEST(Neighbours, HaveCopiesOfWhatTheFirstHas) {
  const std::vector<Pair> all = {{"one", 1}, {"", 2}, {"three", 3}};
  on_ranks(3, [&](Ranks& ranks) {
    const Neighbours neighbours(ranks);
    std::vector<Pair> list = ranks.first() ? all : std::vector<Pair>(1);
    neighbours.share_copy(list);
    EXPECT_EQ(list, all);
    if (ranks.first()) list.clear();
    neighbours.share_copy(list);
    EXPECT_EQ(list, std::vector<Pair>());
  });
}

// As where there is no memory left.
TEST(Neighbours, SayWhatCannotBeShared) {
  EXPECT_EQ(
      error_of<Error>([] {
        on_ranks(2, [](Ranks& ranks) {
          const Neighbours neighbours(ranks);
          std::signal(SIGXFSZ, SIG_IGN);
          const rlimit limit{1 << 20, 1 << 20};
          ::setrlimit(RLIMIT_FSIZE, &limit);
          neighbours.share(std::string(3 << 20, 'x'));
        });
      }),
      name_of_rank(0, 2) + ": ranks: no memory to share 3 MiB with the others: File too large");
}

}  // namespace
}  // namespace heed
