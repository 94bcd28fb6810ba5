// Files of judgements, who is believed, samples of ties, and people who do not exist.
#include "dialog/people/judgements.h"

#include <cmath>

#include "base/error.h"
#include "dialog/people/screening.h"
#include "dialog/people/simulate.h"
#include "dialog/people/ties.h"
#include "tests/file_helpers.h"

namespace heed::people {
namespace {

const std::string kKeyText =
    "{\"item\": \"1\", \"real\": true, \"id\": \"d7\"}\n\n"
    "{\"item\": 2, \"real\": false}\n"
    "{\"item\": \"3\", \"real\": false, \"check\": true}\n";

Key key_of(const std::string& text, Task task = Task::kRealOrFake) {
  const TempDir dir;
  return read_key(dir.write("key.jsonl", text), task);
}
Judgements judgements_of(const std::string& text, Task task = Task::kRealOrFake,
                         const std::string& key = kKeyText) {
  const TempDir dir;
  return read_judgements(dir.write("j.jsonl", text), task, key_of(key, task));
}

TEST(JudgementFiles, AreRead) {
  const Key key = key_of(kKeyText);
  ASSERT_EQ(key.items.size(), 3u);
  EXPECT_EQ(key.items[0].truth, kReal);
  EXPECT_EQ(key.items[1].id, "2");
  EXPECT_EQ(key.items[1].truth, kFake);
  EXPECT_FALSE(key.items[1].check);
  EXPECT_TRUE(key.items[2].check);
  const Judgements j = judgements_of(
      "{\"item\": 1, \"annotator\": \"ada\", \"choice\": \"real\", \"note\": 3}\r\n"
      "{\"item\": \"2\", \"annotator\": 12, \"choice\": \"fake\"}\n"
      "{\"item\": \"2\", \"annotator\": \"ada\", \"choice\": \"real\"}\n");
  EXPECT_EQ(j.annotators, (std::vector<std::string>{"ada", "12"}));
  ASSERT_EQ(j.list.size(), 3u);
  EXPECT_EQ(j.list[1].item, 1u);
  EXPECT_EQ(j.list[1].annotator, 1u);
  EXPECT_EQ(j.list[1].choice, kFake);
  EXPECT_EQ(j.list[2].annotator, 0u);
}

TEST(JudgementFiles, PairsHaveRounds) {
  const std::string key =
      "{\"item\": \"1\", \"identical\": true}\n"
      "{\"item\": \"2\", \"check\": true, \"expected\": \"b\"}\n";
  const Key pairs = key_of(key, Task::kPairs);
  EXPECT_TRUE(pairs.items[0].identical);
  EXPECT_EQ(pairs.items[0].truth, -1);
  EXPECT_EQ(pairs.items[1].truth, kB);
  const std::string text =
      "{\"item\": \"1\", \"annotator\": \"a\", \"choice\": \"tie\", \"round\": 3}\n";
  EXPECT_EQ(judgements_of(text, Task::kPairs, key).list[0].round, 3);
  const TempDir dir;
  Key made;
  const Judgements alone = read_judgements_alone(dir.write("j", text), Task::kPairs, made);
  EXPECT_EQ(made.items.at(0).id, "1");
  EXPECT_EQ(alone.list.at(0).choice, kTie);
  EXPECT_FALSE(made.simulated);
}

// Without a key the items are those that are judged, each once, in the order in which they come.
TEST(JudgementFiles, MakeTheirOwnKey) {
  const TempDir dir;
  std::string text;
  for (const auto& [item, round] : {std::pair{"x", 1}, {"y", 1}, {"x", 1000}, {"y", 2}}) {
    text += "{\"simulated\": true, \"item\": \"" + std::string(item) + "\", \"annotator\": \"" +
            std::string(1023, 'n') + (round == 1 ? "a" : "b") +
            "\", \"choice\": \"a\", \"round\": " + std::to_string(round) + "}\n";
  }
  Key key;
  const Judgements j = read_judgements_alone(dir.write("j", text), Task::kPairs, key);
  ASSERT_EQ(key.items.size(), 2u);
  EXPECT_EQ(key.items[1].id, "y");
  EXPECT_TRUE(key.simulated);
  for (size_t i = 0; i < 4; ++i) EXPECT_EQ(j.list.at(i).item, i % 2);
  EXPECT_EQ(j.list[2].round, 1000);  // the last one that there may be
}

TEST(JudgementFiles, HostileOnesAreOneLine) {
  const std::string good = "{\"item\": \"1\", \"annotator\": \"a\", \"choice\": \"real\"}\n";
  const auto says = [&](const std::string& text, const std::string& rule,
                        Task task = Task::kRealOrFake, const std::string& key = kKeyText) {
    const std::string error = error_of<DataError>([&] { judgements_of(text, task, key); });
    EXPECT_TRUE(error.ends_with(rule)) << text << "\n" << error;
    EXPECT_EQ(error.find('\n'), error.npos);
  };
  says("", "j.jsonl: holds no judgement");
  says("real\n", ":1: not valid JSON: invalid literal");
  says("{\"item\": \"1\", \"annotator\": \"a\", \"choice\": \"real\", \"choice\": \"fake\"}",
       ":1: \"choice\" is given twice");
  says(good + "[1]\n",
       ":2: expected a JSON object {\"item\": ..., \"annotator\": ..., \"choice\": \"real\" or "
       "\"fake\"}");
  says(good + good, ":2: the annotator \"a\" judges the item \"1\" twice");
  says("{\"item\": \"9\", \"annotator\": \"a\", \"choice\": \"real\"}",
       ":1: the item \"9\" is not in the key");
  says("{\"annotator\": \"a\", \"choice\": \"real\"}", ":1: there is no \"item\"");
  says("{\"item\": \"1\", \"choice\": \"real\"}", ":1: there is no \"annotator\"");
  says("{\"item\": \"1\", \"annotator\": \"a\"}", ":1: there is no \"choice\"");
  for (const char* choice : {"\"tie\"", "1", "null", "[\"real\"]"}) {
    says("{\"item\": \"1\", \"annotator\": \"a\", \"choice\": " + std::string(choice) + "}",
         ":1: \"choice\" must be \"real\" or \"fake\"");
  }
  for (const std::string& name :
       {std::string("\"\""), std::string("1.5"), "\"" + std::string(1025, 'x') + "\""}) {
    says("{\"item\": \"1\", \"annotator\": " + name + ", \"choice\": \"real\"}",
         ":1: \"annotator\" must be a string of 1 to 1024 bytes or a whole number");
  }
  says("{\"simulated\": true, " + good.substr(1) +
           "{\"item\": 2, \"annotator\": \"a\", \"choice\": \"real\"}",
       ":2: simulated lines and lines of people cannot stand in one file");
  says("{\"simulated\": true, " + good.substr(1), "simulated judgements, and a key that is not");
  const std::string pairs = "{\"item\": \"1\"}\n", tie = "\", \"choice\": \"tie\"}\n";
  const std::string first = "{\"item\": \"1\", \"annotator\": \"a" + tie;
  says(first + "{\"item\": \"1\", \"annotator\": \"b" + tie,
       ":2: the item \"1\" has two judgements in round 1; \"round\" tells them apart", Task::kPairs,
       pairs);
  for (const char* round : {"0", "1001", "1.5", "\"1\"", "99999999999999999999999"}) {
    says("{\"round\": " + std::string(round) + ", " + first.substr(1),
         ":1: \"round\" must be a whole number from 1 to 1000", Task::kPairs, pairs);
  }
}

TEST(KeyFiles, HostileOnesAreOneLine) {
  const auto says = [](const std::string& text, const std::string& rule,
                       Task task = Task::kRealOrFake) {
    const std::string error = error_of<DataError>([&] { key_of(text, task); });
    EXPECT_TRUE(error.ends_with(rule)) << text << "\n" << error;
  };
  says("\n", "key.jsonl: holds no item");
  says("7", ":1: expected a JSON object {\"item\": ..., \"real\": true or false}");
  says("{\"item\": \"1\"}", ":1: there is no \"real\": is this the key of these items?");
  says("{\"item\": \"1\", \"real\": 1}", ":1: \"real\" must be true or false");
  says("{\"item\": \"1\", \"real\": true}\n{\"item\": 1, \"real\": true}",
       ":2: the item \"1\" stands there twice");
  says("{\"item\": \"1\", \"real\": true}",
       ":1: \"real\" is of another task: is this the key of these pairs?", Task::kPairs);
  says("{\"item\": \"1\", \"check\": true}", ":1: there is no \"expected\"", Task::kPairs);
  says("{\"item\": \"1\", \"check\": true, \"expected\": \"real\"}",
       ":1: \"expected\" must be \"a\", \"b\" or \"tie\"", Task::kPairs);
  EXPECT_TRUE(error_of<DataError>([] {
                read_key("/nowhere/key", Task::kPairs);
              }).starts_with("/nowhere/key: "));
}

TEST(Predictions, AreOfTheItemsOfTheKey) {
  const auto read = [](const std::string& text) {
    const TempDir dir;
    return read_predictions(dir.write("p.jsonl", text), key_of(kKeyText));
  };
  const std::string one = "{\"item\": 1, \"p_real\": 0.25}\n";
  const std::vector<double> p = read("{\"item\": \"2\", \"p_real\": 1}\n" + one);
  EXPECT_EQ(p[0], 0.25);
  EXPECT_EQ(p[1], 1);
  EXPECT_TRUE(std::isnan(p[2]));  // a test question needs none
  // "id" names the item where nothing else does
  EXPECT_EQ(read("{\"id\": \"2\", \"p_real\": 0.5}\n" + one)[1], 0.5);
  EXPECT_EQ(read("{\"id\": \"1\", \"item\": \"2\", \"p_real\": 0.5}\n" + one)[1], 0.5);
  const auto says = [&](const std::string& text, const std::string& rule) {
    const std::string error = error_of<DataError>([&] { read(text); });
    EXPECT_TRUE(error.ends_with(rule)) << error;
  };
  says(one, "p.jsonl: has no line of the item \"2\"");
  says(one + one, ":2: the item \"1\" stands there twice");
  says("{\"item\": 7, \"p_real\": 0}", ":1: the item \"7\" is not in the key");
  for (const char* odd : {"1.01", "-0.1", "\"0.5\"", "null", "1e400"}) {
    const std::string error =
        error_of<DataError>([&] { read("{\"item\": 1, \"p_real\": " + std::string(odd) + "}"); });
    EXPECT_NE(error.find(":1: "), error.npos) << odd << error;
  }
}

// ---- screening

// Ten test questions, items 0 to 9, which are all fake, and ordinary items behind them.
Key with_checks() {
  Key key;
  for (int i = 0; i < 30; ++i)
    key.items.push_back({.id = std::to_string(i), .truth = kFake, .check = i < 10});
  return key;
}
void add(Judgements& j, const std::string& name, int wrong_checks, int ordinary) {
  j.annotators.push_back(name);
  const size_t annotator = j.annotators.size() - 1;
  for (size_t i = 0; i < 10 + static_cast<size_t>(ordinary); ++i) {
    j.list.push_back({.item = i,
                      .annotator = annotator,
                      .choice = static_cast<int>(i) < wrong_checks ? kReal : kFake});
  }
}

TEST(Screening, DropsAndCountsAndCuts) {
  Judgements j;
  add(j, "good", 1, 12);  // 9 of 10 are enough
  add(j, "careless", 2, 15);
  add(j, "short", 0, 4);
  const Key key = with_checks();
  const Screened s = screen(j, key, {.pass = 0.9, .least = 5, .most = 11});
  EXPECT_EQ(s.annotators, 1);
  EXPECT_EQ(s.failed, 1);
  EXPECT_EQ(s.too_few, 1);
  EXPECT_EQ(s.checks, 30);
  EXPECT_EQ(s.dropped, 19);
  EXPECT_EQ(s.cut, 1);
  ASSERT_EQ(s.list.size(), 11u);
  for (const Judgement& judgement : s.list) EXPECT_EQ(judgement.annotator, 0u);
  EXPECT_EQ(s.list[0].item, 10u);
  const Screened by_failures = screen(j, key, {.failures = 2});
  EXPECT_EQ(by_failures.failed, 1);
  EXPECT_EQ(by_failures.list.size(), 16u);
  const Screened all = screen(j, key, {});
  EXPECT_EQ(all.annotators, 3);
  EXPECT_EQ(all.list.size(), 31u);
  EXPECT_EQ(all.dropped + all.cut, 0);
}

// 14 of 25 are 0.56 of them, though 0.56 * 25 is more than 14 in f64.
TEST(Screening, AShareThatIsJustReachedIsEnough) {
  Key key;
  Judgements j{.annotators = {"a"}, .list = {}};
  for (size_t i = 0; i < 26; ++i) {
    key.items.push_back({.id = std::to_string(i), .truth = kFake, .check = i < 25});
    j.list.push_back({.item = i, .choice = i < 11 ? kReal : kFake});
  }
  EXPECT_EQ(screen(j, key, {.pass = 0.56}).annotators, 1);
  EXPECT_EQ(screen(j, key, {.pass = 0.57}).failed, 1);
}

// Below, at and above the least number, and the most.
TEST(Screening, BoundsAreInclusive) {
  for (const int ordinary : {4, 5, 6}) {
    Judgements j;
    add(j, "one", 0, ordinary);
    const Screened s = screen(j, with_checks(), {.least = 5, .most = 5});
    EXPECT_EQ(s.too_few, ordinary < 5) << ordinary;
    EXPECT_EQ(s.annotators, ordinary >= 5) << ordinary;
    EXPECT_EQ(s.dropped, ordinary < 5 ? ordinary : 0) << ordinary;
    EXPECT_EQ(s.cut, ordinary > 5) << ordinary;
    EXPECT_EQ(s.list.size(), ordinary < 5 ? 0u : 5u) << ordinary;
  }
}

TEST(Screening, WithoutTestQuestionsAllPass) {
  Judgements j{.annotators = {"a"}, .list = {{.item = 20, .choice = kReal}}};
  EXPECT_EQ(screen(j, with_checks(), {.pass = 1, .failures = 1}).list.size(), 1u);
}

// ---- ties

// The statement about 50 % is what sampling alone gives: 700 ties of 2,000 pairs, 200 at a time.
TEST(Ties, HaveTheMeanAndVarianceOfSamplesWithoutReplacement) {
  const TieSamples s = sample_ties(2000, 700, 200, 50000, 1);
  EXPECT_DOUBLE_EQ(s.share, 0.35);
  EXPECT_NEAR(s.expected_deviation, std::sqrt(0.35 * 0.65 / 200 * 1800 / 1999), 1e-15);
  EXPECT_NEAR(s.expected_deviation, 0.032, 0.0005);
  EXPECT_NEAR(s.mean, 0.35, 5 * s.expected_deviation / std::sqrt(50000));
  EXPECT_NEAR(s.deviation, s.expected_deviation, 0.01 * s.expected_deviation);
  EXPECT_NEAR(s.low, 0.35 - 1.96 * s.expected_deviation, 0.005);
  EXPECT_NEAR(s.high, 0.35 + 1.96 * s.expected_deviation, 0.005);
  EXPECT_LT(s.half_or_more, 1e-3);
  int64_t samples = 0;
  for (const int64_t count : s.histogram) samples += count;
  EXPECT_EQ(samples, 50000);
  EXPECT_NE(sample_ties(2000, 700, 200, 1000, 2).histogram,
            sample_ties(2000, 700, 200, 1000, 1).histogram);
}

// 2 ties of 4 pairs, 2 at a time: 1/6, 4/6, 1/6.
TEST(Ties, AreHypergeometric) {
  const TieSamples s = sample_ties(4, 2, 2, 60000, 1);
  EXPECT_NEAR(static_cast<double>(s.histogram[0]) / 60000, 1.0 / 6, 0.006);
  EXPECT_NEAR(static_cast<double>(s.histogram[1]) / 60000, 4.0 / 6, 0.008);
  EXPECT_NEAR(s.half_or_more, 5.0 / 6, 0.006);
  EXPECT_EQ(s.low, 0);
  EXPECT_EQ(s.high, 1);
}

// Of 40 samples in order, the second one and the last but one.
TEST(Ties, AnIntervalLeavesOutAFortiethOnEachSide) {
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    const TieSamples s = sample_ties(10, 5, 5, 40, seed);
    std::vector<double> in_order;
    for (size_t k = 0; k < s.histogram.size(); ++k) {
      in_order.insert(in_order.end(), s.histogram[k], static_cast<double>(k) / 5);
    }
    ASSERT_EQ(in_order.size(), 40u);
    EXPECT_EQ(s.low, in_order[1]) << seed;
    EXPECT_EQ(s.high, in_order[38]) << seed;
  }
}

TEST(Ties, AllPairsAtOnceLeaveNothingToChance) {
  for (const int64_t ties : {0, 3, 10}) {
    const TieSamples s = sample_ties(10, ties, 10, 100, 1);
    EXPECT_EQ(s.histogram[static_cast<size_t>(ties)], 100);
    EXPECT_EQ(s.expected_deviation, 0);
    EXPECT_NEAR(s.deviation, 0, 1e-7);
    EXPECT_EQ(s.low, s.high);
  }
  EXPECT_EQ(sample_ties(1, 1, 1, 1, 1).mean, 1);
  EXPECT_THROW(sample_ties(10, 11, 5, 1, 1), UsageError);
  EXPECT_THROW(sample_ties(10, 1, 11, 1, 1), UsageError);
  EXPECT_THROW(sample_ties(10, 1, 5, 0, 1), UsageError);
}

// ---- simulated people

double accuracy(const Simulated& s) {
  double right = 0;
  for (const Judgement& j : s.judgements.list) right += j.choice == s.key.items[j.item].truth;
  return right / static_cast<double>(s.judgements.list.size());
}

// Fleiss' pi, without an interval: two who are drawn agree, and two of different items.
double pi(const Simulated& s) {
  std::vector<double> real(s.key.items.size());
  for (const Judgement& j : s.judgements.list) real[j.item] += j.choice == kReal;
  const auto n = static_cast<double>(s.judgements.annotators.size()),
             items = static_cast<double>(real.size());
  double observed = 0, p = 0;
  for (const double k : real) {
    observed += (k * (k - 1) + (n - k) * (n - k - 1)) / (n * (n - 1)) / items;
    p += k / n / items;
  }
  const double expected = p * p + (1 - p) * (1 - p);
  return (observed - expected) / (1 - expected);
}

TEST(Simulated, TendToWhatIsExpected) {
  for (const SimulatedPeople& people :
       {SimulatedPeople{.items = 8000},
        {.items = 8000, .error_real = 0.26, .error_fake = 0.4},
        {.items = 8000, .annotators = 5, .shared = 0.6},
        {.items = 8000, .error_real = 0.5, .error_fake = 0.5, .shared = 0.9},
        {.items = 8000, .error_real = 0.1, .error_fake = 0.9}}) {
    const Simulated s = simulate(people, 1);
    EXPECT_EQ(s.judgements.list.size(), static_cast<size_t>(people.items * people.annotators));
    EXPECT_TRUE(s.key.simulated);
    EXPECT_NEAR(accuracy(s), expected_accuracy(people), 0.015);
    EXPECT_NEAR(pi(s), expected_pi(people), 0.03);
  }
}

TEST(Simulated, KnownAnswers) {
  EXPECT_DOUBLE_EQ(expected_pi({.error_real = 0, .error_fake = 0}), 1);
  EXPECT_DOUBLE_EQ(expected_pi({.error_real = 0.5, .error_fake = 0.5}), 0);
  EXPECT_DOUBLE_EQ(expected_pi({.error_real = 0.5, .error_fake = 0.5, .shared = 1}), 1);
  // Those who lean to one answer whatever they see agree no more than by chance.
  EXPECT_NEAR(expected_pi({.error_real = 0.1, .error_fake = 0.9}), 0, 1e-12);
  EXPECT_TRUE(std::isnan(expected_pi({.error_real = 0, .error_fake = 1})));
  EXPECT_DOUBLE_EQ(expected_accuracy({.error_real = 0.2, .error_fake = 0.4}), 0.7);
  EXPECT_THROW(simulate({.items = 1}, 1), UsageError);
  EXPECT_THROW(simulate({.annotators = 0}, 1), UsageError);
  EXPECT_THROW(simulate({.error_real = 1.5}, 1), UsageError);
  EXPECT_THROW(simulate({.shared = NAN}, 1), UsageError);
}

}  // namespace
}  // namespace heed::people
