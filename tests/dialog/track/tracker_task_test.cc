// The task of a tracker: what it reads, what it measures, and what it takes from another one.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "base/error.h"
#include "dialog/open_run.h"
#include "dialog/parts/looker.h"
#include "dialog/track/task.h"
#include "nn/init.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"
#include "train/run_directory.h"

namespace heed::track {
namespace {

Turn said(const std::string& text, const std::vector<std::string>& state) {
  Turn turn{"user", text};
  turn.notes.edit().labels["state"] = state;
  return turn;
}

// A user asks for one of three foods, the system for an area, and the user says one of two.
std::vector<Dialogue> food_and_area(int count, int from) {
  std::vector<Dialogue> dialogues;
  for (int i = from; i < from + count; ++i) {
    const std::string food = std::vector{"thai", "greek", "irish"}[i % 3],
                      area = i % 2 ? "north" : "south";
    Turn system{"system", "and where then"};
    system.notes.edit().labels["act"] = {"request area"};
    dialogues.push_back({std::to_string(i),
                         {said("i want " + food, {"food=" + food}), system,
                          said(area, {"area=" + area, "food=" + food})}});
  }
  return dialogues;
}

class TrackerTask : public testing::Test {
 protected:
  TrackerTask() {
    set_num_threads(1);
    write_dialogues(dir.write("data/train.jsonl", ""), food_and_area(60, 0));
    write_dialogues(dir.write("data/valid.jsonl", ""), food_and_area(20, 5));
    settings = Runs::preset("smoke");
    settings.model.dropout = 0;
    settings.loop.batch_size = 8;
    settings.loop.schedule.rate = 0.01;
    settings.loop.max_epochs = 1;
  }
  TrainData data() const { return load_train_data(dir.path("data"), settings); }
  std::string run(const std::string& name) {
    const std::string run = dir.path(name);
    const TrainData read = data();
    Settings s = settings;
    Runs::take(s, read);
    std::filesystem::create_directories(run);
    Runs::begin(run, s, read, "{}");
    EXPECT_TRUE(Runs::train(run, s, read, {}, {}));
    return run;
  }
  const TempDir dir;
  Settings settings;
};

TEST_F(TrackerTask, TheLogHasTheAccuraciesOfTheKeptModel) {
  const LoadedTracker loaded = Runs::load(run("run"));
  const TrainData read = data();
  const Slots& slots = loaded.reader.slots;
  const Accuracy a = mean(score(slots, read.valid, track(loaded.model, slots, read.valid, 3)));
  EXPECT_GT(std::abs(a.set - a.joint), 0.01);  // or this would test nothing
  EXPECT_GT(std::abs(a.change - a.joint), 0.01);
  EXPECT_GT(std::abs(a.change - a.set), 0.01);
  const Metrics metrics = load_log(dir.path("run")).at(0).metrics;
  EXPECT_NEAR(value_of(metrics, kValidJoint), a.joint, 1e-6);
  EXPECT_NEAR(value_of(metrics, kValidSet), a.set, 1e-6);
  EXPECT_NEAR(value_of(metrics, kValidChange), a.change, 1e-6);
}

// Words of the system count where they are read; each text ends in a word of its own.
TEST_F(TrackerTask, TheSizeOfADialogueIsOfWhatIsRead) {
  for (const auto& [machine, size] : {std::pair("acts", 4 + 2), {"text", 4 + 1 + 2 + 4}}) {
    settings.model.machine = machine;
    const TrainData read = data();
    Settings s = settings;
    Runs::take(s, read);
    LoadedTracker loaded{Tracker(s.model), read.reader};
    init(loaded.model, 1);
    const Task task = Own::task(loaded, s, read);
    EXPECT_EQ(task.sizes, std::vector<int64_t>(60, size)) << machine;
    EXPECT_EQ(task.loss({0, 3}, {}).tokens, 2 * (4 + 2)) << machine;  // the user's
  }
}

// A dialogue of one turn and one of two: together their loss is the mean over three turns.
TEST_F(TrackerTask, DialoguesWeighByTheirTurns) {
  TrainData read = data();
  read.train[0].turns.pop_back();
  Settings s = settings;
  Runs::take(s, read);
  LoadedTracker loaded{Tracker(s.model), read.reader};
  init(loaded.model, 1);
  const Task task = Own::task(loaded, s, read);
  const auto loss = [&](const std::vector<int64_t>& examples) {
    return task.loss(examples, {}).total.value().item();
  };
  const double of_short = loss({0}), of_long = loss({1});
  EXPECT_GT(std::abs(of_short - of_long), 1e-3);
  EXPECT_EQ(task.weights[0], 1);
  EXPECT_EQ(task.weights[1], 2);
  EXPECT_NEAR(loss({0, 1}), (of_short + 2 * of_long) / 3, 1e-6);
}

// Of both parts, and both have a part in the fingerprint.
TEST_F(TrackerTask, ReadsPartsUpToTheLimit) {
  const uint32_t whole = data().fingerprint();
  settings.limit = 7;
  EXPECT_EQ(data().train.size(), 7u);
  EXPECT_EQ(data().valid.size(), 7u);
  settings.limit = 0;
  EXPECT_EQ(data().fingerprint(), whole);
  write_dialogues(dir.path("data/valid.jsonl"), food_and_area(20, 6));
  EXPECT_NE(data().fingerprint(), whole);
}

TEST_F(TrackerTask, TakesWhatFeaturesAreOfFromAnother) {
  settings.model.machine = "text";
  settings.model.slots = "food";
  settings.model.hidden_size = 10;
  settings.model.embedding_size = 9;
  settings.model.act_size = 8;
  Settings other = Runs::preset("smoke");
  other.init = run("run");
  other.model.words.frozen = true;
  take_from_init(other);
  EXPECT_EQ(other.model.machine, "text");
  EXPECT_EQ(other.model.slots, "food");
  EXPECT_EQ(other.model.hidden_size, 10);
  EXPECT_EQ(other.model.embedding_size, 9);
  EXPECT_EQ(other.model.act_size, 8);
  EXPECT_FALSE(other.model.words.frozen);
}

// The second turn of the system is another one, and so is the vector of the context.
TEST_F(TrackerTask, EncodesEachTurnOfTheSystem) {
  settings.model.machine = "text";
  const LoadedSystem loaded = load_system(run("run"));
  const auto vector = [&](const std::vector<std::string>& texts) {
    Example e;
    for (const std::string& text : texts) e.context.push_back(loaded.encoder->numbers(text));
    e.distraction.assign(texts.size(), 0);
    return loaded.encoder->encode({e}).to_vector();
  };
  const auto usual = vector({"i want thai", "where", "south", "and", "greek"});
  EXPECT_NE(vector({"i want thai", "where", "south", "then", "greek"}), usual);
  EXPECT_NE(vector({"i want thai", "and", "south", "and", "greek"}), usual);
  EXPECT_EQ(vector({"i want thai", "where", "south", "and", "greek"}), usual);
}

// Of dialogues without a value of its slots a tracker tells the states, and measures the others.
TEST_F(TrackerTask, TellsTheStatesOfAllDialogues) {
  settings.model.slots = "food";
  const LoadedSystem loaded = load_system(run("run"));
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const std::string file = dir.write("new.jsonl", "");
  const Dialogue unlabelled = {"new", {{"user", "i want thai"}}};
  write_dialogues(file, {unlabelled});
  EXPECT_EQ(loaded.tagger->annotate(file, {.lines = true}).count, "1 dialogue");
  EXPECT_EQ(looker.looks(file, {}).at(0).id, "new");
  EXPECT_EQ(error_of<DataError>([&] { (void)loaded.tagger->annotate(file, {}); }),
            file + ": no dialogue has turns of \"user\" and a value of 'food'");
  std::vector<Dialogue> some = food_and_area(3, 0);
  some.insert(some.begin() + 1, unlabelled);
  write_dialogues(file, some);
  const Annotated measured = loaded.tagger->annotate(file, {}),
                  all = loaded.tagger->annotate(file, {.lines = true});
  EXPECT_EQ(all.count, "4 dialogues");
  EXPECT_TRUE(all.lines.find("\"new\"") != all.lines.npos);
  EXPECT_EQ(all.json, measured.json);
}

// Turns that are distractions are not counted, and without chosen slots dialogues that have no
// value are measured as others are.
TEST_F(TrackerTask, MeasuresTheTurnsOfADialogue) {
  const LoadedSystem loaded = load_system(run("run"));
  std::vector<Dialogue> three = food_and_area(2, 0);
  three.push_back({"none", {{"user", "well"}, {"user", "yes"}, {"user", "no"}}});
  three[0].turns[2].distraction = true;
  const std::string file = dir.write("three.jsonl", "");
  write_dialogues(file, three);
  const Annotated found = loaded.tagger->annotate(file, {.model = "m"});
  const auto json = nlohmann::json::parse(found.json);
  EXPECT_EQ(json["dialogues"], 3);
  EXPECT_EQ(json["turns"], 6);
  EXPECT_EQ(json["slots"]["food"]["has_value_percent"], 50);
  EXPECT_TRUE(has(found.table(80), "3 dialogues, 6 turns of the user\n")) << found.table(80);
}

// A value that is gone, and one that comes back; a new conversation has nothing of the one before.
TEST_F(TrackerTask, SaysWhatIsGone) {
  std::vector<Dialogue> dialogues;
  Rng rng(1);
  for (int i = 0; i < 160; ++i) {
    Dialogue& d = dialogues.emplace_back(Dialogue{std::to_string(i), {}});
    std::vector<std::string> state;
    for (int t = 0; t < 5; ++t) {
      const std::string text = std::vector{"thai", "greek", "forget", "well"}[rng.below(4)];
      if (text == "forget") state.clear();
      if (text == "thai" || text == "greek") state = {"food=" + text};
      d.turns.push_back(said(text, state));
    }
  }
  for (const char* part : {"train", "valid"}) {
    write_dialogues(dir.path("data/" + std::string(part) + ".jsonl"), dialogues);
  }
  settings.loop.max_epochs = 8;
  settings.loop.schedule.rate = 0.02;
  settings.model.machine = "none";
  const LoadedSystem loaded = load_system(run("run"));
  const TypedDialogue typed = loaded.tagger->typed({});
  const auto hear = [&](const std::string& text) {
    return std::regex_replace(typed.hear(text).text, std::regex(R"(\(\d\.\d\d)"), "(p");
  };
  EXPECT_EQ(hear("forget"), "    nothing yet\n");
  EXPECT_EQ(hear("thai"), "  + food = thai (p)\n");
  EXPECT_EQ(hear("well"), "    food = thai (p)\n");
  EXPECT_EQ(hear("forget"), "  - food = none (p, was thai)\n");
  EXPECT_EQ(hear("forget"), "    nothing yet\n");
  EXPECT_EQ(hear("greek"), "  + food = greek (p)\n");
  EXPECT_EQ(hear("thai"), "  * food = thai (p, was greek)\n");
  typed.reset();
  EXPECT_EQ(hear("well"), "    nothing yet\n");
  EXPECT_EQ(hear("greek"), "  + food = greek (p)\n");
}

// Of words the most frequent ones, as many as are asked for, though the model's size says another
// number; of a start that was killed nothing is left.
TEST_F(TrackerTask, BeginsAsItIsTold) {
  settings.vocabulary = kSpecialTokens + 4;
  settings.model.vocab_size = 99;
  const TrainData read = data();
  EXPECT_EQ(read.reader.words.size(), kSpecialTokens + 4);
  Settings s = settings;
  Runs::take(s, read);
  EXPECT_EQ(s.model.vocab_size, kSpecialTokens + 4);
  dir.write("run/init.safetensors", "of another start");
  Own::keep(dir.path("run"), s, read);
  EXPECT_FALSE(std::filesystem::exists(dir.path("run/init.safetensors")));
}

// Features of other sizes than those of the run are refused by their names.
TEST_F(TrackerTask, FeaturesMustFit) {
  settings.model.embedding_size = 7;
  const std::string other = run("other");
  settings.model.embedding_size = 9;
  const std::string own = run("own");
  std::filesystem::copy(other + "/model.safetensors", own + "/init.safetensors");
  const Settings s = Runs::settings(own);
  LoadedTracker loaded = Own::blank(own, s);
  const std::string error = error_of<DataError>([&] { Own::draw(loaded, own, s); });
  EXPECT_TRUE(has(error, own + "/init.safetensors: has no 'features.words.weight' of shape ("))
      << error;
}

// What a slot is called does not act on a terminal.
TEST_F(TrackerTask, WhatItPrintsIsPrintable) {
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < 20; ++i) {
    dialogues.push_back({std::to_string(i), {said("thai", {"fo\033od=th\033ai", "area=\033"})}});
  }
  for (const char* part : {"train", "valid"}) {
    write_dialogues(dir.path("data/" + std::string(part) + ".jsonl"), dialogues);
  }
  settings.loop.max_epochs = 20;
  settings.model.machine = "none";
  const LoadedSystem loaded = load_system(run("run"));
  const Annotated found = loaded.tagger->annotate(dir.path("data/valid.jsonl"), {});
  EXPECT_EQ(found.table(80).find('\033'), std::string::npos);
  const std::string heard = loaded.tagger->typed({}).hear("thai").text;
  EXPECT_TRUE(has(heard, "th\ufffdai")) << heard;
  EXPECT_EQ(heard.find('\033'), std::string::npos);
}

// Nobody said what is right of dialogues without states.
TEST_F(TrackerTask, ShowsWhatIsRightWhereItIsKnown) {
  const LoadedSystem loaded = load_system(run("run"));
  const auto& looker = dynamic_cast<const Looker&>(*loaded.tagger);
  const std::string file = dir.write("shown.jsonl", "");
  write_dialogues(file, {{"a", {said("i want thai", {"food=thai"})}}});
  EXPECT_EQ(looker.looks(file, {}).at(0).right, "food = thai");
  write_dialogues(file, {{"a", {{"user", "i want thai"}}}});
  EXPECT_EQ(looker.looks(file, {}).at(0).right, Looked().right);
}

}  // namespace
}  // namespace heed::track
