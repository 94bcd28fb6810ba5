// A reader is trained: it learns, a run that was killed goes on to the same numbers, and answers do
// not depend on the batch.
#include <gtest/gtest.h>

#include <atomic>

#include "dialog/comprehend/score.h"
#include "dialog/comprehend/task.h"
#include "tests/file_helpers.h"
#include "tests/paths.h"
#include "train/run_directory.h"

namespace heed::comprehend {
namespace {

// Who says a fruit ("who has NUMBER ?"): each dialogue has four fruits, and the word behind the
// number is the answer; "and then ?" asks for what comes behind the answer before.
Corpus questions(int passages) {
  const char* const fruits[] = {"apple", "pear", "plum", "fig", "lemon", "grape"};
  const char* const numbers[] = {"one", "two", "three", "four"};
  Corpus corpus;
  for (int i = 0; i < passages; ++i) {
    Passage& p = corpus.passages.emplace_back(Passage{.id = std::to_string(i)});
    std::vector<Answer> answers;
    for (int k = 0; k < 4; ++k) {
      const std::string fruit = fruits[(5 * i + k * (1 + i % 4) + i / 3) % 6];
      p.add_turn(numbers[k], "has " + fruit);
      answers.push_back(
          {.text = fruit, .begin = p.text.size() - fruit.size(), .end = p.text.size()});
    }
    for (int k = 0; k < 3; ++k) {
      const int at = (i + k) % 4;
      p.questions.push_back(
          {std::to_string(k), std::string("who is ") + numbers[at], {answers[at]}});
    }
  }
  return corpus;
}

Settings small() {
  Settings s = Runs::preset("smoke");
  s.model.turns = 1;
  s.model.width = 16;
  s.model.window = 32;
  s.model.dropout = 0;
  s.hidden = 32;
  s.layers = 1;
  s.loop.batch_size = 8;
  s.loop.max_epochs = 25;
  s.loop.schedule.rate = 0.01;
  s.loop.schedule.stop_after = 0;
  s.loop.schedule.patience = 100;
  return s;
}

Parts parts() {
  return {questions(40), questions(12), {}};
}

// 1, 3, 5 and 7 texts are read of a question; the numbers of pieces are powers of two.
TEST(ReaderTraining, TurnsBeforeAreReadInPieces) {
  Settings s = small();
  EXPECT_EQ(pieces_of(s), 1) << "an encoder from nothing";
  s.init = "minilm";
  for (const auto& [turns, pieces] : {std::pair(0, 1), {1, 4}, {2, 8}, {3, 8}, {4, 16}}) {
    s.model.turns = turns;
    EXPECT_EQ(pieces_of(s), pieces) << turns;
  }
  s.model.frozen = true;
  EXPECT_EQ(pieces_of(s), 1) << "its states are kept";
}

TEST(ReaderTraining, LearnsWhereAnswersStand) {
  const TempDir dir;
  const Parts data = parts();
  const std::string run = dir.path("run");
  std::filesystem::create_directory(run);
  Runs::start(run, small(), data, "");
  EXPECT_TRUE(Runs::train(run, small(), data, {}));
  const std::vector<EpochLog> log = load_log(run);
  EXPECT_LT(log.back().loss, 0.3 * log.front().loss);
  const LoadedReader best = Runs::load(run);
  const auto read = read_all(data.valid, best.pieces, best.model.config());
  const auto texts = texts_of(answer_all(best.model, best.pieces, read, History::kGold, 16));
  EXPECT_GT(measure(data.valid, texts).exact, 0.8);
  // batches of another size, and one's own answers before the questions where all are right
  EXPECT_EQ(texts_of(answer_all(best.model, best.pieces, read, History::kGold, 5)), texts);
  for (const auto& of : answer_all(best.model, best.pieces, read, History::kPredicted, 3)) {
    for (const Predicted& p : of) {
      EXPECT_GT(p.p, 0);
      EXPECT_LE(p.p, 1);
    }
  }
}

TEST(ReaderTraining, GoesOnAsIfItHadNotBeenStopped) {
  const TempDir dir;
  const Parts data = parts();
  Settings s = small();
  s.loop.max_epochs = 3;
  s.model.dropout = 0.2;
  for (const char* name : {"whole", "stopped"}) {
    std::filesystem::create_directory(dir.path(name));
    Runs::start(dir.path(name), s, data, "");
  }
  EXPECT_TRUE(Runs::train(dir.path("whole"), s, data, {}));
  int64_t steps = 0;
  std::atomic<bool> stop = false;
  TrainHooks hooks;
  hooks.stop = &stop;
  hooks.on_step = [&](const TrainProgress&) { stop = ++steps == 7; };
  EXPECT_FALSE(Runs::train(dir.path("stopped"), s, data, {}, hooks));
  EXPECT_TRUE(Runs::train(dir.path("stopped"), Runs::settings(dir.path("stopped")), data, {}));
  EXPECT_EQ(dir.read("stopped/model.safetensors"), dir.read("whole/model.safetensors"));
  EXPECT_EQ(dir.read("stopped/log.jsonl"), dir.read("whole/log.jsonl"));
}

// Before the first step, of all questions or until it is stopped, with the same result.
TEST(ReaderTraining, AFrozenEncoderReadsAhead) {
  const TempDir dir;
  const Parts data = parts();
  Settings s = small();
  s.loop.max_epochs = 1;
  std::filesystem::create_directory(dir.path("first"));
  Runs::start(dir.path("first"), s, data, "");
  EXPECT_TRUE(Runs::train(dir.path("first"), s, data, {}));
  s.init = dir.path("first");
  s.model.frozen = true;
  const auto trained = [&](const std::string& name, size_t calls) {
    std::filesystem::create_directory(dir.path(name));
    Runs::start(dir.path(name), s, data, "");
    LoadedReader reader = Runs::first(dir.path(name), s);
    std::vector<int64_t> read = {0};
    bool began = false;
    reader.reads_ahead = [&](int64_t done, int64_t of) {
      EXPECT_FALSE(began);
      EXPECT_GT(done, read.back());
      EXPECT_EQ(of, 3 * (40 + 12));  // three of a passage
      read.push_back(done);
      return read.size() <= calls;
    };
    TrainHooks hooks;
    hooks.on_step = [&](const TrainProgress&) { began = true; };
    EXPECT_TRUE(Runs::train(std::move(reader), dir.path(name), s, data, {}, hooks));
    EXPECT_TRUE(began);
    EXPECT_EQ(read.back(), calls == 1 ? 3 : 3 * (40 + 12)) << name;
    return dir.read(name + "/model.safetensors");
  };
  const std::string whole = trained("whole", 100);
  EXPECT_EQ(trained("stopped", 1), whole);
  std::filesystem::create_directory(dir.path("plain"));
  Runs::start(dir.path("plain"), s, data, "");
  EXPECT_TRUE(Runs::train(dir.path("plain"), s, data, {}));
  EXPECT_EQ(dir.read("plain/model.safetensors"), whole);
}

TEST(ReaderTraining, BeginsARunOnce) {
  const TempDir dir;
  const Parts data = parts();
  Runs::begin(dir.path("run"), small(), data, "");
  Runs::begin(dir.path("run"), small(), data, "");
  Settings other = small();
  other.model.turns = 0;
  EXPECT_TRUE(has(error_of<DataError>([&] { Runs::begin(dir.path("run"), other, data, ""); }),
                  "other settings"));
  EXPECT_EQ(Runs::settings(dir.path("run")).model.turns, 1);
  other.model.frozen = true;
  EXPECT_TRUE(has(error_of<UsageError>([&] { other.check(); }), "needs --init"));
}

}  // namespace
}  // namespace heed::comprehend
