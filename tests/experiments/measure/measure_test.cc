// Numbers of experiments/measure, against cases that are counted by hand.
#include <gtest/gtest.h>

#include <set>

#include "base/error.h"
#include "experiments/measure/items_to_judge_json.h"
#include "experiments/measure/measure_json.h"

namespace heed {
namespace {

using people::Judgement;
using people::Key;

// ---- texts of no class

// Four texts of two classes, three of none: of a class one is right, one withheld, two are wrong;
// of none two are withheld.
TEST(Negatives, SharesOfTextsAndTheirOrder) {
  using probe::kNoClass;
  probe::Tested tested;
  tested.add(0, {0, 0.9}, 0);
  tested.add(0, {1, 0.8}, 0);
  tested.add(1, {1, 0.4}, 1);
  tested.add(1, {0, 0.6}, 1);
  tested.add(kNoClass, {0, 0.7}, 2);
  tested.add(kNoClass, {0, 0.3}, 3);
  tested.add(kNoClass, {1, 0.2}, 3);
  tested.ends = {7};
  const auto rows = measure_negatives("real", tested, {0.5, 0}, 1);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].tested, 7);
  EXPECT_EQ(rows[0].none, 3);
  EXPECT_DOUBLE_EQ(rows[0].accuracy->value, 3.0 / 7);
  EXPECT_DOUBLE_EQ(rows[0].known_right->value, 1.0 / 4);
  EXPECT_DOUBLE_EQ(rows[0].none_withheld->value, 2.0 / 3);
  EXPECT_DOUBLE_EQ(rows[0].none_withheld->interval.low, 0);  // of its two clusters one is 0 of 1
  EXPECT_DOUBLE_EQ(rows[0].none_withheld->interval.high, 1);
  EXPECT_DOUBLE_EQ(rows[0].auc->value, 10.0 / 12);  // 0.7 is above 0.6 and 0.4
  EXPECT_EQ(rows[0].auc->clusters, 4);
  EXPECT_DOUBLE_EQ(rows[1].known_right->value, 2.0 / 4);
  EXPECT_DOUBLE_EQ(rows[1].none_withheld->value, 0);
  EXPECT_EQ(to_json(rows[0])["outcomes"].dump(), R"({"T":1,"TO":2,"FCO":1,"FO":0,"F":3})");
}

// What a seed draws is the same again, and of some other seeds another.
template <class Drawn> void expect_drawn_by(const Drawn& drawn) {
  const auto one = drawn(1);
  EXPECT_EQ(drawn(1), one);
  EXPECT_TRUE(drawn(2) != one || drawn(3) != one || drawn(4) != one);
}

TEST(Negatives, ASeedHasItsOwnIntervals) {
  probe::Tested tested;
  for (int i = 0; i < 60; ++i) tested.add(i % 2, {i * 7 % 60 < 20, 0.6}, i * i % 13);
  tested.ends = {60};
  expect_drawn_by([&](uint64_t seed) {
    return to_json(measure_negatives("x", tested, {0.5}, seed)[0]).dump();
  });
}

// ---- ties

// Three pairs; the second one was shown swapped, the third one has equal responses.
Key pairs_key() {
  Key key;
  key.items = {{.id = "1"}, {.id = "2", .swapped = true}, {.id = "3", .identical = true}};
  return key;
}

Judgement said(size_t item, int choice, int round = 1) {
  return {.item = item, .annotator = 0, .choice = choice, .round = round};
}

TEST(TieRounds, CountsRunsAndNotSides) {
  const std::vector<Judgement> list = {said(0, people::kA),      said(1, people::kA),
                                       said(2, people::kTie),    said(0, people::kTie, 2),
                                       said(1, people::kTie, 2), said(2, people::kB, 2)};
  const auto rounds =
      tie_rounds(list, pairs_key(), {.source = "a file", .samples = 10, .size = 1, .seed = 3});
  ASSERT_EQ(rounds.size(), 4u);  // each round with all pairs, and without the identical ones
  const std::vector<int64_t> chosen[] = {{1, 1, 1}, {1, 1, 0}, {0, 1, 2}, {0, 0, 2}};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(rounds[i].chosen, chosen[i]) << i;
    EXPECT_EQ(rounds[i].number, i < 2 ? 1 : 2) << i;
    EXPECT_EQ(rounds[i].all, i % 2 == 0) << i;
    ASSERT_TRUE(rounds[i].share) << i;
    EXPECT_DOUBLE_EQ(rounds[i].share->value, double(chosen[i][2]) / double(rounds[i].pairs()));
  }
  EXPECT_EQ(to_json(rounds[3])["ties"], 2);
  EXPECT_EQ(to_json(rounds[3])["pairs_with"], "different responses");
  Key different = pairs_key();  // without identical ones there is nothing to leave out
  for (auto& item : different.items) item.identical = false;
  EXPECT_EQ(tie_rounds(list, different, {.source = "a file", .samples = 10, .size = 1}).size(), 2u);
}

TEST(TieRounds, RefusesSamplesThatAreLargerThanARound) {
  try {
    tie_rounds({said(0, people::kA)}, pairs_key(), {.source = "j.jsonl", .samples = 5, .size = 2});
    FAIL();
  } catch (const DataError& e) {
    EXPECT_STREQ(e.what(), "j.jsonl: round 1 has 1 pairs, fewer than --size 2");
  }
}

// A round may be as large as a sample, which is then all of it. Every draw is of the seed.
TEST(TieRounds, SamplesAndIntervalsAreOfTheirSeed) {
  Key key;
  std::vector<Judgement> list;
  for (size_t i = 0; i < 60; ++i) {
    key.items.push_back({.id = std::to_string(i)});
    list.push_back(said(i, i % 3 == 0 ? people::kTie : people::kA));
    list.push_back(said(i, i % 4 == 0 ? people::kTie : people::kA));
  }
  const auto round = [&](int64_t size, uint64_t seed) {
    return tie_rounds(list, key, {.source = "f", .samples = 300, .size = size, .seed = seed}).at(0);
  };
  EXPECT_DOUBLE_EQ(round(120, 1).samples.mean, 35 / 120.0);
  EXPECT_THROW(round(121, 1), DataError);
  expect_drawn_by([&](uint64_t seed) { return round(10, seed).samples.histogram; });
  expect_drawn_by([&](uint64_t seed) { return to_json(round(10, seed))["share"].dump(); });
  expect_drawn_by(
      [&](uint64_t seed) { return to_json(tie_agreement(list, key, seed))["pi"].dump(); });
}

TEST(TieRounds, AreWrittenInPercent) {
  TieRound round{.chosen = {1, 2, 3}, .share = Estimate{.value = 0.5, .interval = {0.25, 0.75}}};
  round.samples = {.mean = 0.5,
                   .deviation = 0.0625,
                   .low = 0.125,
                   .high = 0.875,
                   .half_or_more = 0.375,
                   .histogram = {}};
  const std::string table = tie_table({round}, 300);
  for (const char* part :
       {"0.500 [0.250, 0.750]", "0.500", "0.0625", "0.125 to 0.875", "37.50 %"}) {
    EXPECT_NE(table.find(part), table.npos) << part << table;
  }
}

// ---- real or fake

TEST(RealOrFake, CountsJudgementsMajoritiesAndAClassifier) {
  Key key;
  key.items = {{.id = "r1", .truth = people::kReal},
               {.id = "r2", .truth = people::kReal},
               {.id = "f1", .truth = people::kFake},
               {.id = "f2", .truth = people::kFake},
               {.id = "unseen", .truth = people::kReal}};
  std::vector<Judgement> list;
  const int as_real[] = {3, 1, 0, 2}, as_fake[] = {0, 2, 3, 2};
  for (size_t item = 0; item < 4; ++item) {
    for (int n = 0; n < as_real[item]; ++n) list.push_back(said(item, people::kReal));
    for (int n = 0; n < as_fake[item]; ++n) list.push_back(said(item, people::kFake));
  }
  const Votes votes = votes_of(key, list);
  EXPECT_EQ(votes.items, (std::vector<size_t>{0, 1, 2, 3}));
  const RealOrFake n = judge_items(key, votes, {0.5, 0.8, 0.7, 0.2, 0.9}, 1);
  ASSERT_EQ(n.rows.size(), 3u);
  const nlohmann::ordered_json json = to_json(n);
  EXPECT_EQ(json["judgements"]["counts"].dump(),
            R"({"real_as_real":4,"real_as_fake":2,"fake_as_real":2,"fake_as_fake":5})");
  EXPECT_DOUBLE_EQ(json["judgements"]["accuracy"]["value"], 9.0 / 13);
  EXPECT_EQ(json["majority"]["counts"].dump(),
            R"({"real_as_real":1,"real_as_fake":1,"fake_as_real":0,"fake_as_fake":1})");
  EXPECT_EQ(n.undecided, 1);
  EXPECT_EQ(json["classifier"]["counts"].dump(),
            R"({"real_as_real":2,"real_as_fake":0,"fake_as_real":1,"fake_as_fake":1})");
  EXPECT_DOUBLE_EQ(json["classifier"]["auc"], 0.75);  // 0.8 is above 0.7 and 0.2, 0.5 above 0.2
  EXPECT_EQ(n.only_people, 1);                        // f1
  EXPECT_EQ(n.only_classifier, 1);                    // r2
  // Of r1, r2 and f1 they agree on the first. Of their six choices four are "real".
  ASSERT_TRUE(n.with_majority);
  EXPECT_EQ(n.with_majority->items, 3);
  const double by_chance = (4.0 * 4 + 2.0 * 2) / 36;
  EXPECT_DOUBLE_EQ(n.with_majority->pi->value, (1 / 3.0 - by_chance) / (1 - by_chance));
  EXPECT_TRUE(text_of(n, 200).find("undecided items: 1\n") != std::string::npos);
}

// ---- rankings

// Two lists of one conversation, one of another: a list's two right ones both count.
TEST(Rankings, AreasAreOfAllRightOnesAndOverConversations) {
  const std::vector<retrieve::ScoredList> lists = {
      {.conversation = 0, .scores = {9, 8, 1, 2, 3}, .right = {0, 1}},
      {.conversation = 0, .scores = {7, 1, 2, 3, 4}, .right = {0}},
      {.conversation = 1, .scores = {6, 1, 2, 3, 4}, .right = {0}}};
  const Ranking row = measure_ranking("mine", lists, 1);
  EXPECT_EQ(row.auc.value().value, 1);
  EXPECT_EQ(row.auc->clusters, 2);
  EXPECT_EQ(row.areas, (std::vector<double>{1, 1, 1}));
  ASSERT_EQ(row.recall.size(), 2u);  // of 1 and 2: all five are within 5
  EXPECT_EQ(row.recall[1].first, 2);
}

TEST(Rankings, ASeedHasItsOwnIntervals) {
  std::vector<retrieve::ScoredList> lists;
  for (int i = 0; i < 60; ++i) {
    lists.push_back(
        {.conversation = i * i % 13, .scores = {i * 37 % 60 / 60.0, 0.5, 0.3}, .right = {0}});
  }
  expect_drawn_by([&](uint64_t seed) {
    return to_json(std::vector{measure_ranking("x", lists, seed)}).dump();
  });
}

TEST(Rankings, ShareTheCreditOfTiesAndKnowChance) {
  const std::vector<retrieve::ScoredList> lists = {
      {.conversation = 0, .scores = {3, 2, 1}, .right = {0}},   // rank 1
      {.conversation = 1, .scores = {1, 2, 1}, .right = {0}}};  // ranks 2 and 3
  const Ranking row = measure_ranking("mine", lists, 1);
  ASSERT_EQ(row.recall.size(), 2u);  // of 1 and 2: all three are within 5
  EXPECT_DOUBLE_EQ(row.recall[0].second->value, 0.5);
  EXPECT_DOUBLE_EQ(row.recall[1].second->value, 0.75);
  EXPECT_DOUBLE_EQ(row.mrr->value, (1 + (1 / 2.0 + 1 / 3.0) / 2) / 2);
  EXPECT_DOUBLE_EQ(row.map->value, row.mrr->value);
  const Ranking two_right = measure_ranking("two", {{.scores = {3, 2, 1}, .right = {1, 2}}}, 1);
  EXPECT_DOUBLE_EQ(two_right.mrr->value, 1 / 2.0);
  EXPECT_DOUBLE_EQ(two_right.map->value, (1 / 2.0 + 2 / 3.0) / 2);
  const Ranking chance = chance_ranking(lists, 1);
  EXPECT_DOUBLE_EQ(chance.recall[0].second->value, 1 / 3.0);
  EXPECT_DOUBLE_EQ(chance.auc->value, 0.5);
  EXPECT_EQ(to_json(std::vector{chance})[0]["recall"]["2"]["value"], 2 / 3.0);
}

// ---- items to judge

// Ten dialogues that end with "a<i> b c d e", and a model that answers that ("human"), or its name.
class Items : public testing::Test {
 protected:
  Items() {
    for (int i = 0; i < 10; ++i) {
      const std::string id = std::to_string(i);
      dialogues.push_back({id, {{"", "hi"}, {"", "what"}, {"", "a" + id + " b c d e"}}});
    }
  }
  Passages passages() {
    const auto respond = [this](const std::vector<size_t>& places, const std::string& model) {
      std::vector<Tokens> all;
      for (const size_t place : places) {
        asked.insert(place);
        const std::string id = std::to_string(place);
        all.push_back(model == "human" ? Tokens{"a" + id, "b", "c", "d", "e"} : Tokens{model, id});
      }
      return all;
    };
    return {make_examples(dialogues, Vocabulary(), {}), respond, 7};
  }
  std::vector<Dialogue> dialogues;
  std::set<size_t> asked;
};

TEST_F(Items, OfPairsAreSwappedByADrawAndKnowEqualTexts) {
  Passages all = passages();
  const auto items = pair_items(all, {.items = 6, .checks = 2, .seed = 7}, "human", "model");
  ASSERT_EQ(items.size(), 8u);
  EXPECT_EQ(all.left(), 2u);
  size_t swapped = 0;
  std::set<std::string> ids;
  for (size_t i = 0; i < 6; ++i) {
    const bool is_swapped = items[i].hidden["swapped"];
    swapped += is_swapped;
    const std::string id = items[i].hidden["id"];
    EXPECT_EQ(items[i].shown[is_swapped ? "b" : "a"], "a" + id + " b c d e");
    EXPECT_EQ(items[i].shown[is_swapped ? "a" : "b"], "model " + id);
    EXPECT_EQ(items[i].hidden["identical"], false);
    EXPECT_EQ(items[i].shown["context"].dump(), R"(["hi","what"])");
    ids.insert(id);
  }
  EXPECT_EQ(ids.size(), 6u);
  EXPECT_TRUE(swapped > 0 && swapped < 6) << swapped;
  for (size_t i = 6; i < 8; ++i) {
    const std::string right = items[i].hidden["expected"];
    EXPECT_EQ(items[i].hidden["check"], true);
    EXPECT_EQ(items[i].shown[right], "a" + items[i].hidden["id"].get<std::string>() + " b c d e");
  }
  Passages again = passages();
  for (const auto& item : pair_items(again, {.items = 3, .checks = 0, .seed = 7}, "human", "human"))
    EXPECT_EQ(item.hidden["identical"], true);
}

TEST_F(Items, RealOrFakeTakeNothingThatTheSieveRefuses) {
  Passages all = passages();
  ResponseSieve sieve({.unknown = true, .repeated = true, .as_people = true});
  const auto items =
      real_or_fake_items(all, {.items = 4, .checks = 1, .seed = 7}, "human", 3, sieve);
  EXPECT_EQ(items.size(), 3u);  // two real ones and a check: the model says what people said
  EXPECT_EQ(sieve.left_out().as_people, 7);
  EXPECT_EQ(asked.size(), 7u);
  EXPECT_EQ(items[0].hidden["real"], true);
  EXPECT_EQ(items[2].hidden["check"], true);
  const auto [shown, hidden] = numbered(items, 7);
  ASSERT_EQ(shown.size(), 3u);
  EXPECT_EQ(shown[1]["item"], "2");
  EXPECT_EQ(hidden[1]["item"], "2");
  EXPECT_FALSE(shown[1].contains("real"));
}

// Which one is A, what a check is like and where an item stands are drawn by the seed.
TEST_F(Items, ASeedHasItsOwnDraws) {
  expect_drawn_by([&](uint64_t seed) {
    Passages all = passages();
    std::string sides;
    for (const auto& item :
         pair_items(all, {.items = 10, .checks = 0, .seed = seed}, "human", "model")) {
      sides += item.hidden["swapped"].get<bool>() ? 'x' : '-';
    }
    return sides;
  });
  expect_drawn_by([&](uint64_t seed) {
    Passages all = passages();
    ResponseSieve sieve({});
    std::string checks;
    for (const auto& item :
         real_or_fake_items(all, {.items = 0, .checks = 5, .seed = seed}, "model", 3, sieve)) {
      checks += item.shown["response"].get<std::string>() + "\n";
    }
    return checks;
  });
  Passages all = passages();
  const auto items = pair_items(all, {.items = 10, .checks = 0, .seed = 7}, "human", "model");
  expect_drawn_by([&](uint64_t seed) {
    std::string order;
    for (const auto& line : numbered(items, seed).second) order += line["id"].get<std::string>();
    return order;
  });
}

// Five words at least, in another order; each seed has another, and the items are shuffled.
TEST_F(Items, ChecksHaveTheirWordsInAnotherOrder) {
  dialogues[3].turns[2].text = "a3 b c d";
  const Passages all = passages();
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Rng rng(seed, "test");
    EXPECT_NE(all.shuffled(1, rng), all.response(1)) << seed;
  }
  Passages some = passages(), other(make_examples(dialogues, Vocabulary(), {}), {}, 8);
  EXPECT_EQ(some.take_for_checks(20).size(), 9u);
  EXPECT_EQ(some.take(20), std::vector<size_t>{3});
  EXPECT_NE(other.take(10), passages().take(10));
  Passages more = passages();
  ResponseSieve sieve({});
  const auto items =
      real_or_fake_items(more, {.items = 5, .checks = 0, .seed = 7}, "model", 3, sieve);
  ASSERT_EQ(items.size(), 5u);
  for (size_t i = 0; i < 5; ++i) EXPECT_EQ(items[i].hidden["real"], i < 3) << i;
  std::vector<std::string> before, after;
  for (const auto& item : items) before.push_back(item.hidden["id"]);
  for (const auto& line : numbered(items, 7).second) after.push_back(line["id"]);
  EXPECT_NE(before, after);
  EXPECT_EQ(std::set(before.begin(), before.end()), std::set(after.begin(), after.end()));
}

}  // namespace
}  // namespace heed
