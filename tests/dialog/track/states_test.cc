// States, the numbers that say how right they are, and what was counted in WOZ 2.0.
#include "dialog/track/metrics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <set>

#include "base/error.h"
#include "dialog/data/formats/corpora.h"
#include "dialog/track/reader.h"
#include "tests/dialog/track/states_helpers.h"
#include "tests/file_helpers.h"

namespace heed::track {
namespace {

TEST(Slots, AreValuesTogether) {
  const Slots slots = slots_of(kValues);
  EXPECT_EQ(slots.size(), 6);
  ASSERT_EQ(slots.count(), 2u);
  EXPECT_EQ(slots[1].name, "food");
  EXPECT_EQ(slots[1].begin, 2);
  EXPECT_EQ(slots[1].end, 6);
  EXPECT_EQ(slots.nothing(), (State{0, 5}));
  EXPECT_EQ(slots.value(4), "modern_european");
  std::vector<std::string> unknown;
  EXPECT_EQ(slots.state({"food=Modern European", "name=x"}, unknown), (State{0, 4}));
  EXPECT_EQ(slots.state({"area=south", "food=european"}, unknown), (State{6, 3}));
  EXPECT_EQ(slots.state({"area=east"}, unknown), (State{7, 5}));
  EXPECT_EQ(slots.state({"area=south"}, unknown), (State{6, 5}));
  EXPECT_EQ(unknown, (std::vector<std::string>{"area=south", "area=east"}));
  EXPECT_EQ(slots.value(6), "?");
  const auto named = slots.named({1, 5});
  ASSERT_EQ(named.size(), 1u);
  EXPECT_EQ(named[0], std::pair(std::string("area"), std::string("north")));
}

TEST(Slots, AreChecked) {
  const auto error = [](const std::vector<std::string>& tokens) {
    return error_of<DataError>([&] { slots_of(tokens); });
  };
  EXPECT_EQ(error({}), "values.txt: there is no slot");
  EXPECT_EQ(error({"a=none", "a=", "b=none"}), "values.txt:7: expected slot=value, got 'a='");
  EXPECT_EQ(error({"a=none", "b=none", "a=x"}), "values.txt:8: the values of 'a' are not together");
  EXPECT_EQ(error({"a=none", "b=x"}), "values.txt: 'b=none' is missing");
}

TEST(Slots, AreThoseOfTheLabels) {
  std::vector<Dialogue> dialogues = {{"1", {{"user", "x"}, {"user", "y"}}}};
  EXPECT_EQ(error_of<DataError>([&] { Slots::of(dialogues, "", "f"); }),
            "f: no turn has a state (a label \"state\" of values \"slot=value\")");
  auto& labels = dialogues[0].turns[0].notes.edit().labels["state"];
  labels = {"a-b=x", "odd"};
  const TempDir dir;
  const std::string path = dir.write("f.jsonl", "\n{\"turns\": [{\"text\": \"x\"}]}\n");
  EXPECT_EQ(error_of<DataError>([&] { Slots::of(dialogues, "", path); }),
            path + ":2: a state must be slot=value, got 'odd'");
  labels = {"a-b=x", "a=z", "c=y"};
  const Slots all = Slots::of(dialogues, "", "f");
  ASSERT_EQ(all.count(), 3u);
  EXPECT_EQ(all[0].name + all[1].name + all[2].name, "a-bac");
  const Slots some = Slots::of(dialogues, "c, a-*", "f");
  ASSERT_EQ(some.count(), 2u);
  EXPECT_EQ(some.size(), 4);
  EXPECT_EQ(error_of<DataError>([&] { Slots::of(dialogues, "b", "f"); }),
            "f: no turn has a state with a slot of 'b'");
  EXPECT_EQ(error_of<DataError>([&] { Slots::of(dialogues, "c,b", "f"); }),
            "f: no turn has a state with a slot of 'b'");

  const Reader reader = Reader::of(dialogues, 100, some);
  std::vector<std::string> unknown;
  labels.emplace_back("a-c=x");  // is asked for, and was not in training; the slot a is left out
  EXPECT_TRUE(has(
      error_of<DataError>([&] { (void)reader.conversations(path, dialogues, unknown, "c, a-*"); }),
      path + ":2: the state 'a-c=x' is of a slot that the tracker does not know"));
  labels.pop_back();
  dialogues.push_back({"2", {{"user", "z"}}});  // has a value of a slot that nobody asks for
  dialogues[1].turns[0].notes.edit().labels["state"] = {"a=z"};
  EXPECT_EQ(reader.conversations(path, dialogues, unknown, "c, a-*").size(), 1u);
  EXPECT_EQ(reader.conversations(path, dialogues, unknown, "c, a-*", /*all=*/true).size(), 2u);
  EXPECT_EQ(Reader::of(dialogues, 100, all).conversations(path, dialogues, unknown).size(), 2u);
}

TEST(Reader, AStateIsTheUsersAndHasOneValueOfASlot) {
  std::vector<Dialogue> dialogues = {{"1", {{"user", "x"}, {"system", "y"}}}};
  const Reader reader = Reader::of(dialogues, 100, slots_of(kValues));
  const TempDir dir;
  const std::string path = dir.write("f.jsonl", "{\"turns\": [{\"text\": \"x\"}]}\n");
  const auto error = [&](size_t turn, std::vector<std::string> state, const char* which = "") {
    std::vector<Dialogue> labelled = dialogues;
    labelled[0].turns[turn].notes.edit().labels["state"] = std::move(state);
    std::vector<std::string> unknown;
    return error_of<DataError>([&] { (void)reader.conversations(path, labelled, unknown, which); });
  };
  EXPECT_EQ(error(0, {"food=european", "food=european", "area=north"}), "no error");
  EXPECT_EQ(error(0, {"food=european", "food=thai"}),
            path + ":1: a state has one value of a slot, and 'food' has 'european' and 'thai'");
  EXPECT_EQ(error(0, {"food=european", "name=x", "name=y"}, "food"), "no error");  // not tracked
  EXPECT_EQ(error(0, {"food="}), path + ":1: a state must be slot=value, got 'food='");
  EXPECT_EQ(error(1, {"food=european"}),
            path + ":1: a state is of a turn of \"user\", not of 'system'");
}

// What the files of a run could not hold is no value, in a file that is learned from, too.
TEST(Reader, LabelsAreLinesOfAFile) {
  const TempDir dir;
  const std::string path = dir.write("f.jsonl", "{}\n{}\n");
  const auto error = [&](size_t turn, const char* label, const std::string& value) {
    std::vector<Dialogue> dialogues(2, {"1", {{"user", "x"}, {"system", "y"}}});
    dialogues[0].turns[0].notes.edit().labels["state"] = {"food=thai"};
    dialogues[1].turns[turn].notes.edit().labels[label] = {value};
    return error_of<DataError>([&] {
      std::vector<std::string> unknown;
      const Slots slots = Slots::of(dialogues, "", path);
      (void)Reader::of(dialogues, 100, slots).conversations(path, dialogues, unknown);
    });
  };
  const std::string zero("food=a\0b", 8);
  EXPECT_EQ(error(0, "state", zero), path + ":2: a state has no zero byte");
  EXPECT_EQ(error(1, "act", zero), path + ":2: an act has no zero byte");
  EXPECT_EQ(error(0, "state", "food=" + std::string(1019, 'x')), "no error");
  EXPECT_EQ(error(0, "state", "food=" + std::string(1020, 'x')),
            path + ":2: a state has at most 1024 bytes, got 1025");
}

Belief belief(const State& state) {
  return {state, state, {1, 1}};
}

TEST(Score, CountsSlotsSetsAndChanges) {
  const Slots slots = slots_of(kValues);
  const std::vector<Conversation> right = {conversation({{0, 3}, {1, 3}, {1, 3}, {1, 4}})};
  // the second turn's change is right though its state is not; the third changes nothing
  Beliefs beliefs = {{belief({0, 4}), belief({1, 4}), belief({1, 4}), belief({1, 4})}};
  beliefs[0][3].above_half = {1};
  const auto scores = score(slots, right, beliefs);
  ASSERT_EQ(scores.size(), 4u);
  const Accuracy a = mean(scores);
  EXPECT_DOUBLE_EQ(a.joint, 0.25);
  EXPECT_DOUBLE_EQ(a.set, 0);
  EXPECT_DOUBLE_EQ(a.change, 0.5);
  EXPECT_DOUBLE_EQ(a.slots[0], 1);
  EXPECT_DOUBLE_EQ(a.slots[1], 0.25);
}

// They are no turns of the dialogue, but the state before the next turn.
TEST(Score, LeavesOutDistractions) {
  const Slots slots = slots_of(kValues);
  std::vector<Conversation> right = {conversation({{0, 3}, {0, 3}, {1, 3}})};
  right[0].turns[1].distraction = true;
  const Beliefs beliefs = {{belief({0, 3}), belief({0, 4}), belief({1, 4})}};
  EXPECT_EQ(score(slots, right, beliefs).size(), 2u);
  EXPECT_TRUE(score(slots, right, beliefs)[1].change);
  using Left = std::vector<std::optional<bool>>;
  EXPECT_EQ(survivals(slots, right, beliefs), (Left{std::nullopt, false}));
  EXPECT_EQ(survivals(slots, right, {{belief({0, 3}), belief({0, 3}), belief({0, 4})}}),
            (Left{std::nullopt, true}));
  // Only the turn behind a distraction tells, not the one behind that, nor another dialogue's.
  right.push_back(right[0]);
  right[0].turns.push_back(right[0].turns.back());
  const std::vector<Belief> kept = {belief({0, 3}), belief({0, 3}), belief({0, 4}), belief({0, 4})};
  EXPECT_EQ(survivals(slots, right, {kept, {kept.begin(), kept.end() - 1}}),
            (Left{std::nullopt, true, std::nullopt, std::nullopt, true}));
  right[0].turns.back().distraction = true;
  EXPECT_EQ(survivals(slots, right, {kept, {kept.begin(), kept.end() - 1}}),
            (Left{std::nullopt, true, std::nullopt, true}));
  // Whatever states they have, the other numbers are those of the dialogue without them.
  std::vector<Conversation> with = {conversation({{0, 3}, {1, 4}, {1, 4}, {1, 4}, {0, 3}, {1, 3}})},
                            without = {conversation({{0, 3}, {0, 3}, {1, 3}})};
  for (size_t t = 1; t < 4; ++t) with[0].turns[t].distraction = true;
  EXPECT_EQ(most_frequent(with)[0][0].state, (State{0, 3}));
  const auto shares = slot_shares(slots, with), shares_without = slot_shares(slots, without);
  EXPECT_EQ(shares[0].has_value, shares_without[0].has_value);
  EXPECT_EQ(shares[1].has_value, shares_without[1].has_value);
  const auto chi2 = [&](const std::vector<Conversation>& c) {
    return dependences(slots, c, {std::vector<Belief>(c[0].turns.size(), belief({0, 3}))})
        .at(0)
        .right.chi2;
  };
  EXPECT_EQ(chi2(with), chi2(without));
}

TEST(Rules, SetTheLongestValueThatIsSaid) {
  const Slots slots = slots_of(kValues);
  const std::vector<Conversation> said = {conversation(
      {{0, 5}, {0, 5}, {0, 5}, {0, 5}},
      {"Modern EUROPEAN, please!", "none of it; dontcare", "northern european", "up north"})};
  const Beliefs beliefs = string_match(slots, said);
  EXPECT_EQ(beliefs[0][0].state, (State{0, 4}));
  EXPECT_EQ(beliefs[0][1].state, (State{0, 4}));
  EXPECT_EQ(beliefs[0][2].state, (State{0, 3}));
  EXPECT_EQ(beliefs[0][3].state, (State{1, 3}));
  // Of one dialogue nothing is left in the next.
  EXPECT_EQ(string_match(slots, {said[0], conversation({{0, 5}}, {"well"})})[1][0].state,
            slots.nothing());
  EXPECT_EQ(most_frequent({conversation({{0, 5}, {1, 4}, {1, 4}})})[0][0].state, (State{1, 4}));
}

TEST(Dependence, IsThatOfTheTable) {
  // rows 2, 2; columns 3, 1: expected 1.5, .5, 1.5, .5
  const Dependence d = dependence({0, 0, 1, 1}, {5, 5, 5, 9});
  EXPECT_NEAR(d.chi2, 0.25 / 1.5 * 2 + 0.25 / 0.5 * 2, 1e-12);
  EXPECT_NEAR(d.phi, std::sqrt(d.chi2 / 4), 1e-12);
  EXPECT_NEAR(d.cramers_v, d.phi, 1e-12);  // of 2 x 2
  const Dependence one = dependence({0, 1, 2}, {2, 0, 1});
  EXPECT_NEAR(one.phi, std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(one.cramers_v, 1, 1e-12);
  EXPECT_EQ(dependence({0, 0}, {1, 2}).chi2, 0);
  EXPECT_EQ(dependence({}, {}).cramers_v, 0);
  EXPECT_THROW(dependence({0}, {}), ShapeError);
}

// Slots of a tracker that keeps the first slot's value, against those of a dialogue that changes
// both together: of 2 x 2 tables phi is 1 there, and 0 in what the tracker says.
TEST(Dependences, AreOfTheRightStatesAndOfTheTrackedOnes) {
  const Slots slots = slots_of({"a=none", "a=x", "b=none", "b=y", "c=none", "c=z"});
  const std::vector<Conversation> right = {
      conversation({{0, 2, 4}, {1, 3, 4}, {0, 2, 5}, {1, 3, 5}})};
  Beliefs beliefs = {std::vector<Belief>(4)};
  const State tracked[] = {{0, 2, 4}, {0, 3, 4}, {0, 2, 4}, {0, 3, 5}};
  for (size_t t = 0; t < 4; ++t) beliefs[0][t].state = tracked[t];
  const auto pairs = dependences(slots, right, beliefs);
  ASSERT_EQ(pairs.size(), 3u);
  const size_t places[][2] = {{0, 1}, {0, 2}, {1, 2}};
  const double phi[][2] = {{1, 0}, {0, 0}, {0, std::sqrt(1.0 / 3)}};  // right, tracked
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(std::pair(pairs[i].a, pairs[i].b), std::pair(places[i][0], places[i][1]));
    EXPECT_NEAR(pairs[i].right.phi, phi[i][0], 1e-12) << i;
    EXPECT_NEAR(pairs[i].tracked.phi, phi[i][1], 1e-12) << i;
  }
  EXPECT_NEAR(phi_difference(pairs), 1 + std::sqrt(1.0 / 3), 1e-12);
  const auto shares = slot_shares(slots, right);
  EXPECT_EQ(shares[0].has_value, 50);
  EXPECT_EQ(shares[0].changes, 75);
  EXPECT_EQ(shares[2].changes, 25);
  const auto of_two = slot_shares(slots, {right[0], conversation({{0, 2, 5}})});
  EXPECT_DOUBLE_EQ(of_two[0].changes, 60);  // it begins with nothing, as the first does
  EXPECT_DOUBLE_EQ(of_two[2].changes, 40);
  EXPECT_DOUBLE_EQ(of_two[2].has_value, 60);
}

// What the system said and did is read with the next turn of the user, and with no other.
TEST(Reader, ATurnHasWhatTheSystemSaidSinceTheLast) {
  std::vector<Dialogue> dialogues = {{"1",
                                      {{"system", "hi"},
                                       {"user", "thai"},
                                       {"system", "where"},
                                       {"system", "or when"},
                                       {"user", "north"},
                                       {"user", "soon"},
                                       {"system", "bye"}}},
                                     {"2", {{"user", "greek"}}}};
  const auto label = [&](size_t turn, const char* name, std::vector<std::string> values) {
    dialogues[0].turns[turn].notes.edit().labels[name] = std::move(values);
  };
  label(0, "act", {"greet", " "}), label(2, "act", {"ask area"}),
      label(3, "act", {"ask time", "greet"});
  label(6, "act", {"end"}), label(1, "act", {"inform food"});  // the user's are no acts to read
  dialogues[0].turns[5].distraction = true;
  label(1, "state", {"food=thai"}), label(4, "state", {"food=thai", "area=north"});
  const Reader reader = Reader::of(dialogues, 100, Slots::of(dialogues, "", "f"));
  std::vector<std::string> unknown;
  const auto read = reader.conversations("f", dialogues, unknown);
  ASSERT_EQ(read.size(), 2u);
  const auto tokens = [&](const std::vector<std::string>& words) {
    std::vector<int32_t> ids;
    for (const std::string& word : words) ids.push_back(reader.words.id(word));
    ids.push_back(kEou);
    return ids;
  };
  const std::vector<std::vector<std::string>> systems = {{"hi"}, {"where", "or", "when"}, {}, {}},
                                              acts = {{"greet"},
                                                      {"ask_area", "ask_time", "greet"},
                                                      {},
                                                      {}};
  size_t i = 0;
  for (const Conversation& c : read) {
    for (const UserTurn& turn : c.turns) {
      EXPECT_EQ(turn.system, tokens(systems[i])) << i;
      EXPECT_EQ(turn.user, tokens({turn.text})) << i;
      std::vector<int32_t> ids;
      for (const std::string& act : acts[i]) ids.push_back(reader.acts.id(act) - kSpecialTokens);
      EXPECT_EQ(turn.acts, ids) << i;
      EXPECT_EQ(turn.distraction, i == 2) << i;
      ++i;
    }
  }
  ASSERT_EQ(i, 4u);
  EXPECT_EQ(reader.acts.size(), kSpecialTokens + 4);
  const Reader few = Reader::of(dialogues, kSpecialTokens + 2, reader.slots);  // words, not acts
  EXPECT_EQ(few.words.size(), kSpecialTokens + 2);
  EXPECT_EQ(few.acts.size(), kSpecialTokens + 4);
  EXPECT_EQ(read[0].turns[0].state, (State{0, 3}));  // area=none area=north food=none food=thai
  EXPECT_EQ(read[0].turns[1].state, (State{1, 3}));
  EXPECT_EQ(read[0].turns[2].state, (State{1, 3}));  // nobody said what it changes: nothing
}

// Turns that changed nothing where they were said, also last ones, and none of the dialogue itself;
// each has the state of the turn before it.
TEST(Reader, DistractionsAreOfOtherDialoguesAndChangeNothing) {
  const Slots slots = slots_of(kValues);
  const Reader reader = Reader::of({}, 100, slots);
  const std::vector<Conversation> all = {
      conversation({{1, 3}, {1, 4}}, {"a", "b"}), conversation({{0, 3}, {0, 3}}, {"c", "last"}),
      conversation({{1, 5}, {1, 5}, {1, 4}}, {"d", "middle", "e"})};
  std::set<std::string> inserted[3];
  for (uint64_t seed = 0; seed < 40; ++seed) {
    for (size_t at = 0; at < 3; ++at) {
      Rng rng(seed);
      const Conversation read = reader.distracted(all, at, 2, rng);
      ASSERT_EQ(read.turns.size(), all[at].turns.size() + 2);
      EXPECT_EQ(read.turns.back().text, all[at].turns.back().text);
      State before = slots.nothing();
      for (const UserTurn& turn : read.turns) {
        if (turn.distraction) {
          inserted[at].insert(turn.text);
          EXPECT_EQ(turn.state, before) << at;
        }
        before = turn.state;
      }
    }
  }
  EXPECT_EQ(inserted[0], (std::set<std::string>{"last", "middle"}));
  EXPECT_EQ(inserted[1], std::set<std::string>{"middle"});
  EXPECT_EQ(inserted[2], std::set<std::string>{"last"});
}

// What the specification counted (workshop-2019.json), whose texts are not bundled: HEED_WOZ2 is a
// folder with woz_train_en.json.gz and so on.
TEST(Woz2, HasTheKnownNumbers) {
  const char* folder = std::getenv("HEED_WOZ2");
  if (!folder) GTEST_SKIP() << "HEED_WOZ2 is not set";
  struct Part {
    const char* name;
    size_t dialogues, turns;
    double has_value[3], changes[3];  // area, food, price range
    double dependence[3][3];          // area-food, area-price, food-price
    double string_match, most_frequent;
  };
  const Part kParts[] = {
      {"train",
       600,
       2536,
       {70.15, 75.35, 68.26},
       {18.73, 29.22, 17.74},
       {{2650.66, 1.0224, 0.3864}, {422.19, 0.408, 0.204}, {1464.28, 0.7599, 0.3799}},
       0,
       0.0292},
      {"validate",
       200,
       830,
       {64.7, 73.61, 66.99},
       {17.71, 27.83, 18.19},
       {{1015.17, 1.1059, 0.4515}, {255.6, 0.5549, 0.2775}, {787.15, 0.9738, 0.4869}},
       0.5145,
       0.0337},
      {"test",
       400,
       1646,
       {69.81, 75.7, 67.74},
       {19.44, 28.92, 17.8},
       {{1653.95, 1.0024, 0.3789}, {347.32, 0.4594, 0.2297}, {1086.18, 0.8123, 0.4062}},
       0.5134,
       0.0346}};
  const auto path = [&](const std::string& part) {
    return std::string(folder) + "/woz_" + part + "_en.json.gz";
  };
  const auto train = read_woz(path("train")).dialogues;
  const Reader reader = Reader::of(train, 1000, Slots::of(train, "", "train"));
  ASSERT_EQ(reader.slots.count(), 3u);
  EXPECT_EQ(reader.slots.size(), 74 + 4 + 7 + 3);
  for (const Part& part : kParts) {
    SCOPED_TRACE(part.name);
    std::vector<std::string> unknown;
    const auto read = reader.conversations("", read_woz(path(part.name)).dialogues, unknown);
    EXPECT_EQ(read.size(), part.dialogues);
    const Beliefs frequent = most_frequent(read), words = string_match(reader.slots, read);
    EXPECT_EQ(score(reader.slots, read, frequent).size(), part.turns);
    const auto shares = slot_shares(reader.slots, read);
    const auto pairs = dependences(reader.slots, read, words);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(shares[i].has_value, part.has_value[i], 0.00501);
      EXPECT_NEAR(shares[i].changes, part.changes[i], 0.00501);
      EXPECT_NEAR(pairs[i].right.chi2, part.dependence[i][0], 0.00501);
      EXPECT_NEAR(pairs[i].right.phi, part.dependence[i][1], 0.0000501);
      EXPECT_NEAR(pairs[i].right.cramers_v, part.dependence[i][2], 0.0000501);
    }
    EXPECT_NEAR(mean(score(reader.slots, read, frequent)).joint, part.most_frequent, 0.0000501);
    if (part.string_match == 0) continue;
    EXPECT_NEAR(mean(score(reader.slots, read, words)).joint, part.string_match, 0.0000501);
  }
}

}  // namespace
}  // namespace heed::track
