// A reader is trained: it learns, a run that was killed goes on to the same numbers, and answers do
// not depend on the batch.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "dialog/comprehend/score.h"
#include "dialog/comprehend/task.h"
#include "dialog/text/format.h"
#include "nn/init.h"
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

// A reader whose weights are drawn as large as those of a trained one, so that answers differ.
LoadedReader drawn(const TempDir& dir, Settings s, uint64_t seed) {
  const std::string run = dir.path("drawn" + std::to_string(seed) + (s.model.kinds ? "k" : ""));
  if (!std::filesystem::exists(run)) {
    std::filesystem::create_directory(run);
    Runs::start(run, s, parts(), "");
  }
  LoadedReader reader = Runs::first(run, s);
  init_again_uniform(reader.model, -1, 1, seed);
  return reader;
}

std::vector<double> softmax_of(const Var& logits, int64_t begin, int64_t end) {
  const std::vector<double> all = logits.value().to_vector();
  std::vector<double> p(all.begin() + begin, all.begin() + end);
  double sum = 0;
  for (double& x : p) sum += x = std::exp(x);
  for (double& x : p) x /= sum;
  return p;
}

// Every span of a passage, one after the other: the best one, or none, and the kind at its end.
TEST(Answers, AreThoseOfTheLogits) {
  const TempDir dir;
  std::set<Kind> seen;
  int longer = 0;
  for (const bool kinds : {false, true}) {
    Settings s = small();
    s.model.turns = 0;
    s.model.kinds = kinds;
    for (uint64_t seed = 1; seed <= (kinds ? 12 : 4); ++seed) {
      const LoadedReader reader = drawn(dir, s, seed);
      Corpus corpus = questions(5);
      for (size_t i = 0; i < 5; ++i) {  // the longest one last: a batch has it first
        for (size_t more = 0; more < i; ++more) corpus.passages[i].add_turn("four", "has fig");
      }
      const std::vector<ReadPassage> read = read_all(corpus, reader.pieces, s.model);
      std::vector<Asked> all;
      std::vector<const ReadPassage*> of;
      for (const ReadPassage& passage : read) {
        all.push_back(asked(passage, passage.questions[1].question, {}, s.model));
        of.push_back(&passage);
      }
      const std::vector<Predicted> answers = answer(reader.model, all, of);
      ASSERT_EQ(answers.size(), 5u);
      for (size_t i = 0; i < 5; ++i) {
        const SpanReader::Logits l = reader.model({all[i]});
        const auto n = std::ssize(read[i].pieces);
        const std::vector<double> start = softmax_of(l.start, 0, n + 1),
                                  end = softmax_of(l.end, 0, n + 1);
        int64_t from = 0, to = 0;
        for (int64_t b = 0; b < n; ++b) {
          for (int64_t e = b; e < n; ++e) {
            if (start[b] * end[e] > start[from] * end[to]) from = b, to = e;
          }
        }
        longer += from != to;
        const double span = start[from] * end[to], none = start[n] * end[n];
        Kind kind = none > span ? Kind::kNone : Kind::kSpan;
        double p = std::max(none, span);
        if (kinds) {
          const int64_t row = 4 * (none > span ? n : to);
          const std::vector<double> of_kind = softmax_of(l.kinds, row, row + 4);
          const auto best = std::max_element(of_kind.begin(), of_kind.end());
          kind = static_cast<Kind>(best - of_kind.begin());
          p = *best * (kind == Kind::kSpan ? span : 1);
        }
        seen.insert(kind);
        const Predicted& got = answers[i];
        EXPECT_EQ(got.answer.kind, kind);
        EXPECT_NEAR(got.p, p, 1e-5);
        const auto [begin, unused] = read[i].bytes[from];
        const std::string text =
            corpus.passages[i].text.substr(begin, read[i].bytes[to].second - begin);
        EXPECT_EQ(got.answer.text, kind == Kind::kSpan  ? text
                                   : kind == Kind::kYes ? "yes"
                                   : kind == Kind::kNo  ? "no"
                                                        : "");
      }
    }
  }
  EXPECT_GT(longer, 5);
  EXPECT_EQ(seen.size(), 4u);
}

// One question after the other, with the right answers before it or with one's own.
TEST(Answers, ReadTheTurnsBefore) {
  const TempDir dir;
  Settings s = small();
  s.model.turns = 2;
  const LoadedReader reader = drawn(dir, s, 3);
  const Corpus corpus = questions(4);
  const std::vector<ReadPassage> read = read_all(corpus, reader.pieces, s.model);
  std::vector<double> of_history[2];
  for (const History history : {History::kGold, History::kPredicted}) {
    std::vector<std::vector<Predicted>> expected(read.size());
    for (size_t i = 0; i < read.size(); ++i) {
      std::vector<TurnBefore> before;
      for (const ReadQuestion& q : read[i].questions) {
        const Predicted p =
            answer(reader.model, {asked(read[i], q.question, before, s.model)}, {&read[i]})[0];
        expected[i].push_back(p);
        before.push_back({q.question, history == History::kGold
                                          ? q.answer
                                          : read_query(as_history(p.answer), reader.pieces,
                                                       s.model.longest_query)});
      }
    }
    for (const int64_t batch : {1, 3, 16}) {
      const auto got = answer_all(reader.model, reader.pieces, read, history, batch);
      EXPECT_EQ(texts_of(got), texts_of(expected)) << batch;
      for (size_t i = 0; i < read.size(); ++i) {
        for (size_t q = 0; q < 3; ++q) EXPECT_NEAR(got[i][q].p, expected[i][q].p, 1e-5);
      }
    }
    for (const auto& of : expected) {
      for (const Predicted& p : of) of_history[history == History::kGold].push_back(p.p);
    }
  }
  EXPECT_NE(of_history[0], of_history[1]);
}

// An answer that is too improbable counts as none, for the next question, too.
TEST(Answers, ThatCountAsNoneAreNoneForTheNextQuestion) {
  const TempDir dir;
  const Settings s = small();
  const Dialogue dialogue{"d", {{"one", "has apple"}, {"two", "has pear"}}};
  int others = 0;
  for (uint64_t seed = 1; seed <= 4; ++seed) {
    const auto reader = std::make_shared<const LoadedReader>(drawn(dir, s, seed));
    const Passage passage = passage_of(dialogue);
    const ReadPassage read = read_passage(passage, reader->pieces, s.model.longest_query);
    const Ids question = read_query("who is one", reader->pieces, s.model.longest_query);
    const auto ask = [&](const std::vector<TurnBefore>& before) {
      return answer(reader->model, {asked(read, question, before, s.model)}, {&read})[0];
    };
    const auto after = [&](const Answer& a) {
      return ask({{question, read_query(as_history(a), reader->pieces, s.model.longest_query)}}).p;
    };
    const double expected = after({.kind = Kind::kNone});
    others += std::abs(after(ask({}).answer) - expected) > 0.001;
    const auto asking = annotator(reader);
    const TypedDialogue typed = asking->typed({.dialogue = dialogue, .least_p = 2});
    (void)typed.hear("who is one");
    const std::string said = typed.hear("who is one").text;
    EXPECT_TRUE(has(said, decimal(100 * expected, 1) + " %)")) << said;
  }
  EXPECT_GT(others, 0);
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
