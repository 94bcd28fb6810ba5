// Which state each turn of a dialogue has, where distractions stand, and what rules read.
#include "dialog/track/reader.h"

#include <gtest/gtest.h>

#include <map>

#include "dialog/track/metrics.h"
#include "tests/dialog/track/states_helpers.h"

namespace heed::track {
namespace {

// A state that is marked as one of a distraction is that of the turn all the same; a dialogue that
// ends without a value had one.
TEST(Reader, AStateIsReadWhereverItStands) {
  std::vector<Dialogue> dialogues = {
      {"1", {{"user", "thai"}, {"user", "north"}, {"user", "well"}, {"user", "no"}}}};
  const auto label = [&](size_t turn, std::vector<std::string> state) {
    dialogues[0].turns[turn].notes.edit().labels["state"] = std::move(state);
  };
  label(0, {"food=european"}), label(1, {"area=north"}), label(3, {});
  dialogues[0].turns[1].distraction = dialogues[0].turns[2].distraction = true;
  const Reader reader = Reader::of(dialogues, 100, slots_of(kValues));
  std::vector<std::string> unknown;
  for (const char* which : {"", "food", "area"}) {
    const auto read = reader.conversations("f", dialogues, unknown, which);
    ASSERT_EQ(read.size(), 1u) << which;
    const std::vector<State> states = {{0, 3}, {1, 5}, {1, 5}, {0, 5}};
    for (size_t t = 0; t < 4; ++t) EXPECT_EQ(read[0].turns[t].state, states[t]) << t;
  }
}

// Of two turns two stand before the first, before each, or before the last: one time in three each,
// as the second of them may stand on either side of the first. What the system said before a turn
// stays in the dialogue that it is from.
TEST(Reader, EachPlaceOfADistractionIsAsLikely) {
  std::vector<Conversation> all = {conversation({{1, 3}, {1, 4}}, {"a", "b"}),
                                   conversation({{0, 3}, {0, 3}}, {"c", "last"})};
  all[1].turns[1].user = {7, kEou};
  all[1].turns[1].system = {8, kEou};
  all[1].turns[1].acts = {1};
  const Reader reader = Reader::of({}, 100, slots_of(kValues));
  std::map<std::string, int> times;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    Rng rng(seed);
    std::string order;
    for (const UserTurn& turn : reader.distracted(all, 0, 2, rng).turns) {
      order += turn.distraction ? "x" : turn.text;
      if (!turn.distraction) continue;
      EXPECT_EQ(turn.user, all[1].turns[1].user);
      EXPECT_EQ(turn.system, std::vector<int32_t>{kEou});
      EXPECT_EQ(turn.acts, std::vector<int32_t>{});
    }
    ++times[order];
  }
  ASSERT_EQ(times.size(), 3u);
  for (const char* order : {"xxab", "xaxb", "axxb"}) EXPECT_NEAR(times[order], 200, 40) << order;
}

// Digits are words as letters are; of two values of one length, and of two states that are equally
// frequent, the first in the order of the values is taken.
TEST(Rules, ReadDigitsAndTakeTheFirstOfEquals) {
  const Slots slots = slots_of({"food=greek", "food=irish", "food=none", "time=7:30", "time=none"});
  const std::vector<Conversation> said = {
      conversation({{2, 4}, {2, 4}, {2, 4}, {2, 4}},
                   {"at 8:30", "irish or greek", "at 7:30 then", "not 17:30, irish"})};
  const std::vector<State> states = {{2, 4}, {0, 4}, {0, 3}, {1, 3}};
  const Beliefs beliefs = string_match(slots, said);
  for (size_t t = 0; t < states.size(); ++t) EXPECT_EQ(beliefs[0][t].state, states[t]) << t;
  EXPECT_EQ(most_frequent({conversation({{1, 4}, {1, 3}, {0, 4}, {1, 3}, {0, 4}})})[0][0].state,
            (State{0, 4}));
}

}  // namespace
}  // namespace heed::track
