// Training a tracker: what it must learn, that it goes on where it was, and on whose features.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "dialog/open_run.h"
#include "dialog/parts/looker.h"
#include "dialog/track/task.h"
#include "nn/safetensors.h"
#include "tensor/parallel.h"
#include "tests/file_helpers.h"
#include "tests/train/patience_helpers.h"

namespace heed::track {
namespace {

// A user asks for one of three foods and one of two areas, and keeps what is not named.
std::vector<Dialogue> made_dialogues(int count, uint64_t seed) {
  const std::vector<std::string> foods = {"thai", "greek", "irish"}, areas = {"north", "south"};
  Rng rng(seed);
  std::vector<Dialogue> dialogues;
  for (int i = 0; i < count; ++i) {
    Dialogue& d = dialogues.emplace_back(Dialogue{std::to_string(i), {}});
    std::string food, area;
    const size_t turns = 2 + rng.below(3);
    for (size_t t = 0; t < turns; ++t) {
      const bool asks = rng.below(2) == 0;
      if (t > 0) {
        d.turns.push_back({"system", "what else?"});
        d.turns.back().notes.edit().labels["act"] = {asks ? "request area" : "request food"};
      }
      std::string& slot = asks ? area : food;
      slot = asks ? areas[rng.below(2)] : foods[rng.below(3)];
      d.turns.push_back({"user", "i want " + slot});
      auto& state = d.turns.back().notes.edit().labels["state"];
      if (!area.empty()) state.push_back("area=" + area);
      if (!food.empty()) state.push_back("food=" + food);
    }
  }
  return dialogues;
}

struct Trained : testing::Test {
  Trained() {
    set_num_threads(1);
    write_dialogues(dir.write("data/train.jsonl", ""), made_dialogues(120, 1));
    write_dialogues(dir.write("data/valid.jsonl", ""), made_dialogues(40, 2));
    settings = Runs::preset("smoke");
    settings.model.hidden_size = settings.model.embedding_size = settings.model.act_size = 12;
    settings.model.dropout = 0;
    settings.model.steps = 4;
    settings.loop.batch_size = 8;
    settings.loop.schedule.rate = 0.02;
    settings.loop.max_epochs = 12;
  }
  TrainData data(const std::string& from = {}) {
    return load_train_data(dir.path("data"), settings, from);
  }
  bool run(const std::string& name, const TrainHooks& hooks = {}) {
    Settings s = settings;
    if (!s.init.empty()) take_from_init(s);
    const TrainData read = load_train_data(dir.path("data"), s, s.init);
    Runs::take(s, read);
    std::filesystem::create_directories(dir.path(name));
    Runs::begin(dir.path(name), s, read, "{}");
    return Runs::train(dir.path(name), s, read, {}, hooks);
  }
  double best(const std::string& name) {
    double value = 0;
    for (const EpochLog& e : load_log(dir.path(name))) {
      value = std::max(value, value_of(e.metrics, kValidJoint));
    }
    return value;
  }
  const TempDir dir;
  Settings settings;
};

TEST_F(Trained, LearnsHeadsAndAnEnergyOnThem) {
  ASSERT_TRUE(run("heads"));
  EXPECT_GT(best("heads"), 0.9);
  const TensorMap heads = load_tensors(dir.path("heads/model.safetensors"));
  settings.init = dir.path("heads");
  settings.model.output = "energy";
  settings.fixed_features = true;
  ASSERT_TRUE(run("fixed"));
  EXPECT_GT(best("fixed"), 0.9);
  settings.fixed_features = false;
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("trained"));
  size_t features = 0;
  const TensorMap fixed = load_tensors(dir.path("fixed/model.safetensors")),
                  trained = load_tensors(dir.path("trained/model.safetensors"));
  for (const auto& [name, tensor] : fixed) {
    if (!name.starts_with("features.")) continue;
    ++features;
    EXPECT_EQ(tensor.to_vector(), heads.at(name).to_vector()) << name;
    EXPECT_NE(tensor.to_vector(), trained.at(name).to_vector()) << name;
  }
  EXPECT_EQ(features, 14u);
  EXPECT_TRUE(fixed.contains("energy.0.w_1"));
}

// Fine-tuned encoders have hundreds of megabytes.
TEST_F(Trained, BeginsWithATrackerOfManyBytes) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("heads"));
  constexpr uintmax_t kMany = (uintmax_t{1} << 28) + 1;
  std::filesystem::resize_file(dir.path("heads/model.safetensors"), kMany);
  settings.init = dir.path("heads");
  const TrainData read = data(settings.init);
  Runs::take(settings, read);
  std::filesystem::create_directories(dir.path("energy"));
  Own::keep(dir.path("energy"), settings, read);
  EXPECT_EQ(std::filesystem::file_size(dir.path("energy/init.safetensors")), kMany);
}

// Of the training: how many turns have their whole state, by the numbers of the tracking.
TEST_F(Trained, TheAccuracyOfTrainingIsThatOfWholeStates) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("heads"));
  LoadedTracker loaded = Runs::load(dir.path("heads"));
  const TrainData read = data(dir.path("heads"));
  std::vector<int64_t> all(read.train.size());
  std::iota(all.begin(), all.end(), 0);
  const Counts counts = Own::task(loaded, settings, read).loss(all, StepKey{}).counts;
  const Beliefs beliefs = track(loaded.model, loaded.reader.slots, read.train, 8);
  double whole = 0, turns = 0, first = 0, last = 0;
  for (size_t c = 0; c < read.train.size(); ++c) {
    for (size_t t = 0; t < read.train[c].turns.size(); ++t) {
      turns += 1;
      const State &right = read.train[c].turns[t].state, &said = beliefs[c][t].state;
      whole += said == right;
      first += said.front() == right.front();
      last += said.back() == right.back();
    }
  }
  EXPECT_EQ(counts.at("turns"), turns);
  EXPECT_EQ(counts.at("right"), whole);
  EXPECT_GT(whole, 0);
  EXPECT_GT(first, whole);  // or this would test nothing
  EXPECT_GT(last, whole);
}

// Whatever a tracker reads or learns has a part in the fingerprint, by which a run knows its data:
// of the first dialogue, too, though later turns have no acts.
TEST_F(Trained, OtherStatesActsAndWordsAreOtherData) {
  const auto fingerprint = [&](const auto& change) {
    std::vector<Dialogue> dialogues = made_dialogues(20, 1);
    change(dialogues[0].turns);
    write_dialogues(dir.path("data/train.jsonl"), dialogues);
    return data().fingerprint();
  };
  const auto first_state = [](std::vector<Turn>& turns) -> std::string& {
    return turns[0].notes.edit().labels["state"][0];
  };
  const uint32_t usual = fingerprint([](std::vector<Turn>&) {});
  EXPECT_EQ(fingerprint([](std::vector<Turn>&) {}), usual);
  EXPECT_NE(fingerprint([&](std::vector<Turn>& turns) {
              std::string& state = first_state(turns);
              state = state == "food=thai" ? "food=greek" : "food=thai";
            }),
            usual);
  EXPECT_NE(fingerprint([](std::vector<Turn>& turns) { turns[0].text = "i want"; }), usual);
  EXPECT_NE(fingerprint([](std::vector<Turn>& turns) {
              auto& acts = turns[1].notes.edit().labels["act"];
              acts[0] = acts[0] == "request area" ? "request food" : "request area";
            }),
            usual);
}

// Killed in the middle of the second epoch, with the tracker gone that it began with.
TEST_F(Trained, GoesOnToTheSameResult) {
  settings.loop.max_epochs = 2;
  settings.model.dropout = 0.2;
  ASSERT_TRUE(run("heads"));
  settings.init = dir.path("heads");
  settings.model.output = "energy";
  ASSERT_TRUE(run("whole"));
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress& p) { stop = p.epoch == 2 && p.step == 3; };
  EXPECT_FALSE(run("parts", hooks));
  const Settings kept = Runs::settings(dir.path("parts"));
  std::filesystem::remove_all(dir.path("heads"));
  EXPECT_TRUE(Runs::train(dir.path("parts"), kept, data(dir.path("parts")), {}, {}));
  for (const char* file : {"model.safetensors", "log.jsonl"}) {
    EXPECT_TRUE(dir.read(std::string("whole/") + file) == dir.read(std::string("parts/") + file))
        << file;
  }
}

// Each value would have the row of the other; a run of an older version does not tell.
TEST_F(Trained, RefusesLabelsThatChangedPlaces) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("run"));
  const auto load = [&] { Runs::load(dir.path("run")); };
  const auto message = [&](const std::string& file, const std::string& a, const std::string& b) {
    const std::string name = "run/" + file, whole = dir.read(name);
    const size_t at_a = whole.find("\n" + a + "\n"), at_b = whole.find("\n" + b + "\n");
    EXPECT_LT(at_a, at_b);
    std::string swapped = whole;
    dir.write(name, swapped.replace(at_b + 1, b.size(), a).replace(at_a + 1, a.size(), b));
    const std::string error = error_of<DataError>(load);
    dir.write(name, whole);
    return error;
  };
  const std::string says =
      dir.path("run") +
      ": acts.txt or values.txt has not the lines that the model was trained "
      "with, in their order (by labels_fingerprint in settings.json); put back "
      "what was there";
  EXPECT_EQ(message("values.txt", "food=greek", "food=irish"), says);
  EXPECT_EQ(message("acts.txt", "request_area", "request_food"), says);
  EXPECT_EQ(error_of<DataError>(load), "no error");
  auto older = nlohmann::json::parse(dir.read("run/settings.json"));
  EXPECT_EQ(older.erase("labels_fingerprint"), 1u);
  dir.write("run/settings.json", older.dump());
  EXPECT_EQ(message("values.txt", "food=greek", "food=irish"), "no error");
}

TEST_F(Trained, GoesOnWithARunThatDoesNotTellOfItsLabels) {
  const TrainData read = data();
  Runs::take(settings, read);
  const auto begin = [&](std::optional<int64_t> labels) {
    Settings s = settings;
    s.labels_fingerprint = labels;
    Runs::begin(dir.path("run"), s, read, "{}");
  };
  std::filesystem::create_directories(dir.path("run"));
  begin({});
  begin(settings.labels_fingerprint);
  std::filesystem::remove_all(dir.path("run"));
  std::filesystem::create_directories(dir.path("run"));
  begin(1);
  EXPECT_NE(error_of<DataError>([&] { begin(2); }), "no error");
}

TEST_F(Trained, IsASystemThatEncodes) {
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("heads"));
  const LoadedSystem loaded = load_system(dir.path("heads"));
  EXPECT_EQ(loaded.system, "tracker");
  ASSERT_TRUE(loaded.encoder);
  EXPECT_EQ(loaded.encoder->width(), 12);
  const auto words = [&](const char* text) { return loaded.encoder->numbers(text); };
  Example a, b, c;
  a.context = {words("i want thai"), words("what else?"), words("i want north")};
  b.context = {words("i want north")};
  c.context = {words("hello"), words("i want north")};  // who spoke last is the user
  for (Example* e : {&a, &b, &c}) e->distraction.assign(e->context.size(), 0);
  const Tensor v = loaded.encoder->encode({a, b, c}, {.batch = 2});
  EXPECT_EQ(v.shape().str(), "(3, 12)");
  EXPECT_NE(v[0].to_vector(), v[1].to_vector());
  EXPECT_EQ(v[1].to_vector(), v[2].to_vector());
  const LoadedSystem untrained = load_system(dir.path("heads"), "untrained");
  EXPECT_NE(untrained.encoder->encode({b}, {}).to_vector(), v[1].to_vector());
}

// Only turns that changed nothing where they were said, so that the state stays right.
TEST_F(Trained, ShowsItselfWithTurnsOfOthers) {
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
            "distractions are turns of other dialogues that change nothing, and there is none");
}

// The same dialogue twice: only what is inserted tells the two apart.
TEST_F(Trained, ShowsEachDialogueWithTurnsOfItsOwn) {
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
TEST_F(Trained, SaysWhatAValueWasBefore) {
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
TEST_F(Trained, LooksAtTurnsByWhatTheStateIsWithoutThem) {
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

TEST_F(Trained, RefusesWhatCannotBe) {
  settings.fixed_features = true;
  EXPECT_EQ(error_of<UsageError>([&] { settings.check(); }),
            "--fixed-features needs --init: a tracker whose features stay as they are");
  settings.fixed_features = false;
  settings.model.independent = true;
  EXPECT_EQ(error_of<UsageError>([&] { settings.check(); }),
            "--independent is for --output energy");
  settings.model.independent = false;
  settings.loop.max_epochs = 1;
  ASSERT_TRUE(run("heads"));
  auto dialogues = made_dialogues(20, 3);
  dialogues[2].turns[0].notes.edit().labels["state"] = {"food=welsh"};
  write_dialogues(dir.path("data/train.jsonl"), dialogues);
  EXPECT_EQ(
      error_of<DataError>([&] { data(dir.path("heads")); }),
      dir.path("data/train.jsonl") + ":3: the value 'food=welsh' is none of " + dir.path("heads"));
  dir.write("heads/values.txt", dir.read("heads/values.txt") + "x\n");
  EXPECT_TRUE(has(error_of<DataError>([&] { Runs::load(dir.path("heads")); }), "values.txt"));
  for (auto& d : dialogues) {
    for (Turn& turn : d.turns) turn.notes.edit().labels.erase("act");
  }
  write_dialogues(dir.path("data/train.jsonl"), dialogues);
  EXPECT_EQ(error_of<DataError>([&] { data(); }),
            dir.path("data/train.jsonl") +
                ": no turn of the system has a label \"act\", which "
                "--machine acts reads; --machine text reads its words");
}

TEST(TrackerPresets, HaveTheirSizes) {
  struct Row {
    const char* name;
    int64_t hidden, words;
    int epochs;
    double rate, inner_rate;
  };
  for (const auto& [name, hidden, words, epochs, rate, inner_rate] :
       {Row{"paper", 128, 300, 100, 0.001, 0.001}, Row{"laptop", 64, 64, 100, 0.01, 0.1},
        Row{"smoke", 24, 24, 4, 0.01, 0.1}}) {
    SCOPED_TRACE(name);
    const Settings s = Runs::preset(name);
    EXPECT_EQ(s.model.hidden_size, hidden);
    EXPECT_EQ(s.model.embedding_size, words);
    EXPECT_EQ(s.model.act_size, words);
    EXPECT_EQ(s.loop.max_epochs, epochs);
    EXPECT_EQ(s.loop.schedule.rate, rate);
    EXPECT_EQ(s.model.inner_rate, inner_rate);
    EXPECT_EQ(s.loop.batch_size, 32);
    EXPECT_EQ(s.model.vocab_size, 25000);
    EXPECT_EQ(s.model.steps, 50);
    EXPECT_EQ(s.model.energy_size, 64);
    EXPECT_EQ(s.model.dropout, 0.2);
    EXPECT_EQ(s.model.output + " " + s.model.machine, "heads acts");
    EXPECT_FALSE(s.model.independent || s.fixed_features);
  }
}

TEST(TrackerPresets, PatienceHalvesTheRate) {
  expect_patience_halves(Runs::preset("laptop").loop.schedule, 5);
}

}  // namespace
}  // namespace heed::track
