// Items in files, and how words are found in them.
#include "dialog/carry/items.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>

#include "base/error.h"
#include "dialog/carry/encoded.h"
#include "dialog/carry/rules.h"
#include "dialog/carry/schema_guided_items.h"
#include "tests/file_helpers.h"

namespace heed::carry {
namespace {

const std::string kLine =
    R"({"id": "a", "turns": [{"speaker": "user", "text": "A table in São Paulo."}, )"
    R"({"speaker": "system", "text": "For when?"}, {"speaker": "user", "text": "7 pm"}], )"
    R"("candidates": [{"turn": 0, "key": "city", "span": [11, 20]}, )"
    R"({"turn": 2, "key": "arrival_time", "value": "19:00", "span": [0, 4]}, )"
    R"({"turn": 1, "key": "city", "value": "Rio", "from": "hotels_1"}], "carry": [0, 1]})";

std::string with(const std::string& what, const std::string& other) {
  const size_t at = kLine.find(what);
  return std::string(kLine).replace(at, what.size(), other);
}

TEST(CarryItems, AreRead) {
  const TempDir dir;
  const std::vector<Item> items = read_items(dir.write("f", "\n" + kLine + "\n"));
  ASSERT_EQ(items.size(), 1u);
  const Item& item = items[0];
  EXPECT_EQ(item.id + item.dialogue, "aa");
  EXPECT_EQ(item.candidates[0].value, "São Paulo");
  EXPECT_EQ(item.candidates[1].value, "19:00");
  EXPECT_EQ(item.candidates[2].from, "hotels_1");
  EXPECT_EQ(item.carry, (std::vector<char>{1, 1, 0}));
  EXPECT_EQ(item.distance(0), 2);
  EXPECT_EQ(item.distance(1), 0);
  dir.write("g", item_line(item));
  EXPECT_EQ(item_line(read_items(dir.path("g"))[0]), item_line(item));
  EXPECT_EQ(read_items(dir.path("f"), {.set = "same"})[0].candidates.size(), 2u);
  EXPECT_EQ(read_items(dir.path("f"), {.set = "cross"})[0].carry, (std::vector<char>{0}));
}

TEST(CarryItems, WordsOfASpanAreFound) {
  const TempDir dir;
  const Item item = read_items(dir.write("f", kLine))[0];
  const Vocabulary words = Vocabulary::build(
      TokenCounts{{"a", 9}, {"table", 8}, {"in", 7}, {"são", 6}, {"paulo", 5}, {"arrival", 1}});
  const Encoded e = encode(item, words);
  const int32_t user = words.size(), system = user + 1;
  EXPECT_EQ(e.tokens, (std::vector<int32_t>{user, 5, 6, 7, 8, 9, kUnk, kEou, system, kUnk, kUnk,
                                            kUnk, kEou, user, kUnk, kUnk, kEou}));
  ASSERT_EQ(e.slots.size(), 3u);
  EXPECT_EQ(std::pair(e.slots[0].begin, e.slots[0].end), std::pair(4, 6));
  EXPECT_EQ(std::pair(e.slots[1].begin, e.slots[1].end), std::pair(14, 16));
  EXPECT_EQ(std::pair(e.slots[2].begin, e.slots[2].end), std::pair(9, 12));  // no span: the turn
  EXPECT_EQ(e.slots[1].key, (std::vector<int32_t>{10, kUnk}));
  EXPECT_EQ(e.gold, (std::vector<int32_t>{0, 1}));
}

TEST(CarryItems, ASpanThatBeginsOrEndsWithinAWordHasIt) {
  const Item item{.id = "a",
                  .turns = {{"user", "at 5pm in town"}},
                  .candidates = {{.turn = 0, .begin = 4, .end = 6},
                                 {.turn = 0, .begin = 2, .end = 4},
                                 {.turn = 0, .begin = 6, .end = 12},
                                 {.turn = 0, .begin = 2, .end = 3}}};
  const Encoded e = encode(item, Vocabulary());
  std::vector<std::pair<int32_t, int32_t>> places;
  for (const Encoded::Slot& slot : e.slots) places.emplace_back(slot.begin, slot.end);
  // after the speaker: "5pm" twice, "in to(wn)", and of nothing but a space the whole turn
  EXPECT_EQ(places, (std::vector<std::pair<int32_t, int32_t>>{{2, 3}, {2, 3}, {3, 5}, {1, 5}}));
}

// Whoever begins: the one who speaks last is always the same token.
TEST(CarryItems, SpeakersAreCountedFromTheLastTurn) {
  const Vocabulary none;
  const int32_t last = none.size(), other = last + 1;
  EXPECT_EQ(encode_turns({{"system", "hi"}, {"user", "yes"}}, none),
            (std::vector<int32_t>{other, kUnk, kEou, last, kUnk, kEou}));
}

TEST(CarryItems, ATurnWithoutAWordIsItsSpeaker) {
  const Item item{.id = "a",
                  .turns = {{"user", " \t"}, {"system", "ok"}},
                  .candidates = {{.turn = 0, .key = "_", .value = "x"}}};
  const Encoded e = encode(item, Vocabulary());
  EXPECT_EQ(std::pair(e.slots[0].begin, e.slots[0].end), std::pair(0, 1));
  EXPECT_FALSE(e.slots[0].key.empty());
}

TEST(CarryItems, HostileLinesAreRefused) {
  const TempDir dir;
  const auto refused = [&](const std::string& line) {
    const std::string path = dir.write("f", kLine + "\n" + line + "\n");
    const std::string text = error_of<DataError>([&] { read_items(path); });
    EXPECT_EQ(text.substr(0, path.size() + 4), path + ":2: ") << text;
    return text.substr(std::min(text.size(), path.size() + 4));
  };
  EXPECT_EQ(refused("[1]"),
            R"(expected {"id": ..., "turns": [...], "candidates": [...], "carry": [...]})");
  EXPECT_TRUE(has(refused("{"), "not valid JSON: "));
  EXPECT_TRUE(has(refused(with("7 pm", "7 \xfchr")), "not valid JSON: "));  // Latin-1
  EXPECT_EQ(refused(with("[11, 20]", "[11, 1e999]")),
            "not valid JSON: number overflow parsing '1e999'");
  EXPECT_EQ(refused(std::string(100, '[')), "nested deeper than 64");
  EXPECT_EQ(refused(R"({"turns": [], "candidates": [], "carry": []})"), R"("turns" is empty)");
  EXPECT_EQ(
      refused(R"({"turns": [{"text": "x"}]})"),
      "there is no \"candidates\", the values said so far; heed prepare carryover makes items");
  EXPECT_EQ(refused(R"({"turns": [1], "candidates": []})"), "each turn must be an object");
  EXPECT_EQ(refused(with(R"("text": "7 pm")", R"("text": 7)")),
            R"("text" of turn 2 must be a string)");
  EXPECT_EQ(refused(with("[11, 20]", "[11, 22]")),
            "the end of the span of candidate 0 must be a whole number from 0 to 21, got 22");
  EXPECT_EQ(refused(with("[11, 20]", "[-1, 20]")),
            "the begin of the span of candidate 0 must be a whole number from 0 to 20, got -1");
  EXPECT_EQ(refused(with("[11, 20]", "[11, 11]")),
            "the span of candidate 0 ends where it begins, or before");
  for (const char* blank : {R"("text": " ")", R"("text": "\u200b")"}) {
    EXPECT_EQ(refused(with(R"("text": "7 pm")", blank)),
              "candidate 1 is of turn 2, which has no words");
  }
  EXPECT_EQ(refused(with("[11, 20]", "[10, 11]")), "the span of candidate 0 has no words");
  for (const char* value : {R"("value": "")", R"("value": " \t")"}) {
    EXPECT_EQ(refused(with(R"("key": "city")", R"("key": "city", )" + std::string(value))),
              R"("value" of candidate 0 is empty)");
  }
  EXPECT_EQ(refused(with("[11, 20]", "[11]")), R"("span" of candidate 0 must be [begin, end])");
  EXPECT_EQ(refused(with(R"("turn": 2)", R"("turn": 3)")),
            R"("turn" of candidate 1 must be a whole number from 0 to 2, got 3)");
  EXPECT_EQ(
      refused(with(R"("turn": 2)", R"("turn": 18446744073709551615)")),
      R"("turn" of candidate 1 must be a whole number from 0 to 2, got 18446744073709551615)");
  EXPECT_EQ(refused(with(R"("key": "city")", R"("key": " ")")), R"("key" of candidate 0 is empty)");
  EXPECT_EQ(refused(with(R"("carry": [0, 1])", R"("carry": [3])")),
            R"(a place in "carry" must be a whole number from 0 to 2, got 3)");
  EXPECT_EQ(refused(with(R"("carry": [0, 1])", R"("carry": [1, 1])")), R"("carry" has 1 twice)");
  EXPECT_EQ(refused(with(R"("carry": [0, 1])", R"("carry": ["city"])")),
            R"("carry" must be a list of places in "candidates", from 0, got "city")");
  EXPECT_EQ(refused(with(R"(, "carry": [0, 1])", "")),
            R"(there is no "carry": the places of the candidates that hold, [] for none)");
  EXPECT_EQ(refused(R"({"turns": [{"text": "x"}], "candidates": [], "carry": [0]})"),
            R"("carry" names a candidate, and there is none)");
  const std::string empty = dir.write("empty", "\n");
  EXPECT_EQ(error_of<DataError>([&] { read_items(empty); }),
            empty + ": holds no item; heed prepare carryover makes them");
}

TEST(CarryItems, DistractionsMoveWhatStandsBehindThem) {
  const TempDir dir;
  const std::vector<Item> all = {
      read_items(dir.write("f", kLine))[0],
      {.id = "b", .dialogue = "b", .turns = {{"user", "elsewhere"}}, .labelled = true}};
  Rng rng(1);
  const Item item = distract(all[0], all, 3, rng);
  ASSERT_EQ(item.turns.size(), 6u);
  EXPECT_EQ(item.turns.back().text, "7 pm");
  int distractions = 0;
  for (const Turn& turn : item.turns) distractions += turn.distraction && turn.text == "elsewhere";
  EXPECT_EQ(distractions, 3);
  for (size_t i = 0; i < 3; ++i) {
    const auto turn = [](const Item& it, size_t c) {
      return it.turns[static_cast<size_t>(it.candidates[c].turn)].text;
    };
    EXPECT_EQ(turn(item, i), turn(all[0], i));
  }
  // The last turn stays the last, wherever they are put.
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Rng other(seed);
    EXPECT_EQ(distract(all[0], all, 3, other).turns.back().text, "7 pm") << seed;
  }
  // However few there are of other dialogues, one is found.
  std::vector<Item> most(20'000, all[0]);
  most.push_back(all[1]);
  EXPECT_EQ(distract(all[0], most, 1, rng).turns.size(), 4u);
  EXPECT_EQ(error_of<DataError>([&] { distract(all[0], {all[0]}, 1, rng); }),
            "distractions come from other dialogues, and there is none");
}

TEST(CarryRules, AreAsTheySay) {
  Item item{.id = "a",
            .turns = {{"user", "x"}, {"system", "y"}, {"user", "z"}},
            .candidates = {{.turn = 0, .key = "city", .value = "Rio"},
                           {.turn = 1, .key = "city", .value = "Lima"},
                           {.turn = 1, .key = "city", .value = "Bern", .from = "hotels"},
                           {.turn = 1, .key = "day", .value = "rio"},
                           {.turn = 2, .key = "city", .value = "RIO"}}};
  const auto by = [&](const char* rule) { return decide_by_rule(rule, item); };
  EXPECT_EQ(by("everything"), (std::vector<char>{1, 1, 1, 1, 1}));
  EXPECT_EQ(by("latest"), (std::vector<char>{1, 0, 1, 1, 1}));
  item.candidates.pop_back();
  EXPECT_EQ(by("latest"), (std::vector<char>{0, 1, 1, 1}));
  EXPECT_EQ(by("latest-user"), (std::vector<char>{1, 0, 0, 0}));
  item.candidates.push_back({.turn = 1, .key = "city", .value = "Oslo"});  // of a turn the last
  EXPECT_EQ(by("latest"), (std::vector<char>{0, 0, 1, 1, 1}));
  EXPECT_EQ(error_of<UsageError>([&] { by("x"); }),
            "rule: expected everything, latest or latest-user, got 'x'");
}

TEST(CarryRules, AreCountedByDistanceSetServiceAndSlots) {
  Item item{.id = "a",
            .unseen = true,
            .turns = {{"user", "x"}, {"user", "z"}},
            .candidates = {{.turn = 0, .key = "city", .value = "Rio"},
                           {.turn = 0, .key = "day", .value = "Friday", .from = "hotels"},
                           {.turn = 1, .key = "day", .value = "Monday"}},
            .carry = {1, 0, 1},
            .labelled = true};
  Tallies t;
  count(item, {1, 1, 0}, t);
  EXPECT_EQ(t["both/all"].hits, 1);
  EXPECT_EQ(t["both/all"].decided, 2);
  EXPECT_EQ(t["both/all"].right, 2);
  EXPECT_EQ(t["both/all"].f1(), 0.5);
  EXPECT_EQ(t["same/1"].f1(), 1);
  EXPECT_EQ(t["cross/1"].precision(), 0);
  EXPECT_EQ(t["same/0"].recall(), 0);
  EXPECT_EQ(t["both/>=1"].decided, 2);
  EXPECT_EQ(t["both/new"].decided, 2);
  EXPECT_EQ(t["both/final 2 carry 1"].right, 2);
  EXPECT_FALSE(t.contains("both/seen"));
  EXPECT_EQ(distance_group(6), ">=6");
  EXPECT_EQ(distance_group(60), ">=6");
}

// Of 0 to 4 keys that hold, 0 to all were said in the last turn; one of them twice.
TEST(CarryRules, AreCountedByTheSlotsThatHold) {
  const char* const numbers[] = {"0", "1", "2", ">=3", ">=3"};
  for (int keys = 0; keys <= 4; ++keys) {
    for (int now = 0; now <= keys; ++now) {
      Item item{.id = "a", .turns = {{"user", "x"}, {"user", "z"}}, .labelled = true};
      const auto add = [&](int key, int turn, char carry) {
        item.candidates.push_back({.turn = turn, .key = std::to_string(key), .value = "v"});
        item.carry.push_back(carry);
      };
      for (int key = 0; key < keys; ++key) add(key, key < now ? 1 : 0, 1);
      if (keys > 0) add(0, 0, 1);
      add(7, 0, 0), add(8, 1, 0);
      Tallies t;
      count(item, std::vector<char>(item.candidates.size(), 1), t);
      const std::string group =
          std::string("final ") + numbers[keys] + " carry " + numbers[keys - now];
      EXPECT_EQ(t["both/" + group].decided, std::ssize(item.candidates)) << group;
      EXPECT_EQ(t["both/all"].right, keys + (keys > 0));
    }
  }
}

// Three dialogues of two items each, and forty of one.
TEST(CarryItems, ALimitAndAShareAreOfWholeDialogues) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 46; ++i) {
    Item item{.id = std::to_string(i), .turns = {{"user", "x"}}, .labelled = true};
    item.dialogue = "d" + std::to_string(i < 6 ? i / 2 : i - 3);
    lines += item_line(item);
  }
  const std::string path = dir.write("f", lines);
  const size_t counts[] = {46, 2, 4, 6, 7};
  for (size_t limit = 0; limit < 5; ++limit) {
    EXPECT_EQ(read_items(path, {.limit = limit}).size(), counts[limit]) << limit;
  }
  EXPECT_EQ(read_items(path, {.limit = 43}).size(), 46u);
  EXPECT_EQ(read_items(path, {.limit = 42}).size(), 45u);
  std::set<std::string> before;
  for (const double share : {0.2, 0.5, 0.8, 1.0}) {
    std::map<std::string, int> items;
    for (const Item& item : read_items(path, {.share = share})) ++items[item.dialogue];
    EXPECT_NEAR(static_cast<double>(items.size()), 43 * share, 10) << share;
    for (const auto& [dialogue, count] : items) {
      EXPECT_EQ(count, dialogue <= "d2" && dialogue.size() == 2 ? 2 : 1) << dialogue;
    }
    for (const std::string& dialogue : before) EXPECT_TRUE(items.contains(dialogue)) << dialogue;
    for (const auto& [dialogue, count] : items) before.insert(dialogue);
  }
}

// A hotel's city, which the taxi's place repeats; below the last one a train's, a service that only
// the test part has.
std::string schema_guided(int number, const std::string& taxi) {
  const std::string city = "c" + std::to_string(number);
  return R"({"dialogue_id": ")" + std::to_string(number) +
         R"(", "turns": [{"speaker": "USER", "utterance": "in )" + city +
         R"(", "frames": [{"service": "Hotels_1", "actions": [{"act": "INFORM", "slot": "city", )"
         R"("values": [")" +
         city +
         R"("]}], "state": {"active_intent": "NONE", "slot_values": {}}}]}, )"
         R"({"speaker": "USER", "utterance": "a ride", "frames": [{"service": ")" +
         taxi +
         R"(", "actions": [], "state": {"active_intent": "GetRide", "slot_values": )"
         R"({"place": [")" +
         city + "\"]}}}]}]}\n";
}

TEST(CarryItems, SlotsCorrespondAndServicesAreNewAsCounted) {
  const TempDir dir;
  const std::string schema = R"([{"service_name": "Hotels_1", "slots": [{"name": "city"}]}, )"
                             R"({"service_name": "Taxis_1", "slots": [{"name": "place"}]})";
  dir.write("train_schema.json", schema + "]");
  dir.write("test_schema.json",
            schema + R"(, {"service_name": "Trains_1", "slots": [{"name": "place"}]}])");
  dir.write("test.jsonl", schema_guided(1, "Taxis_1") + schema_guided(2, "Trains_1"));
  for (const int count : {kAgreements - 1, kAgreements, kAgreements + 1}) {
    std::string lines;
    for (int i = 0; i < count; ++i) lines += schema_guided(i, "Taxis_1");
    dir.write("train.jsonl", lines);
    const SchemaGuidedPart train = find_schema_guided(dir.path("."), "train");
    const SlotPairs pairs = find_slot_pairs(train);
    EXPECT_EQ(pairs, count < kAgreements ? SlotPairs{} : SlotPairs({{"city", {"place"}}}));
    std::vector<Item> items;
    for_each_item(find_schema_guided(dir.path("."), "test"), pairs, find_services(train),
                  [&](Item item) { items.push_back(std::move(item)); });
    ASSERT_EQ(items.size(), 4u);
    for (size_t i = 0; i < 4; ++i) {
      EXPECT_EQ(items[i].unseen, i == 3) << i;
      EXPECT_EQ(items[i].candidates.size(), i % 2 == 0 || count >= kAgreements ? 1u : 0u) << i;
    }
    EXPECT_EQ(items[3].carry, std::vector<char>(items[3].candidates.size(), 1));
    EXPECT_EQ(items[0].carry, std::vector<char>{0});
  }
}

// HEED_SGD: a folder with train.jsonl, train_schema.json and so on. The counts of the
// specification, of which an independent program is the source.
TEST(CarryItems, OfSchemaGuidedDialogueHaveTheKnownCounts) {
  const char* folder = std::getenv("HEED_SGD");
  if (!folder) GTEST_SKIP() << "HEED_SGD names no folder of Schema-Guided Dialogue";
  const SchemaGuidedPart train = find_schema_guided(folder, "train");
  const SlotPairs pairs = find_slot_pairs(train);
  size_t names = 0;
  for (const auto& [slot, others] : pairs) names += others.size();
  EXPECT_EQ(names, 83u);
  using Row = std::vector<int64_t>;
  const std::map<std::string, std::pair<Row, Row>> known = {
      {"train same",
       {{62792, 143362, 62792, 121608, 57376, 85778, 291118},
        {62792, 75983, 58746, 69541, 50859, 46959, 173102}}},
      {"train cross",
       {{572, 1008, 1233, 4581, 3369, 7218, 90722}, {0, 614, 947, 2260, 2154, 3452, 43013}}},
      {"valid same",
       {{10956, 25511, 10956, 21044, 9750, 14608, 49900},
        {10956, 12394, 10354, 11299, 8807, 7627, 30316}}},
      {"valid cross", {{92, 124, 188, 526, 475, 743, 10864}, {1, 41, 135, 148, 289, 215, 3259}}},
      {"test same",
       {{14614, 29350, 14614, 23238, 12722, 14451, 53108},
        {14614, 14844, 13860, 13186, 11471, 8060, 33678}}},
      {"test cross", {{193, 169, 286, 508, 565, 698, 10277}, {6, 89, 182, 264, 330, 339, 3602}}}};
  const std::map<std::string, std::vector<std::string>> f1 = {
      {"everything",
       {"1.0000", "0.6718", "0.9735", "0.7240", "0.9483", "0.7161", "0.7761", "0.7841"}},
      {"latest", {"1.0000", "0.6868", "0.9980", "0.7802", "0.9938", "0.8225", "0.8942", "0.8537"}},
      {"latest-user",
       {"1.0000", "0.7613", "0.9999", "0.7283", "0.9938", "0.7033", "0.8945", "0.8717"}}};
  const std::map<std::string, size_t> items = {
      {"train", 118167}, {"valid", 20542}, {"test", 26802}};
  for (const auto& [part, count_of_items] : items) {
    std::map<std::string, Tallies> by_rule;
    size_t read = 0;
    for_each_item(find_schema_guided(folder, part), pairs, find_services(train),
                  [&](const Item& item) {
                    ++read;
                    for (const char* rule : kRules) {
                      count(item, decide_by_rule(rule, item), by_rule[rule]);
                    }
                  });
    EXPECT_EQ(read, count_of_items);
    for (const char* set : {"same", "cross"}) {
      Row all, hold;
      for (const char* distance : kDistances) {
        const Tally& t = by_rule["everything"][std::string(set) + "/" + distance];
        all.push_back(t.decided);
        hold.push_back(t.right);
      }
      EXPECT_EQ(std::pair(all, hold), known.at(part + " " + set)) << part << " " << set;
    }
    if (part != "test") continue;
    for (const auto& [rule, expected] : f1) {
      std::vector<std::string> found;
      for (const char* group : {"0", "1", "2", "3", "4", "5", ">=6", ">=1"}) {
        char text[20];
        std::snprintf(text, sizeof text, "%.4f", by_rule[rule]["same/" + std::string(group)].f1());
        found.emplace_back(text);
      }
      EXPECT_EQ(found, expected) << rule;
    }
  }
}

}  // namespace
}  // namespace heed::carry
