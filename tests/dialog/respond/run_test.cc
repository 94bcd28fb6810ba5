// What can go wrong with a training: numbers, files, settings, another process, other data.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "base/error.h"
#include "tests/dialog/respond/trainer_helpers.h"
#include "train/checkpoint.h"
#include "train/lock.h"

namespace heed {
namespace {

using RunTest = TrainerTest;

// A state as it was before states had a checksum of their own, which are still read.
std::string without_checksum(const std::string& state) {
  auto json = nlohmann::json::parse(state);
  json.erase("state_checksum");
  return json.dump(1);
}

// ---- what goes wrong ----------------------------------------------------------------------------

TEST_F(RunTest, ALossThatIsNoNumberStopsTheTraining) {
  settings.loop.max_epochs = 1;
  StopAfter stop(2);
  run("run", stop.hooks);
  const std::string state = dir.read("run/state.json");
  const std::string checkpoint = dir.read("run/checkpoint-0-2.safetensors");

  settings.loop.schedule.rate = 1e300;  // step 3 leaves no finite parameter behind
  const std::string error = error_of<Error>([&] { run("run"); });
  EXPECT_NE(error.find(" is not a finite number in epoch 1, step 4; the step was not applied"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("The checkpoint of epoch 1, step 2 stays: go on with --resume"),
            std::string::npos)
      << error;
  EXPECT_EQ(dir.read("run/state.json"), state);
  EXPECT_EQ(dir.read("run/checkpoint-0-2.safetensors"), checkpoint);

  settings.loop.schedule.rate = 0.5;  // with a better rate it goes on, as if nothing had happened
  run("run");
  run("whole");
  EXPECT_EQ(result("run"), result("whole"));
}

// In the first epoch, where there is no checkpoint to keep: there is none afterwards either.
TEST_F(RunTest, ALossThatIsNoNumberLeavesNothingBehind) {
  settings.loop.schedule.rate = 1e30;
  const std::string error = error_of<Error>([&] { run("run"); });
  EXPECT_NE(error.find("epoch 1, step 2"), std::string::npos) << error;
  EXPECT_NE(error.find("There is no checkpoint yet"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(path("run/state.json")));
}

// A step that is finite, and leaves parameters that are not: no checkpoint is made of them.
TEST_F(RunTest, NoCheckpointOfABrokenModel) {
  StopAfter stop(1);
  run("run", stop.hooks);
  const std::string state = dir.read("run/state.json");
  settings.loop.schedule.rate = 1e300;
  StopAfter again(1);
  const std::string error = error_of<Error>([&] { run("run", again.hooks); });
  EXPECT_NE(error.find("encoder.embedding.weight is not finite any more after epoch 1, step 2"),
            std::string::npos)
      << error;
  EXPECT_EQ(dir.read("run/state.json"), state);
}

TEST_F(RunTest, AnomaliesAreNamedWithTheirOp) {
  StopAfter stop(2);
  run("run", stop.hooks);
  settings.loop.schedule.rate = 1e300;
  stop.hooks.stop = nullptr;
  stop.hooks.detect_anomaly = true;
  const std::string error = error_of<Error>([&] { run("run", stop.hooks); });
  EXPECT_EQ(error.rfind("training: epoch 1, step 4: anomaly: ", 0), 0u) << error;
  EXPECT_NE(error.find("was given a number that is not finite"), std::string::npos) << error;
  EXPECT_NE(error.find("input 1 of 1, parameter ("), std::string::npos) << error;

  settings.loop.schedule.rate = 0.5;
  run("run", stop.hooks);
  run("whole");
  EXPECT_EQ(result("run"), result("whole"));  // looking changes nothing
}

// What the loop's warning is made of (LoopTest.ALossThatRunsAwayIsSaidOnce): nats a token, and
// those of a uniform guess. It does not take a training that goes wrong, which a change of any
// random number would make go wrong in another way.
TEST_F(RunTest, TheTaskSaysWhatAGuessCosts) {
  LstmResponder model(settings.model, 1);
  settings.model.dropout = settings.insert_prob = 0;
  const Task task = respond_task(model, settings, data);
  EXPECT_DOUBLE_EQ(task.guess, std::log(static_cast<double>(kTestVocabulary)));
  const Loss loss = complete(task.loss({0, 1, 2, 3, 4, 5}, {.seed = 1}));
  const std::vector<Example> some = first(data.train, 6);
  EXPECT_NEAR(loss.nll, std::log(summarize(score(model, some, 6)).perplexity), 1e-5);
  EXPECT_NEAR(loss.nll, task.guess, 0.1);  // where every training starts
}

TEST_F(RunTest, DamagedCheckpoints) {
  settings.loop.max_epochs = 1;
  run("run");
  settings.loop.max_epochs = 2;
  const std::string name = "checkpoint-1-0.safetensors";
  const std::string state = dir.read("run/state.json"), weights = dir.read("run/" + name);
  const auto error = [&] { return error_of<DataError>([&] { run("run"); }); };

  std::string flipped = weights;
  flipped[flipped.size() - 9] ^= 1;
  for (const std::string& bytes : {flipped, weights.substr(0, weights.size() / 2), std::string()}) {
    dir.write("run/" + name, bytes);
    EXPECT_EQ(error(),
              path("run/" + name) + ": damaged: its checksum is not the one in state.json");
  }
  fs::remove(path("run/" + name));
  EXPECT_NE(error().find(name), std::string::npos) << error();
  dir.write("run/" + name, weights);

  for (const std::string& text :
       {std::string(), state.substr(0, state.size() / 2), std::string("[]"), std::string("{}"),
        std::string("null"), "[" + state + "]", std::string("{\"epoch\": \"one\"}")}) {
    dir.write("run/state.json", text);
    EXPECT_EQ(error().rfind(path("run/state.json") + ": not what heed writes there", 0), 0u)
        << error();
  }
}

// Settings or sizes that were changed by hand are not those of the checkpoint.
TEST_F(RunTest, ACheckpointGoesWithItsSettingsAndItsModel) {
  fs::create_directories(path("run"));
  begin_run(path("run"), settings, data);
  settings.loop.max_epochs = 1;
  run("run");
  for (const char* file : {"run/settings.json", "run/config.json"}) {
    const std::string before = dir.read(file);
    std::string text = before;
    const bool model = std::string(file) == "run/config.json";
    const std::string key = model ? "\"dropout\": " : "\"insert_prob\": ";
    text.replace(text.find(key) + key.size(), 1, "1");
    dir.write(file, text);
    const std::string error = error_of<Error>([&] { run("run"); });
    EXPECT_TRUE(has(error, "state.json: belongs to other settings")) << file << ": " << error;
    dir.write(file, before);
  }
  run("run");
}

// The newest checkpoint is damaged: the one before is taken and named, and the end is the same.
TEST_F(RunTest, TheCheckpointBeforeADamagedOne) {
  run("whole");
  const auto flip = [](std::string bytes) {
    bytes[bytes.size() / 2] ^= 1;
    return bytes;
  };
  const std::string weights = "checkpoint-0-3.safetensors";
  for (const std::string& file : {std::string("state.json"), weights}) {
    for (const int damage : {0, 1, 2, 3}) {
      const std::string name = file + std::to_string(damage), path_of = name + "/" + file;
      for (const int steps : {2, 1}) {  // checkpoints of steps 2 and 3
        StopAfter stop(steps);
        run(name, stop.hooks);
      }
      const std::string bytes = dir.read(path_of);
      if (damage == 0) fs::remove(path(path_of));
      if (damage == 1) dir.write(path_of, bytes.substr(0, bytes.size() / 2));
      if (damage == 2) dir.write(path_of, flip(bytes));
      if (damage == 3) dir.write(path_of, "");
      std::vector<std::string> warnings;
      TrainHooks hooks;
      hooks.on_warning = [&](const std::string& text) { warnings.push_back(text); };
      EXPECT_TRUE(run(name, hooks));
      ASSERT_EQ(warnings.size(), 1u) << name;
      EXPECT_EQ(warnings[0].rfind(path(path_of) + ": ", 0), 0u) << warnings[0];
      EXPECT_NE(warnings[0].find("the checkpoint before it (checkpoint-0-2.safetensors)"),
                std::string::npos)
          << warnings[0];
      EXPECT_EQ(result(name), result("whole")) << name;
    }
  }
}

// What is damaged is set aside, and is never taken for the checkpoint before.
TEST_F(RunTest, AStateThatIsDamagedTwice) {
  run("whole");
  const auto stop_after = [&](int steps) {
    StopAfter stop(steps);
    run("run", stop.hooks);
  };
  stop_after(2);
  for (const char* damage : {"once", "again"}) {
    stop_after(1);
    dir.write("run/state.json", damage);
    stop_after(1);
    EXPECT_EQ(dir.read("run/state.damaged.json"), damage);
  }
  EXPECT_TRUE(run("run"));
  EXPECT_EQ(result("run"), result("whole"));
}

// A digit of a sum that is still a number: only the state's own checksum sees it.
TEST_F(RunTest, ADigitOfTheStateIsSeen) {
  StopAfter stop(2);
  run("run", stop.hooks);
  fs::remove(path("run/state.previous.json"));
  std::string state = dir.read("run/state.json");
  const size_t digit = state.find_first_of("123456789", state.find("\"loss_sum\": "));
  state[digit] = state[digit] == '1' ? '2' : '1';
  dir.write("run/state.json", state);
  EXPECT_EQ(error_of<DataError>([&] { run("run"); }),
            path("run/state.json") + ": not what heed writes there: its checksum is another one");
}

// Two checkpoints of one step, as where a stop comes right after a timed one: the one before stays
// another one.
TEST_F(RunTest, ACheckpointThatIsSavedAgainIsNotTheOneBefore) {
  LstmResponder model(settings.model, 1);
  const auto tensors = [&] { return parameter_tensors(model); };
  fs::create_directories(path("run"));
  start_run(path("run"), settings, data.vocabulary);
  for (const int64_t step : {1, 2, 2}) {
    save_checkpoint(path("run"), {.step = step, .schedule = {.rate = 0.5}}, tensors());
  }
  dir.write("run/checkpoint-0-2.safetensors", "damaged");
  std::string warning;
  const auto state = load_checkpoint(path("run"), tensors(), &warning);
  ASSERT_TRUE(state);
  EXPECT_EQ(state->step, 1);
}

TEST_F(RunTest, TwoDamagedCheckpoints) {
  run("run");
  const std::string last = "run/checkpoint-2-0.safetensors",
                    first = "run/checkpoint-1-0.safetensors";
  const std::string state = dir.read("run/state.json");
  dir.write(last, "x");
  dir.write(first, "y");
  const std::string error = error_of<DataError>([&] { run("run"); });
  EXPECT_EQ(error.rfind(path(last) + ": damaged", 0), 0u) << error;
  EXPECT_NE(error.find(path(first) + ": damaged"), std::string::npos) << error;
  EXPECT_EQ(dir.read("run/state.json"), state);  // and nothing was touched
  EXPECT_EQ(dir.read(last), "x");
}

TEST_F(RunTest, WhatAKilledTrainingLeavesIsRemoved) {
  fs::create_directories(path("run"));
  dir.write("run/checkpoint-0-1.safetensors.tmp-1", "half");
  dir.write("run/checkpoint-0-1.safetensors", "of no state");
  for (const char* name :
       {"epoch-3.safetensors", "state.json", "state.previous.json", "model.safetensors",
        "log.jsonl", "config.json", "vocab.txt", "settings.json", "discriminator.safetensors",
        "init.safetensors", "adversary.json"}) {
    dir.write(std::string("run/") + name + ".tmp-17", "half");
  }
  for (const char* name :
       {"notes.txt.tmp-1", "checkpoint-notes.txt", "checkpoint-best.safetensors"}) {
    dir.write(std::string("run/") + name, "mine");
  }
  run("run");
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(path("run"))) {
    files.insert(entry.path().filename().string());
  }
  EXPECT_EQ(files, (std::set<std::string>{
                       "checkpoint-1-0.safetensors", "checkpoint-2-0.safetensors",
                       "checkpoint-best.safetensors", "checkpoint-notes.txt", "config.json",
                       "log.jsonl", "model.safetensors", "notes.txt.tmp-1", "state.json",
                       "state.previous.json", "vocab.txt"}));
}

// Numbers in state.json that no training leaves behind, with a checksum that is right.
TEST_F(RunTest, StatesThatCannotBe) {
  settings.loop.max_epochs = 1;
  run("run");
  settings.loop.max_epochs = 2;
  const std::string state = dir.read("run/state.json");
  const std::vector<std::pair<std::string, std::string>> changes = {
      {"\"epoch\": 1,\n \"format\"", "\"epoch\": -1,\n \"format\""},
      {"\"step\": 0", "\"step\": -3"},
      {"\"step\": 0", "\"step\": 1000000"},
      {"\"rate\": 0.5", "\"rate\": -0.5"},
      {"\"checkpoint\": \"", "\"checkpoint\": \"../"},
  };
  for (const auto& [from, to] : changes) {
    std::string spoiled = state;
    const size_t at = spoiled.rfind(from);
    if (at == std::string::npos) {
      ADD_FAILURE() << from << " is not in " << state;
      continue;
    }
    spoiled.replace(at, from.size(), to);
    dir.write("run/state.json", without_checksum(spoiled));
    const std::string error = error_of<DataError>([&] { run("run"); });
    const bool leads_out = to.find("../") != std::string::npos;
    EXPECT_EQ(error.rfind(path(leads_out ? "run/../" : "run/state.json"), 0), 0u) << error;
  }
}

TEST_F(RunTest, SettingsThatMakeNoTrainingAreRefusedBeforeAnythingIsWritten) {
  const auto error = [&](auto spoil) {
    settings = small_settings("static");
    spoil(settings);
    const std::string text = error_of<UsageError>([&] { run("run"); });
    EXPECT_TRUE(fs::is_empty(path("run"))) << text;
    return text;
  };
  EXPECT_NE(error([](auto& s) { s.loop.batch_size = 0; }), "no error");
  EXPECT_NE(error([](auto& s) { s.loop.max_norm = 0; }), "no error");
  EXPECT_NE(error([](auto& s) { s.insert_prob = 1.5; }), "no error");
  EXPECT_NE(error([](auto& s) { s.loop.schedule.rate = -1; }), "no error");
  EXPECT_NE(error([](auto& s) { s.loop.schedule.patience = -1; }), "no error");
  EXPECT_NE(error([](auto& s) { s.loop.max_epochs = 0; }), "no error");
  EXPECT_NE(error([](auto& s) { s.attention_weight = -1; }), "no error");
}

// ---- the lock -----------------------------------------------------------------------------------

TEST_F(RunTest, ASecondProcessIsToldWhoTrains) {
  dir.write("run/lock", "1 another-host");  // a stale one: process 1 lives, and has no lock
  int ready[2], done[2];
  ASSERT_EQ(pipe(ready) + pipe(done), 0);
  const pid_t child = fork();
  char byte = 0;
  if (child == 0) {
    const RunLock lock(path("run"));
    _exit(write(ready[1], "x", 1) == 1 && read(done[0], &byte, 1) == 1 ? 0 : 1);
  }
  ASSERT_EQ(read(ready[0], &byte, 1), 1);
  EXPECT_EQ(
      error_of<DataError>([&] { RunLock lock(path("run")); }),
      path("run") + ": another process is at work here (process id " + std::to_string(child) + ")");
  ASSERT_EQ(write(done[1], "x", 1), 1);
  int status = 1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(error_of<DataError>([&] { RunLock lock(path("run")); }), "no error");  // it is dead
  for (const int fd : {ready[0], ready[1], done[0], done[1]}) close(fd);
}

// Two that ask whether a run is locked do not take each other for a training.
TEST_F(RunTest, WhoAsksForTheLockHasNone) {
  EXPECT_FALSE(is_locked(path("run")));  // which is not there
  fs::create_directories(path("run"));
  dir.write("run/lock", "");
  const int other = open(path("run/lock").c_str(), O_RDONLY);
  ASSERT_EQ(flock(other, LOCK_SH), 0);
  EXPECT_FALSE(is_locked(path("run")));
  close(other);
  const RunLock lock(path("run"));
  EXPECT_TRUE(is_locked(path("run")));
}

// On a folder that two machines share.
TEST_F(RunTest, ALockOfAnotherHost) {
  fs::create_directories(path("run"));
  const RunLock lock(path("run"));
  dir.write("run/lock", "17 another-host");
  EXPECT_EQ(error_of<DataError>([&] { RunLock second(path("run")); }),
            path("run") + ": another process is at work here (process id 17 on another-host)");
}

// A run from a stranger: the lock may not empty a file that is elsewhere.
TEST_F(RunTest, ALockThatIsALink) {
  dir.write("precious", "mine");
  fs::create_directories(path("run"));
  fs::create_symlink(path("precious"), path("run/lock"));
  EXPECT_EQ(error_of<DataError>([&] {
              RunLock lock(path("run"));
            }).rfind(path("run/lock") + ": cannot be opened", 0),
            0u);
  EXPECT_EQ(dir.read("precious"), "mine");
}

TEST_F(RunTest, ALockThatCannotBeMade) {
  EXPECT_EQ(error_of<DataError>([&] {
              RunLock lock(path("missing"));
            }).rfind(path("missing/lock") + ": cannot be opened", 0),
            0u);
}

}  // namespace
}  // namespace heed
