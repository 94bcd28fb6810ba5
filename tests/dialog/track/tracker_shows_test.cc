// What heed show draws of a tracker: what it tracked, and where it looked.

#include "dialog/parts/looker.h"
#include "dialog/system.h"
#include "tests/dialog/track/tracker_training_helpers.h"

namespace heed::track {
namespace {

using TrackerShows = TrainedTracker;

// Only turns that changed nothing where they were said, so that the state stays right.
TEST_F(TrackerShows, ShowsItselfWithTurnsOfOthers) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("heads"));
  const auto said = [](const std::string& text, const std::string& state) {
    Turn turn{"user", text};
    turn.notes.edit().labels["state"] = {state};
    return turn;
  };
  const std::string file = dir.write("shown.jsonl", "");
  write_dialogues(file,
                  {{"a", {said("i want thai", "food=thai")}},
                   {"b", {said("i want north", "area=north"), said("thanks", "area=north")}}});
  const LoadedSystem loaded = load_system(dir.path("heads"));
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const Looked looked = looker.looks(file, {.insert = 2, .count = 1}).at(0);
  EXPECT_EQ(looked.id, "a");
  EXPECT_EQ(looked.right, "food = thai");
  ASSERT_EQ(looked.heard.turns.size(), 3u);
  for (size_t t = 0; t < 2; ++t) {
    EXPECT_EQ(looked.heard.turns[t].text, "thanks");
    EXPECT_TRUE(looked.heard.turns[t].distraction);
  }
  EXPECT_EQ(looked.heard.turns[2].text, "i want thai");
  EXPECT_FALSE(looked.heard.turns[2].distraction);
  EXPECT_EQ(looked.heard.look.size(), 3u);
  EXPECT_EQ(error_of<DataError>([&] { looker.looks(file, {.insert = 1, .ids = {"b"}}); }),
            file +
                ": distractions are turns of other dialogues that change nothing, and there is "
                "none");
}

// The same dialogue twice: only what is inserted tells the two apart.
TEST_F(TrackerShows, ShowsEachDialogueWithTurnsOfItsOwn) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("heads"));
  const auto said = [](const std::string& text) {
    Turn turn{"user", text};
    turn.notes.edit().labels["state"] = {"area=north"};
    return turn;
  };
  std::vector<Dialogue> dialogues = {{"x", {said("i want north")}}, {"y", {said("i want north")}}};
  for (int i = 0; i < 40; ++i) {
    const std::string id = std::to_string(i);
    dialogues.push_back({id, {said("north"), said("thanks " + id)}});
  }
  const std::string file = dir.write("shown.jsonl", "");
  write_dialogues(file, dialogues);
  const LoadedSystem loaded = load_system(dir.path("heads"));
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const auto texts = [&](uint64_t seed) {
    std::vector<std::vector<std::string>> all;
    for (const Looked& looked : looker.looks(file, {.insert = 3, .seed = seed, .count = 2})) {
      all.emplace_back();
      for (const Turn& turn : looked.heard.turns) all.back().push_back(turn.text);
    }
    return all;
  };
  const auto shown = texts(1);
  ASSERT_EQ(shown.size(), 2u);
  EXPECT_EQ(shown[0].size(), 4u);
  EXPECT_NE(shown[0], shown[1]);
  EXPECT_EQ(texts(1), shown);
  EXPECT_NE(texts(2), shown);
}

// A value that is new, and one in the place of another, which is named.
TEST_F(TrackerShows, SaysWhatAValueWasBefore) {
  ASSERT_TRUE(run("heads"));
  const auto tracker =
      annotator(std::make_shared<const LoadedTracker>(Runs::load(dir.path("heads"))));
  const TypedDialogue typed = tracker->typed({.model = "m"});
  const auto hear = [&](const char* text) { return typed.hear(text).text; };
  const std::string first = hear("i want thai"), second = hear("i want greek"),
                    third = hear("i want north");
  EXPECT_TRUE(has(first, "  + food = thai (")) << first;
  EXPECT_FALSE(has(first, "was")) << first;
  EXPECT_TRUE(has(second, "  * food = greek (")) << second;
  EXPECT_TRUE(has(second, ", was thai)\n")) << second;
  EXPECT_TRUE(has(third, "  + area = north (")) << third;
}

// Without a turn the last state has another value at a slot, which is 1, or it is less sure of it.
TEST_F(TrackerShows, LooksAtTurnsByWhatTheStateIsWithoutThem) {
  ASSERT_TRUE(run("heads"));
  const auto said = [](const std::string& text, const std::vector<std::string>& state) {
    Turn turn{"user", text};
    turn.notes.edit().labels["state"] = state;
    return turn;
  };
  const std::string file = dir.write("shown.jsonl", "");
  write_dialogues(file, {{"a",
                          {said("i want thai", {"food=thai"}),
                           said("i want north", {"area=north", "food=thai"}),
                           said("i want greek", {"area=north", "food=greek"})}}});
  const LoadedTracker loaded = Runs::load(dir.path("heads"));
  const Slots& slots = loaded.reader.slots;
  std::vector<std::string> unknown;
  const Conversation all = loaded.reader.conversations(
      file, read_dialogues(file, {.limit = 0, .progress = {}, .notes = true}), unknown, "")[0];
  const auto end_of = [&](const Conversation& c) {
    return track(loaded.model, slots, {c}, 1)[0].back();
  };
  const Belief whole = end_of(all);
  std::vector<double> expected;
  double sum = 0;
  int other_values = 0;
  for (ptrdiff_t t = 0; t < 3; ++t) {
    Conversation less = all;
    less.turns.erase(less.turns.begin() + t);
    const Belief without = end_of(less);
    expected.push_back(0);
    for (size_t s = 0; s < slots.count(); ++s) {
      const bool other = without.state[s] != whole.state[s];
      expected.back() += other ? 1 : std::abs(without.p[s] - whole.p[s]);
      other_values += other;
    }
    sum += expected.back();
  }
  EXPECT_GT(other_values, 0);
  const LoadedSystem system = load_system(dir.path("heads"));
  const auto& looker = dynamic_cast<const Looker&>(*system.tagger);
  const Looked looked = looker.looks(file, {.count = 1}).at(0);
  ASSERT_EQ(looked.heard.look.size(), 3u);
  for (size_t t = 0; t < 3; ++t) EXPECT_NEAR(looked.heard.look[t], 3 * expected[t] / sum, 1e-5);
}

}  // namespace
}  // namespace heed::track
