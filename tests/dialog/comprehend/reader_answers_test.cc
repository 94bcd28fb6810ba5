// Answers of a reader: those of its logits, whatever the batch, and with the turns before.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dialog/text/format.h"
#include "tests/dialog/comprehend/reader_helpers.h"

namespace heed::comprehend {
namespace {

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
      for (size_t q = 0; q < read[i].questions.size(); ++q) {
        const Ids& question = read[i].questions[q].question;
        const Predicted p =
            answer(reader.model, {asked(read[i], question, before, s.model)}, {&read[i]})[0];
        expected[i].push_back(p);
        const Answer& said =
            history == History::kGold ? corpus.passages[i].questions[q].answers[0] : p.answer;
        before.push_back(
            {question, read_query(as_history(said), reader.pieces, s.model.longest_query)});
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

// A control: the turns before are those of the passage half the corpus away.
TEST(Answers, TurnsOfAnotherPassageAreThoseOfTheOneFarAway) {
  const TempDir dir;
  Settings s = small();
  s.model.turns = 2;
  Corpus corpus = questions(5);
  corpus.passages[3].questions.resize(2);  // the third question of the second passage: its first
  const LoadedReader own = drawn(dir, s, 3);
  const std::vector<ReadPassage> plain = read_all(corpus, own.pieces, s.model);
  s.model.other_turns = true;
  const std::vector<ReadPassage> other = read_all(corpus, own.pieces, s.model);
  for (size_t p = 0; p < 5; ++p) {
    const ReadPassage& from = plain[(p + 2) % 5];
    for (size_t q = 0; q < plain[p].turns.size(); ++q) {
      SCOPED_TRACE(std::to_string(p) + " " + std::to_string(q));
      const TurnBefore &turn = other[p].turns[q], &expected = from.turns[q % from.turns.size()];
      EXPECT_EQ(turn.question, expected.question);
      EXPECT_EQ(turn.answer, expected.answer);
      EXPECT_EQ(other[p].questions[q].question, plain[p].questions[q].question);
    }
  }
  EXPECT_NE(other[1].turns[0].question, plain[1].turns[0].question);
  // They are no turns of the reader's own: its answers are not in them.
  const std::string run = dir.path("control");
  std::filesystem::create_directory(run);
  Runs::start(run, s, parts(), "");
  LoadedReader control = Runs::first(run, s);
  EXPECT_TRUE(control.model.config().other_turns) << "kept in config.json";
  init_again_uniform(control.model, -1, 1, 3);
  const auto answers = [&](const LoadedReader& reader, const std::vector<ReadPassage>& read,
                           History history) {
    std::vector<double> p;
    for (const auto& of : answer_all(reader.model, reader.pieces, read, history, 16)) {
      for (const Predicted& a : of) p.push_back(a.p);
    }
    return p;
  };
  const std::vector<double> gold = answers(control, other, History::kGold);
  EXPECT_EQ(answers(control, other, History::kPredicted), gold);
  EXPECT_NE(answers(own, other, History::kPredicted), gold);
}

}  // namespace
}  // namespace heed::comprehend
