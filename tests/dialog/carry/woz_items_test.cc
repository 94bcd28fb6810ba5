// Items of slot carryover from WOZ 2.0 and Schema-Guided Dialogue.
#include "dialog/carry/woz_items.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "dialog/carry/rules.h"
#include "dialog/carry/schema_guided_items.h"
#include "tests/file_helpers.h"

namespace heed::carry {
namespace {

std::string turn(const std::string& system, const std::string& user, const std::string& said,
                 const std::string& state) {
  return R"({"system_transcript": ")" + system + R"(", "transcript": ")" + user +
         R"(", "turn_label": [)" + said + R"(], "belief_state": [)" + state + "]}";
}

std::string state(const std::string& act, const std::string& slot, const std::string& value) {
  return R"({"act": ")" + act + R"(", "slots": [[")" + slot + "\", \"" + value + "\"]]}";
}

std::string dialogue(const std::string& turns) {
  return R"([{"dialogue_idx": 7, "dialogue": [)" + turns + "]}]";
}

std::vector<Item> read(const std::string& path) {
  std::vector<Item> items;
  for_each_woz_item(path, [&](Item item) { items.push_back(std::move(item)); });
  return items;
}

// The area is replaced, the food kept; a request is no mention, nor does a requested slot hold.
TEST(WozItems, AreThoseOfTheUsersTurns) {
  const TempDir dir;
  const std::string path = dir.write(
      "woz_train_en.json",
      dialogue(turn("", "Thai food in the north", R"(["food", "thai"], ["area", "north"])",
                    state("inform", "food", "Thai") + ", " + state("inform", "area", "north")) +
               ", " +
               turn("no such place", "In the south then, what is the phone number?",
                    R"(["request", "phone"], ["area", "south"])",
                    state("inform", "food", "thai") + ", " + state("inform", "area", "south") +
                        ", " + state("request", "area", "north")) +
               ", " +
               turn("Sorry", "bye", R"(["area", " south"])", state("inform", "food", "thai"))));
  ASSERT_TRUE(is_woz(dir.path(".")));
  const std::vector<Item> items = read(find_woz(dir.path("."), "train"));
  ASSERT_EQ(items.size(), 3u);
  EXPECT_EQ(items[0].id, "7#1");
  EXPECT_EQ(items[2].id, "7#5");
  EXPECT_EQ(items[2].dialogue, "7");
  EXPECT_TRUE(items[2].labelled);
  EXPECT_EQ(items[1].turns[1].text, "no such place");
  EXPECT_EQ(items[1].turns[1].speaker + items[1].turns[2].speaker, "systemuser");
  EXPECT_EQ(items[0].carry, (std::vector<char>{1, 1}));
  EXPECT_EQ(items[1].carry, (std::vector<char>{1, 0, 1}));
  EXPECT_EQ(items[2].carry, (std::vector<char>{1, 0, 0, 0}));
  const std::vector<Candidate>& c = items[2].candidates;
  ASSERT_EQ(c.size(), 4u);
  EXPECT_EQ(c[1].key + c[1].value, "areanorth");
  EXPECT_EQ(std::pair(c[1].begin, c[1].end), std::pair(17, 22));
  EXPECT_EQ(std::pair(c[2].begin, c[2].end), std::pair(7, 12));
  EXPECT_EQ(c[3].value, " south");
  EXPECT_EQ(std::pair(c[3].begin, c[3].end), std::pair(0, 0));  // not said: the turn as a whole
  EXPECT_EQ(items[2].distance(0), 4);
  EXPECT_EQ(items[2].distance(2), 2);
  dir.write("items", item_line(items[2]));
  EXPECT_EQ(item_line(read_items(dir.path("items"))[0]), item_line(items[2]));
}

// The system begins where it says something.
TEST(WozItems, ADialogueMayBeginWithTheSystem) {
  const TempDir dir;
  const std::string path =
      dir.write("woz_train_en.json", dialogue(turn("Hello", "thai", R"(["food", "thai"])", "")));
  const Item item = read(path).at(0);
  EXPECT_EQ(item.id, "7#2");
  ASSERT_EQ(item.turns.size(), 2u);
  EXPECT_EQ(item.turns[0].text, "Hello");
  EXPECT_EQ(item.candidates[0].turn, 1);
}

// Plain or gzip; a state in another case is the same one.
TEST(WozItems, AreReadFromEitherFile) {
  const TempDir dir;
  const std::string text =
      dialogue(turn("", "Thai, please", R"(["food", "Thai"])", state("inform", "food", "thai")) +
               ", " + turn("ok", "bye", "", state("inform", "food", "THAI")));
  for (const bool packed : {false, true}) {
    const std::string folder = packed ? "packed" : "plain";
    dir.write(folder + "/woz_train_en.json" + (packed ? ".gz" : ""), packed ? gzip(text) : text);
    ASSERT_TRUE(is_woz(dir.path(folder)));
    const std::vector<Item> items = read(find_woz(dir.path(folder), "train"));
    ASSERT_EQ(items.size(), 2u) << folder;
    for (const Item& item : items) EXPECT_EQ(item.carry, std::vector<char>{1}) << folder;
  }
}

using Json = nlohmann::json;

Json action(const char* act, const char* slot, const char* said, const char* canonical) {
  const auto list = [](const std::string& text) {
    return text.empty() ? std::vector<std::string>() : std::vector<std::string>{text};
  };
  return {
      {"act", act}, {"slot", slot}, {"values", list(said)}, {"canonical_values", list(canonical)}};
}

Json frame(const char* service, const std::vector<Json>& actions, const char* intent,
           const std::map<std::string, std::string>& state) {
  Json values = Json::object();
  for (const auto& [slot, value] : state) values[slot] = std::vector<std::string>{value};
  return {{"service", service},
          {"actions", actions},
          {"state", {{"active_intent", intent}, {"slot_values", values}}}};
}

Json said(const char* speaker, const char* text, const std::vector<Json>& frames) {
  return {{"speaker", speaker}, {"utterance", text}, {"frames", frames}};
}

// A value holds by what was said and by what it stands for; what is asked for and an intent are no
// values, and a state after a turn of the system makes no item.
TEST(SchemaGuidedItems, AreTheValuesThatWereSaid) {
  const TempDir dir;
  const Json inform = action("INFORM", "city", "SF", "San Francisco"),
             intent = action("INFORM_INTENT", "intent", "FindHotel", ""),
             offer = action("OFFER", "name", "Ritz", ""),
             request = action("REQUEST", "day", "Monday", ""),
             select = action("SELECT", "name", "Ritz", ""),
             others = action("REQUEST_ALTS", "name", "Ritz", ""),
             count = action("INFORM_COUNT", "count", "3", "");
  const std::vector<Json> turns = {
      said("USER", "a room in SF",
           {frame("Hotels_1", {intent, inform}, "FindHotel", {{"city", "San Francisco"}})}),
      said("SYSTEM", "the Ritz, on Monday?",
           {frame("Hotels_1", {offer, request, count}, "NONE", {})}),
      said("USER", "that one",
           {frame("Hotels_1", {select, others}, "NONE", {{"city", "sf"}, {"name", "RITZ"}})})};
  dir.write("test.jsonl", Json({{"dialogue_id", "1"}, {"turns", turns}}).dump() + "\n");
  dir.write("test_schema.json", R"([{"service_name": "Hotels_1", "slots": [{"name": "city"}]}])");
  std::vector<Item> items;
  for_each_item(find_schema_guided(dir.path("."), "test"), {}, {},
                [&](Item item) { items.push_back(std::move(item)); });
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].id + items[0].intent, "1#1/Hotels_1find hotel");
  EXPECT_EQ(items[1].id + items[1].intent, "1#3/Hotels_1");
  ASSERT_EQ(items[0].candidates.size(), 1u);
  EXPECT_EQ(items[0].candidates[0].value, "San Francisco");
  EXPECT_EQ(std::pair(items[0].candidates[0].begin, items[0].candidates[0].end), std::pair(10, 12));
  ASSERT_EQ(items[1].candidates.size(), 2u);
  EXPECT_EQ(items[1].candidates[1].key + items[1].candidates[1].value, "nameRitz");
  EXPECT_EQ(items[0].carry, (std::vector<char>{1}));
  EXPECT_EQ(items[1].carry, (std::vector<char>{1, 1}));
  EXPECT_TRUE(items[1].unseen);
}

// A value of another service is a candidate for each slot that corresponds to its own.
TEST(SchemaGuidedItems, AValueMayCorrespondToSeveralSlots) {
  const TempDir dir;
  const Json inform = action("INFORM", "city", "Rio", "");
  const std::vector<Json> turns = {
      said("USER", "in Rio", {frame("Hotels_1", {inform}, "NONE", {{"city", "Rio"}})}),
      said("USER", "a ride", {frame("Taxis_1", {}, "NONE", {{"to", "rio"}})})};
  for (const char* part : {"valid", "dev"}) {
    const TempDir folder;
    folder.write(part + std::string(".jsonl"),
                 Json({{"dialogue_id", "1"}, {"turns", turns}}).dump() + "\n");
    folder.write(part + std::string("_schema.json"),
                 R"([{"service_name": "Hotels_1", "slots": [{"name": "city"}]}, )"
                 R"({"service_name": "Taxis_1", "slots": [{"name": "from"}, {"name": "time"}, )"
                 R"({"name": "to"}]}])");
    std::vector<Item> items;
    for_each_item(find_schema_guided(folder.path("."), "valid"), {{"city", {"from", "to"}}}, {},
                  [&](Item item) { items.push_back(std::move(item)); });
    ASSERT_EQ(items.size(), 2u) << part;
    ASSERT_EQ(items[1].candidates.size(), 2u);
    EXPECT_EQ(items[1].candidates[0].key + items[1].candidates[1].key, "fromto");
    for (const Candidate& c : items[1].candidates) {
      EXPECT_EQ(c.value + c.from, "RioHotels_1");
      EXPECT_EQ(std::pair(c.begin, c.end), std::pair(3, 6));
    }
    EXPECT_EQ(items[1].carry, (std::vector<char>{0, 1}));
  }
}

// A value that was said twice agrees once, and slots of one service do not agree at all.
TEST(SchemaGuidedItems, SlotsAgreeOnceForEachValue) {
  const TempDir dir;
  const Json inform = action("INFORM", "city", "Rio", "");
  const std::map<std::string, std::string> state = {{"city", "Rio"}};
  const std::vector<Json> turns = {
      said("USER", "in Rio", {frame("Hotels_1", {inform}, "NONE", state)}),
      said("USER", "yes, in Rio", {frame("Hotels_1", {inform}, "NONE", state)}),
      said("USER", "a ride", {frame("Taxis_1", {}, "NONE", {{"place", "Rio"}})})};
  std::string lines;
  const auto add = [&] {
    lines += Json({{"dialogue_id", std::to_string(lines.size())}, {"turns", turns}}).dump() + "\n";
    dir.write("train.jsonl", lines);
  };
  for (int i = 0; i + 1 < kAgreements; ++i) add();
  const SchemaGuidedPart train = find_schema_guided(dir.path("."), "train");
  EXPECT_EQ(find_slot_pairs(train), SlotPairs{});
  add();
  EXPECT_EQ(find_slot_pairs(train), (SlotPairs{{"city", {"place"}}}));
}

TEST(SchemaGuidedItems, HostileFilesAreRefused) {
  const TempDir dir;
  dir.write("test_schema.json", R"([{"service_name": "Hotels_1", "slots": [{"name": "city"}]}])");
  const auto refused = [&](const char* text, const Json& mention) {
    const Json turn = said("USER", text, {frame("Hotels_1", {mention}, "NONE", {})});
    const std::string path =
        dir.write("test.jsonl", Json({{"dialogue_id", "1"}, {"turns", {turn}}}).dump() + "\n");
    const std::string error = error_of<DataError>(
        [&] { for_each_item(find_schema_guided(dir.path("."), "test"), {}, {}, [](Item) {}); });
    return has(error, "test.jsonl: ") ? error.substr(error.find("dialogue 1")) : error;
  };
  EXPECT_EQ(refused("in SF", action("INFORM", "city", "SF", "")), "no error");
  for (const char* text : {"", " "}) {
    EXPECT_EQ(refused(text, action("INFORM", "city", "SF", "")),
              "dialogue 1, turn 1: a turn without words mentions a value");
    EXPECT_EQ(refused(text, action("REQUEST", "city", "", "")), "no error");
  }
  Json empty = action("INFORM", "city", "SF", "San Francisco");
  empty["values"] = {""};
  EXPECT_EQ(refused("in SF", empty), "dialogue 1, turn 1: a value of \"city\" is empty");
  EXPECT_EQ(refused("in SF", action("INFORM", "city", "SF", " ")),
            "dialogue 1, turn 1: a value of \"city\" is empty");
}

TEST(WozItems, HostileFilesAreRefused) {
  const TempDir dir;
  const auto refused = [&](const std::string& text) {
    const std::string path = dir.write("woz_test_en.json", text);
    const std::string error = error_of<DataError>([&] { read(path); });
    EXPECT_EQ(error.substr(0, path.size()), path) << error;
    return error.substr(std::min(error.size(), path.size() + 2));
  };
  EXPECT_EQ(refused("[]"), "holds no dialogue");
  EXPECT_EQ(refused(R"([{"dialogue": []}])"),
            "dialogue 1: \"dialogue_idx\" must be a whole number");
  EXPECT_EQ(refused(dialogue(turn("", "x", R"(["food"])", ""))),
            "dialogue 1, turn 1: each of \"turn_label\" must be a pair of slot and value");
  EXPECT_EQ(refused(dialogue(turn("", "x", R"(["food", 3])", ""))),
            "dialogue 1, turn 1: the value of \"turn_label\" must be a string, got a number");
  EXPECT_EQ(
      refused(dialogue(turn("", "x", "", "") + ", " + turn("", " ", R"(["food", "thai"])", ""))),
      "dialogue 1, turn 2: a turn without words mentions a value");
  for (const char* value : {"", " "}) {
    EXPECT_EQ(refused(dialogue(turn("", "x", R"(["food", ")" + std::string(value) + "\"]", ""))),
              "dialogue 1, turn 1: a value of \"food\" is empty");
  }
  EXPECT_FALSE(is_woz(dir.path(".")));
  EXPECT_EQ(error_of<DataError>([&] { find_woz(dir.path("."), "valid"); }),
            dir.path(".") + ": has no part valid of WOZ 2.0");
}

// The counts of the specification (workshop-2019.json), of which an independent program is the
// source. HEED_WOZ2 is a folder with woz_train_en.json.gz and so on.
TEST(WozItems, HaveTheKnownCounts) {
  const char* folder = std::getenv("HEED_WOZ2");
  if (!folder) GTEST_SKIP() << "HEED_WOZ2 names no folder of WOZ 2.0";
  using Row = std::vector<int64_t>;
  struct Part {
    const char* name;
    size_t items;
    Row all, hold;
  };
  const Part kParts[] = {{"train", 2536, {1759, 1732, 1511, 1763}, {1758, 1477, 1234, 1276}},
                         {"valid", 830, {553, 545, 466, 525}, {553, 469, 383, 379}},
                         {"test", 1646, {1148, 1128, 987, 1056}, {1147, 980, 812, 765}}};
  std::map<std::string, Tallies> by_rule;  // of the last part
  for (const Part& part : kParts) {
    SCOPED_TRACE(part.name);
    by_rule.clear();
    const std::vector<Item> items = read(find_woz(folder, part.name));
    EXPECT_EQ(items.size(), part.items);
    for (const Item& item : items) {
      for (const char* rule : kRules) count(item, decide_by_rule(rule, item), by_rule[rule]);
    }
    Row all, hold;
    for (const char* distance : {"0", "2", "4", ">=6"}) {
      const Tally& t = by_rule["everything"][std::string("same/") + distance];
      all.push_back(t.decided), hold.push_back(t.right);
    }
    EXPECT_EQ(all, part.all);
    EXPECT_EQ(hold, part.hold);
    for (const char* distance : {"1", "3", "5"}) {
      EXPECT_FALSE(by_rule["everything"].contains(std::string("same/") + distance));
    }
  }
  EXPECT_NEAR(by_rule["everything"]["same/all"].f1(), 0.9233, 0.00005);
  EXPECT_NEAR(by_rule["latest"]["same/all"].f1(), 0.9989, 0.00005);
}

}  // namespace
}  // namespace heed::carry
