// A reader is trained: it learns, and a run that was killed goes on to the same numbers.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <numeric>
#include <set>

#include "dialog/comprehend/score.h"
#include "tests/dialog/comprehend/reader_helpers.h"
#include "train/run_directory.h"

namespace heed::comprehend {
namespace {

// BERT-base of 768 that learns, two questions and their answers before (k = 2, Eq. 5), GRUs of d =
// 768 cells, so that M1 and M2 are as wide as 2d (Eqs. 6, 7); the kinds of Eq. 8 are for CoQA only.
TEST(ReaderPresets, ThePapersHasItsSizes) {
  const Settings s = Runs::preset("paper");
  EXPECT_EQ(s.model.turns, 2);
  EXPECT_TRUE(s.model.questions && s.model.answers);
  EXPECT_FALSE(s.model.kinds || s.model.frozen);
  EXPECT_EQ(s.loop.optimizer.name, "adam");
  EXPECT_EQ(s.loop.optimizer.weight_decay, 0.01);
  EXPECT_EQ(s.loop.schedule.rate, 3e-5);
  EXPECT_EQ(s.loop.max_epochs, 2);
  constexpr int64_t d = 768;
  const SpanReader model(s.model, pretrained::Bert({9, d, 1, 12, 8, 512, 2, 1e-12}), {1, 2});
  std::map<std::string, Shape> shapes;
  for (const NamedParameter& p : parameters(model)) shapes[p.name] = p.var.shape();
  EXPECT_EQ(shapes.at("gru1.weight_ih_l0"), (Shape{3 * d, 5 * d}));
  EXPECT_EQ(shapes.at("gru1.weight_ih_l0_reverse"), (Shape{3 * d, 5 * d}));
  EXPECT_EQ(shapes.at("gru2.weight_ih_l0"), (Shape{3 * d, 2 * d}));
  EXPECT_EQ(shapes.at("start.weight"), (Shape{1, 7 * d}));
  EXPECT_EQ(shapes.at("end.weight"), (Shape{1, 7 * d}));
}

// Readers that are compared by their earlier turns learn equally long.
TEST(ReaderPresets, AFrozenOneIsNotStoppedEarly) {
  EXPECT_EQ(Runs::preset("frozen").loop.schedule.stop_after, 0);
  EXPECT_EQ(Runs::preset("fine-tuned").loop.schedule.stop_after, 2);
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

// However many questions of a passage are learned together, each reads the same turns before it.
TEST(ReaderTraining, QuestionsThatAreLearnedTogetherAreThoseAlone) {
  const TempDir dir;
  Settings s = small();
  s.model.turns = 2;
  const Parts data = parts();
  std::vector<double> sums;
  for (const int64_t together : {1, 2, 3, 7}) {
    s.together = together;
    LoadedReader reader = drawn(dir, s, 2);
    const Task task = Own::task(reader, s, data);
    const NoGrad guard;
    double nll = 0, count = 0;
    for (int64_t i = 0; i < std::ssize(task.sizes); ++i) {
      const Loss loss = task.loss({i}, StepKey{});
      nll += loss.nll * loss.counts.at("questions");
      count += loss.counts.at("questions");
      EXPECT_EQ(task.weights[i], loss.counts.at("questions"));
    }
    EXPECT_EQ(count, 120);
    const auto tokens = [&](const std::vector<int64_t>& i) { return task.loss(i, {}).tokens; };
    EXPECT_EQ(tokens({0, 5}), tokens({0}) + tokens({5}));
    EXPECT_EQ(std::ssize(task.sizes), 40 * ((3 + together - 1) / together));
    sums.push_back(nll);
  }
  for (const double sum : sums) EXPECT_NEAR(sum, sums[0], 1e-4 * sums[0]);
}

// A question whose answer stands nowhere is in the history of those after it, and in nothing that
// is learned.
TEST(ReaderTraining, QuestionsWithoutAPlaceAreReadButNotLearned) {
  const TempDir dir;
  Settings s = small();
  s.model.turns = 2;
  Parts data = parts(), moved = parts();
  for (Parts* of : {&data, &moved}) {
    Question& q = of->train.passages[3].questions[1];
    q.answers = {{.text = "seven men"}};
    if (of == &moved) q.answers[0].text = "nobody at all";
  }
  EXPECT_EQ(data.train.unplaced(), 1u);
  EXPECT_EQ(data.train.questions(), 120u);
  LoadedReader reader = drawn(dir, s, 2);
  const auto losses = [&](int64_t together, const Parts& from) {
    s.together = together;
    const Task task = Own::task(reader, s, from);
    const NoGrad guard;
    std::vector<double> of = {0, 0};  // of all, and of the passage's last question
    for (int64_t i = 0; i < std::ssize(task.sizes); ++i) {
      const Loss loss = task.loss({i}, StepKey{});
      of[0] += loss.nll * loss.counts.at("questions");
      if (together == 1 && i == 10) of[1] = loss.nll;  // nine, and the first of its passage
    }
    EXPECT_EQ(std::accumulate(task.weights.begin(), task.weights.end(), 0.0), 119);
    return of;
  };
  const std::vector<double> alone = losses(1, data), all = losses(7, data);
  EXPECT_NEAR(all[0], alone[0], 1e-4 * alone[0]);
  EXPECT_NE(losses(1, moved)[1], alone[1]) << "it is a turn before the next question";
  for (Passage& p : data.train.passages) {
    for (Question& q : p.questions) q.answers = {{.text = "seven men"}};
  }
  EXPECT_EQ(error_of<DataError>([&] { require_training(data, "here"); }),
            "here: no training question has its answer in the passage");
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

// All that is learned from is in it: an answer that stood elsewhere would be other data.
TEST(ReaderTraining, DataAreKnownByAllThatIsLearned) {
  std::set<uint32_t> seen = {parts().fingerprint()};
  const auto changed = [&](const std::function<void(Passage&)>& change) {
    Parts train = parts(), valid = parts();
    change(train.train.passages[7]);
    change(valid.valid.passages[7]);
    EXPECT_TRUE(seen.insert(train.fingerprint()).second);
    EXPECT_TRUE(seen.insert(valid.fingerprint()).second);
  };
  changed([](Passage& p) { p.text[2] = 'x'; });
  changed([](Passage& p) { p.questions[1].text += "?"; });
  changed([](Passage& p) { p.questions[1].answers[0].text += "s"; });
  changed([](Passage& p) { p.questions[1].answers[0].kind = Kind::kNone; });
  changed([](Passage& p) { --p.questions[1].answers[0].begin; });
  changed([](Passage& p) { --p.questions[1].answers[0].end; });
  changed([](Passage& p) { p.questions[1].answers.push_back(p.questions[2].answers[0]); });
  EXPECT_EQ(parts().fingerprint(), parts().fingerprint());
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
  Settings more_words = small();  // of the encoder that is drawn, of which the data say nothing
  ++more_words.vocabulary;
  EXPECT_TRUE(has(error_of<DataError>([&] { Runs::begin(dir.path("run"), more_words, data, ""); }),
                  "other settings"));
  other.model.frozen = true;
  EXPECT_TRUE(has(error_of<UsageError>([&] { other.check(); }), "needs --init"));
}

}  // namespace
}  // namespace heed::comprehend
