#include "dialog/data/distraction.h"

#include <cmath>
#include <map>

#include "base/error.h"
#include "tests/file_helpers.h"

namespace heed {
namespace {

using Ids = std::vector<int32_t>;

// The query is 13; the pool holds 100 (own dialogue) and 101 ... 104.
Example small_example() {
  return {"d#4", "d", {{10}, {11}, {12}, {13}}, {0, 0, 0, 0}, {14}};
}

Pool small_pool() {
  return {{"d", {100}}, {"x", {101}}, {"x", {102}}, {"d", {100}}, {"y", {103}}, {"z", {104}}};
}

Ids flat(const Example& example) {
  Ids ids;
  for (const Ids& utterance : example.context) {
    ids.insert(ids.end(), utterance.begin(), utterance.end());
  }
  return ids;
}

TEST(InsertRandom, NeverTouchesTheRest) {
  Rng rng(7);
  for (int i = 0; i < 2000; ++i) {
    const Example example = insert_random(small_example(), small_pool(), 0.5, rng);
    ASSERT_EQ(example.context.size(), example.distraction.size());
    EXPECT_EQ(example.context.back(), Ids{13});
    EXPECT_FALSE(example.distraction.back());
    EXPECT_EQ(example.response, Ids{14});
    Ids original;
    for (size_t k = 0; k < example.context.size(); ++k) {
      const int32_t id = example.context[k][0];
      EXPECT_NE(id, 100) << "an utterance of the own dialogue";
      EXPECT_EQ(example.distraction[k], id > 100);
      if (id < 100) original.push_back(id);
    }
    EXPECT_EQ(original, (Ids{10, 11, 12, 13}));
  }
}

TEST(InsertRandom, IsAFunctionOfTheRng) {
  const auto run = [](uint64_t seed) {
    Rng rng(seed);
    return flat(insert_random(small_example(), small_pool(), 0.7, rng));
  };
  int different = 0;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(run(seed), run(seed));
    different += run(seed) != run(seed + 1);
  }
  EXPECT_GT(different, 30);
}

TEST(InsertRandom, InsertsNothingOrTwo) {
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(insert_random(small_example(), small_pool(), 0, rng).context.size(), 4u);
    EXPECT_EQ(insert_random(small_example(), small_pool(), 1, rng).context.size(), 6u);
  }
}

// Counts within five standard deviations of a binomial distribution.
void expect_share(int count, int trials, double p, const std::string& what) {
  EXPECT_NEAR(count, trials * p, 5 * std::sqrt(trials * p * (1 - p))) << what;
}

TEST(InsertRandom, FollowsTheProbabilities) {
  constexpr int kTrials = 20000;
  Rng rng(3);
  std::map<size_t, int> sizes, places;
  std::map<int32_t, int> drawn;
  for (int i = 0; i < kTrials; ++i) {
    const Example example = insert_random(small_example(), small_pool(), 0.7, rng);
    const size_t inserted = example.context.size() - 4;
    ++sizes[inserted];
    for (size_t k = 0; k < example.context.size() && inserted == 1; ++k) {
      if (!example.distraction[k]) continue;
      ++places[k];
      ++drawn[example.context[k][0]];
    }
  }
  expect_share(sizes[0], kTrials, 0.09, "none");
  expect_share(sizes[1], kTrials, 0.42, "one");
  expect_share(sizes[2], kTrials, 0.49, "two");
  ASSERT_EQ(places.size(), 4u);  // before each utterance, the query included
  for (const auto& [place, count] : places) {
    expect_share(count, sizes[1], 0.25, "place " + std::to_string(place));
  }
  ASSERT_EQ(drawn.size(), 4u);
  for (const auto& [id, count] : drawn) {
    expect_share(count, sizes[1], 0.25, "utterance " + std::to_string(id));
  }
}

TEST(InsertRandom, NeedsAnotherDialogue) {
  Rng rng(1);
  const std::string rule = "distractions: no utterance of another dialogue than d among the ";
  const std::string way_out =
      " to draw from; give more dialogues to draw from, or test sets without random ones";
  EXPECT_EQ(error_of<DataError>([&] { insert_random(small_example(), {}, 1, rng); }),
            rule + "0" + way_out);
  EXPECT_EQ(error_of<DataError>([&] {
              insert_random(small_example(), {{"d", {1}}}, 1, rng);
            }),
            rule + "1" + way_out);
}

TEST(InsertRandom, RefusesWhatIsNoProbability) {
  Rng rng(1);
  for (const double p : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THROW(insert_random(small_example(), small_pool(), p, rng), UsageError) << p;
  }
}

// Of a history of three the placebo takes as many utterances as insertion inserts, each equally
// often, never the query, and changes no word.
TEST(FlagOwn, TakesUpToTwoDifferentUtterancesOfTheHistory) {
  Rng rng(6);
  constexpr int kTrials = 20000;
  std::map<size_t, int> sizes, places;
  for (int i = 0; i < kTrials; ++i) {
    const Example example = flag_own(small_example(), 0.7, rng);
    ASSERT_EQ(example.context, small_example().context);
    ASSERT_EQ(example.distraction.back(), 0);
    size_t flagged = 0;
    for (size_t k = 0; k < example.distraction.size(); ++k) {
      if (example.distraction[k] == 0) continue;
      ++flagged;
      ++places[k];
    }
    ++sizes[flagged];
  }
  expect_share(sizes[0], kTrials, 0.09, "none");
  expect_share(sizes[1], kTrials, 0.42, "one");
  expect_share(sizes[2], kTrials, 0.49, "two");
  ASSERT_EQ(places.size(), 3u);
  for (const auto& [place, count] : places) {
    expect_share(count, kTrials, 1.4 / 3, "place " + std::to_string(place));
  }
}

TEST(FlagOwn, OfAHistoryOfOneThereIsOne) {
  Rng rng(7);
  const Example short_one = {"d#2", "d", {{10}, {13}}, {0, 0}, {14}};
  EXPECT_EQ(flag_own(short_one, 1, rng).distraction, (std::vector<char>{1, 0}));
  EXPECT_THROW(flag_own(short_one, 1.1, rng), UsageError);
}

TEST(FlagOwn, TakesNoneThatIsADistractionAlready) {
  Rng rng(8);
  const Example marked = {"d#4", "d", {{10}, {11}, {12}, {13}}, {1, 1, 0, 0}, {14}};
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(flag_own(marked, 1, rng).distraction, (std::vector<char>{1, 1, 1, 0}));
  }
}

TEST(MakePool, HoldsAllTurnsWithTokens) {
  const Vocabulary vocabulary = Vocabulary::build({{"a", 2}, {"b", 1}});
  const Pool pool =
      make_pool({{"x", {{"", "a b a"}, {"", " "}}}, {"y", {{"", "b"}}}}, vocabulary, 2);
  ASSERT_EQ(pool.size(), 2u);
  EXPECT_EQ(pool[0].dialogue_id, "x");
  EXPECT_EQ(pool[0].said.tokens, (Ids{5, 6}));
  EXPECT_EQ(pool[1].dialogue_id, "y");
  EXPECT_EQ(pool[1].said.tokens, Ids{6});
}

TEST(EncodePhrases, KnowsThePhrasesOfTheExperiment) {
  const Vocabulary vocabulary = Vocabulary::build(
      count_tokens({{"", {{"", "would you have lunch? i should; why help my right"}}}}));
  const auto text = [&](const Utterance& said) {
    std::string all;
    for (int32_t id : said.tokens) all += vocabulary.token(id) + " ";
    return all;
  };
  const Phrases phrases = encode_phrases({}, vocabulary);
  ASSERT_EQ(phrases.frequent.size(), 2u);
  EXPECT_EQ(text(phrases.frequent[0]), "why should i help you ");
  EXPECT_EQ(text(phrases.frequent[1]), "i have my right ");
  ASSERT_EQ(phrases.rare.size(), 2u);
  EXPECT_EQ(text(phrases.rare[0]), "would you have lunch ? ");
  EXPECT_EQ(text(phrases.rare[1]), "i should have lunch ");
  EXPECT_EQ(text(encode_phrases({}, vocabulary, 3).frequent[0]), "why should i ");
  EXPECT_EQ(text(encode_phrases({}, vocabulary, 3).rare[0]), "would you have ");
  EXPECT_EQ(encode_phrases({.frequent = {"my lunch"}, .rare = {}}, vocabulary).frequent.size(), 1u);
}

const Phrases kPhrases = {{{201}, {202}}, {{301}, {302}}};

Example apply_named(const std::string& name, const Example& example) {
  Rng rng(1);
  return apply(parse_test_set(name), example, small_pool(), kPhrases, rng);
}

TEST(Apply, PutsThePhrasesInTheirPlace) {
  EXPECT_EQ(flat(apply_named("frequent:begin", small_example())), (Ids{201, 202, 10, 11, 12, 13}));
  EXPECT_EQ(flat(apply_named("frequent:middle", small_example())), (Ids{10, 201, 202, 11, 12, 13}));
  EXPECT_EQ(flat(apply_named("rare:end", small_example())), (Ids{10, 11, 12, 301, 302, 13}));
  EXPECT_EQ(apply_named("rare:end", small_example()).distraction,
            (std::vector<char>{0, 0, 0, 1, 1, 0}));
  const Example shortest = {"d", "d", {{10}, {13}}, {0, 0}, {}};
  EXPECT_EQ(flat(apply_named("rare:middle", shortest)), (Ids{301, 302, 10, 13}));
  EXPECT_EQ(flat(apply_named("rare:end", shortest)), (Ids{10, 301, 302, 13}));
}

TEST(Apply, RandomInsertsUtterancesOfOtherDialogues) {
  const Example got = apply_named("random:1.0", small_example());
  ASSERT_EQ(got.context.size(), 6u);
  EXPECT_EQ(got.context.back(), Ids{13});
  Ids original;
  for (size_t k = 0; k < got.context.size(); ++k) {
    const int32_t id = got.context[k][0];
    EXPECT_EQ(got.distraction[k], id > 100) << id;
    if (id < 100) original.push_back(id);
  }
  EXPECT_EQ(original, (Ids{10, 11, 12, 13}));
  EXPECT_EQ(flat(apply_named("none", small_example())), flat(small_example()));
  EXPECT_EQ(flat(apply_named("random:0", small_example())), flat(small_example()));
}

TEST(TestSets, AreTheNineOfTheExperiment) {
  for (const std::string_view name : kTestSets) {
    const TestSet set = parse_test_set(name);
    EXPECT_EQ(set.name, name);
    EXPECT_NE(set.kind, TestSet::Kind::kNone);
  }
  EXPECT_EQ(parse_test_set("random:0.7").p, 0.7);
  EXPECT_EQ(parse_test_set("random:0.25").p, 0.25);
}

// The draws of a set are keyed by its name.
TEST(TestSets, OfOneProbabilityHaveOneName) {
  for (const auto& [given, name] : {std::pair("random:1", "random:1.0"),
                                    {"random:1.0", "random:1.0"},
                                    {"random:1.00", "random:1.0"},
                                    {"random:0", "random:0.0"},
                                    {"random:0.50", "random:0.5"},
                                    {"random:.5", "random:0.5"},
                                    {"random:0.125", "random:0.125"},
                                    {"random:1e-3", "random:0.001"}}) {
    EXPECT_EQ(parse_test_set(given).name, name) << given;
  }
}

TEST(TestSets, NamesTheValidOnes) {
  EXPECT_EQ(error_of<UsageError>([] { parse_test_set("often:begin"); }),
            "unknown test set \"often:begin\"; there are none, random:0.5, random:0.7, random:1.0, "
            "frequent:begin, frequent:middle, frequent:end, rare:begin, rare:middle, rare:end and "
            "random:P for any P from 0 to 1");
  for (const char* name :
       {"", ":", "random", "random:", "random:1.5", "random:-0.1", "random:nan", "random:0.5x",
        "random: 0.5", "rare:", "rare:start", "none:1", "Rare:end", "frequent:end "}) {
    EXPECT_THROW(parse_test_set(name), UsageError) << name;
  }
}

}  // namespace
}  // namespace heed
