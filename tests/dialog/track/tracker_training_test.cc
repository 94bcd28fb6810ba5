// Training a tracker: what it must learn, that it goes on where it was, and on whose features.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "dialog/open_run.h"
#include "dialog/track/task.h"
#include "nn/safetensors.h"
#include "tests/dialog/track/tracker_training_helpers.h"
#include "tests/train/patience_helpers.h"

namespace heed::track {
namespace {

using TrackerTraining = TrainedTracker;

TEST_F(TrackerTraining, LearnsHeadsAndAnEnergyOnThem) {
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
TEST_F(TrackerTraining, BeginsWithATrackerOfManyBytes) {
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
TEST_F(TrackerTraining, TheAccuracyOfTrainingIsThatOfWholeStates) {
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
TEST_F(TrackerTraining, OtherStatesActsAndWordsAreOtherData) {
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
TEST_F(TrackerTraining, GoesOnToTheSameResult) {
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
TEST_F(TrackerTraining, RefusesLabelsThatChangedPlaces) {
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
      dir.path("run/acts.txt or values.txt") +
      ": not the lines that the model was trained "
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

TEST_F(TrackerTraining, GoesOnWithARunThatDoesNotTellOfItsLabels) {
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

TEST_F(TrackerTraining, IsASystemThatEncodes) {
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

TEST_F(TrackerTraining, RefusesWhatCannotBe) {
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
