// Whose turn a step is, against rounds that are gone through one by one.
#include "train/turns.h"

#include <gtest/gtest.h>

#include <string>

namespace heed {
namespace {

// The tasks of an epoch's steps, "wwjwwj": round after round up to the last batch of the first
// task that makes steps, and the rest of its round, if that is whole.
std::string round_by_round(const std::vector<int>& turns, int64_t first_batches) {
  std::string order;
  size_t first = 0;
  while (turns[first] == 0) ++first;
  for (int64_t left = first_batches; left > 0;) {
    for (size_t task = 0; task < turns.size(); ++task) {
      for (int n = 0; n < turns[task] && (task != first || left-- > 0); ++n) {
        order += static_cast<char>('a' + task);
      }
      if (left < 0) return order;
    }
  }
  return order;
}

TEST(Turns, AreThoseOfRoundsOneByOne) {
  for (const std::vector<int>& each : {std::vector<int>{1},
                                       {3},
                                       {1, 1},
                                       {2, 1},
                                       {1, 5},
                                       {3, 2, 4},
                                       {0, 2},
                                       {0, 2, 1},
                                       {2, 0, 1}}) {
    const Turns turns(each, each.size());
    for (int64_t batches = 0; batches <= 13; ++batches) {
      const std::string expected = round_by_round(each, batches);
      ASSERT_EQ(turns.steps_an_epoch(batches), std::ssize(expected)) << expected;
      std::vector<int64_t> done(each.size());
      for (int64_t s = 0; s < std::ssize(expected); ++s) {
        const TaskTurn turn = turns.of(s);
        ASSERT_EQ(static_cast<char>('a' + turn.task), expected[static_cast<size_t>(s)]) << s;
        for (size_t task = 0; task < each.size(); ++task) {
          ASSERT_EQ(turns.steps_of(task, s), done[task]) << s << " " << task;
        }
        ASSERT_EQ(turn.n, done[turn.task]++) << s;
      }
    }
  }
  EXPECT_EQ(round_by_round({2, 1}, 7), "aabaabaaba");  // by hand
  EXPECT_EQ(round_by_round({0, 2, 1}, 3), "bbcb");
}

}  // namespace
}  // namespace heed
