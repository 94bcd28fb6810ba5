// heed prepare carryover, heed train carryover and heed carry, as people call them.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "dialog/carry/task.h"
#include "dialog/data/corpus.h"
#include "tests/heed/program_carry_data.h"
#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const std::string& items() {
  return hotel_items();
}

const std::string& model() {
  static const TempDir dir;
  static const std::string run = [] {
    const Result r = heed_program(
        {"train", "carryover", "--data", items(), "--preset", "smoke", "--out", dir.path("run")});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "distance >= 1")) << r.out;
    return dir.path("run");
  }();
  return run;
}

TEST(Carry, ItemsHaveBothKindsOfCandidates) {
  const auto read = carry::read_items(items() + "/test.jsonl.gz");
  ASSERT_EQ(read.size(), 90u);
  const carry::Item& taxi = read[2];
  EXPECT_EQ(taxi.id, "0#3/Taxis_1");
  EXPECT_EQ(taxi.intent, "find it");
  ASSERT_EQ(taxi.candidates.size(), 1u);
  EXPECT_EQ(taxi.candidates[0].key, "place");
  EXPECT_EQ(taxi.candidates[0].from, "Hotels_1");
  EXPECT_EQ(taxi.candidates[0].begin, 11);
  EXPECT_EQ(taxi.candidates[0].end, 15);
  EXPECT_EQ(taxi.carry, (std::vector<char>{1}));
  EXPECT_EQ(read[1].candidates.size(), 2u);
  EXPECT_FALSE(taxi.unseen);
}

// What is said of the items is what is in their files.
TEST(Carry, ItemsAreCountedByPartSetAndDistance) {
  const TempDir dir;
  const Result r =
      heed_program({"prepare", "carryover", "--in", items() + "/../sgd", "--out", dir.path("out")});
  ASSERT_EQ(r.code, 0) << r.err;
  std::istringstream lines(r.out);
  std::string line, part, set, cell;
  for (int i = 0; i < 2; ++i) std::getline(lines, line);
  for (const char* of : {"train", "valid", "test"}) {
    const auto all = carry::read_items(dir.path("out/" + std::string(of) + ".jsonl.gz"));
    for (const bool other_service : {false, true}) {
      std::vector<std::string> expected;
      for (int distance = 0; distance < 7; ++distance) {
        int hold = 0, count = 0;
        for (const carry::Item& item : all) {
          for (size_t k = 0; k < item.candidates.size(); ++k) {
            const carry::Candidate& c = item.candidates[k];
            const int turns = std::min(static_cast<int>(item.turns.size()) - 1 - c.turn, 6);
            if (turns != distance || other_service == c.from.empty()) continue;
            hold += item.carry[k];
            ++count;
          }
        }
        expected.push_back(std::to_string(hold) + "/" + std::to_string(count));
      }
      lines >> part >> set;
      EXPECT_EQ(part + " " + set, of + std::string(other_service ? " cross" : " same"));
      for (const std::string& e : expected) {
        lines >> cell;
        EXPECT_EQ(cell, e) << part << " " << set;
      }
    }
  }
}

// Of a folder with the three files of WOZ 2.0, none with a part missing.
TEST(Carry, ItemsOfWozHaveOneKind) {
  const TempDir dir;
  const std::string dialogue =
      R"([{"dialogue_idx": 0, "dialogue": [{"system_transcript": "", "transcript": "thai food", )"
      R"("turn_label": [["food", "thai"]], )"
      R"("belief_state": [{"act": "inform", "slots": [["food", "thai"]]}]}, )"
      R"({"system_transcript": "ok", "transcript": "or greek", "turn_label": [["food", "greek"]], )"
      R"("belief_state": [{"act": "inform", "slots": [["food", "thai"]]}]}]}])";
  const auto prepare = [&] {
    return heed_program(
        {"prepare", "carryover", "--in", dir.path("woz"), "--out", dir.path("out")});
  };
  for (const char* part : {"train", "test"}) {
    dir.write("woz/woz_" + std::string(part) + "_en.json", dialogue);
  }
  EXPECT_TRUE(has(prepare().err, "has no part valid of WOZ 2.0"));
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
  dir.write("woz/woz_validate_en.json", dialogue);
  const Result r = prepare();
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "wrote 6 items to " + dir.path("out") + "\n")) << r.out;
  EXPECT_TRUE(has(r.out, "valid  same         1/2             0/0             1/1 ")) << r.out;
  EXPECT_FALSE(has(r.out, "cross")) << r.out;
  const auto items = carry::read_items(dir.path("out/valid.jsonl.gz"));
  ASSERT_EQ(items.size(), 2u);
  EXPECT_EQ(items[0].candidates[0].value, "thai");
}

TEST(Carry, ComparesAModelWithRules) {
  const TempDir dir;
  const Result table = heed_program({"carry", "--model", model(), "--data", items()});
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "latest-user")) << table.out;
  EXPECT_TRUE(has(table.out, "attention by distance")) << table.out;
  const Result r = heed_program({"carry", "--model", model(), "--data", items(), "--json", "-"});
  const Json json = Json::parse(r.out, nullptr, false);
  EXPECT_EQ(json["decided_by"]["everything"]["both"]["all"]["f1"], 1);
  EXPECT_GT(json["decided_by"]["model"]["both"]["all"]["f1"], 0.9);
  EXPECT_EQ(json["decided_by"]["model"]["cross"]["2"]["right"], 30);
  EXPECT_EQ(json["inputs"]["data"]["path"], find_part(items(), "test"));
  EXPECT_EQ(json["inputs"]["data"]["fingerprint"],
            carry::fingerprint(carry::read_items(find_part(items(), "test"))));
  const Result inserted = heed_program(
      {"carry", "--model", model(), "--data", items(), "--insert", "3", "--json", "-"});
  EXPECT_EQ(Json::parse(inserted.out, nullptr, false)["decided_by"]["model"]["cross"]["2"]["right"],
            30);  // distances are those before
  const Result rules = heed_program({"carry", "--data", items()});
  EXPECT_EQ(rules.code, 0) << rules.err;
  EXPECT_FALSE(has(rules.out, "attention by distance")) << rules.out;
}

// A city from each side: one item where the system's holds, two where the user's does.
TEST(Carry, EachRuleDecidesAsItIsCalled) {
  const TempDir dir;
  const std::string data = dir.write("items.jsonl", lines_of_two_cities({"1", "0", "0"}));
  const auto decided = [&](const Arguments& more) {
    return Json::parse(heed_program(Arguments{"carry", "--data", data, "--json", "-"} + more).out,
                       nullptr, false);
  };
  const Json all = decided({}), two = decided({"--limit", "2"});
  const auto counts = [](const Json& json, const char* rule, const char* group = "all") {
    const Json& t = json["decided_by"][rule]["both"][group];
    return std::vector<int>{t["hits"], t["decided"], t["right"]};
  };
  EXPECT_EQ(counts(all, "everything"), (std::vector<int>{3, 6, 3}));
  EXPECT_EQ(counts(all, "latest"), (std::vector<int>{1, 3, 3}));
  EXPECT_EQ(counts(all, "latest-user"), (std::vector<int>{2, 3, 3}));
  EXPECT_EQ(counts(all, "everything", "1"),
            (std::vector<int>{1, 3, 1}));  // the system's, a turn ago
  EXPECT_EQ(all["inputs"]["limit"], 0);
  EXPECT_EQ(two["inputs"]["limit"], 2);
  EXPECT_EQ(two["inputs"]["data"]["items"], 2);
  EXPECT_EQ(counts(two, "latest"), (std::vector<int>{1, 2, 2}));
}

// The same item twice: only what is inserted tells the two apart.
TEST(Carry, EachHistoryGetsTurnsOfItsOwn) {
  const TempDir dir;
  std::string data;
  for (const char* id : {"x", "y"}) {
    data += std::string(R"({"id": ")") + id + R"(", "dialogue": ")" + id +
            R"(", "turns": [{"speaker": "user", "text": "a hotel in Rio and Lima"}], )"
            R"("candidates": [{"turn": 0, "key": "city", "span": [11, 14]}, )"
            R"({"turn": 0, "key": "city", "span": [19, 23]}]})"
            "\n";
  }
  for (int i = 0; i < 40; ++i) {
    const std::string id = std::to_string(i);
    data += R"({"id": ")" + id + R"(", "dialogue": ")" + id +
            R"(", "turns": [{"speaker": "user", "text": "for )" + id +
            R"( please"}], "candidates": []})"
            "\n";
  }
  const std::string file = dir.write("items.jsonl", data);
  const auto look_of_two = [&](const Arguments& more) {
    std::istringstream lines(
        heed_program(Arguments{"carry", "--model", model(), "--data", file, "--out", "-"} + more)
            .out);
    std::string x, y;
    std::getline(lines, x) && std::getline(lines, y);
    return std::pair(Json::parse(x, nullptr, false)["look"],
                     Json::parse(y, nullptr, false)["look"]);
  };
  const auto [x, y] = look_of_two({});
  ASSERT_EQ(x.size(), 2u);
  EXPECT_EQ(x, y);
  const auto first = look_of_two({"--insert", "3"}),
             other = look_of_two({"--insert", "3", "--seed", "2"});
  EXPECT_NE(first.first, first.second);
  EXPECT_NE(first, other);
  // And so does `heed show`, which shows as many as are read.
  const auto shown = [&](const Arguments& more) {
    return heed_program(Arguments{"show", "--model", model(), "--data", items(), "--insert", "1"} +
                        more)
        .out;
  };
  EXPECT_NE(shown({"--count", "1"}), shown({"--count", "1", "--seed", "2"}));
  const auto dialogues = [](const std::string& text) {
    size_t n = 0;
    for (size_t at = 0; (at = text.find("human: ", at)) != text.npos; ++at) ++n;
    return n;
  };
  EXPECT_EQ(dialogues(shown({"--count", "5"})), 5u);
  EXPECT_EQ(dialogues(shown({"--count", "5", "--limit", "2"})), 2u);
}

TEST(Carry, WritesDecisionsOnItemsWithoutLabels) {
  const TempDir dir;
  const std::string file = dir.write(
      "mine.jsonl", R"({"id": "x", "turns": [{"speaker": "user", "text": "a hotel in Rio"}], )"
                    R"("candidates": [{"turn": 0, "key": "city", "span": [11, 14]}]})"
                    "\n");
  const Result r = heed_program({"carry", "--model", model(), "--data", file, "--out", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json line = Json::parse(r.out, nullptr, false);
  EXPECT_EQ(line["id"], "x");
  EXPECT_EQ(line["p"].size(), 1u);
  EXPECT_EQ(line["carry"].size(), line["p"][0] >= 0.5 ? 1u : 0u);
  EXPECT_TRUE(
      has(r.err, "note: " + file + ": has items without \"carry\", so nothing is compared\n"))
      << r.err;
  const Result without = heed_program({"carry", "--model", model(), "--data", file});
  EXPECT_EQ(without.code, 1);
  EXPECT_TRUE(has(without.err, file + ":1: there is no \"carry\"")) << without.err;
}

TEST(Carry, ReadsWhatIsTyped) {
  const TempDir dir;
  const Result r = heed_program(
      {"carry", "--model", model()}, "",
      dir.write("typed",
                "a hotel in [city: Rio] please\nfor how many [x\nfor [rooms: 2] [: 3]\n/reset\n"
                "hello\n/what\n/quit\n"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "user: a hotel in Rio please")) << r.out;
  EXPECT_TRUE(has(r.out, "system: for how many [x")) << r.out;
  // Only of that turn: the third has brackets with a value, and "hello" has none.
  const size_t hint = r.out.find("no value in this turn: write one as [key: value]\n");
  EXPECT_LT(hint, r.out.find("system: for how many [x")) << r.out;
  EXPECT_EQ(r.out.find("no value in this turn", hint + 1), r.out.npos) << r.out;
  EXPECT_TRUE(has(r.out, "no value so far: write one as [key: value]\n")) << r.out;  // hello
  EXPECT_TRUE(has(r.out, "/what: no such command")) << r.out;
  // Behind the third turn the city is two turns old.
  EXPECT_TRUE(std::regex_search(r.out, std::regex(R"(city +Rio +2 +[01]\.)"))) << r.out;
  EXPECT_TRUE(std::regex_search(r.out, std::regex(R"(rooms +2 +0 +[01]\.)"))) << r.out;
}

// What is typed is decided like an item of a file with the same turns, with the same probabilities.
TEST(Carry, DecidesOnWhatIsTypedAsOnAFile) {
  const TempDir dir;
  const std::string file = dir.write(
      "same.jsonl",
      R"({"id": "x", "turns": [{"speaker": "user", "text": "a hotel in Rio please"}, )"
      R"({"speaker": "system", "text": "for how many"}, {"speaker": "user", "text": "for 2"}], )"
      R"("candidates": [{"turn": 0, "key": "city", "span": [11, 14]}, )"
      R"({"turn": 2, "key": "rooms", "span": [4, 5]}]})"
      "\n");
  const Result written = heed_program({"carry", "--model", model(), "--data", file, "--out", "-"});
  ASSERT_EQ(written.code, 0) << written.err;
  const Json line = Json::parse(written.out, nullptr, false);
  const Result r = heed_program({"carry", "--model", model()}, "",
                                dir.write("typed",
                                          "a hotel in [city: Rio] please\nfor how many\n"
                                          "for [rooms: 2]\n/quit\n"));
  ASSERT_EQ(r.code, 0) << r.err;
  const std::vector<std::string> keys = {"city +Rio +2", "rooms +2 +0"};  // key, value, turns ago
  for (size_t i = 0; i < keys.size(); ++i) {
    const Json& carried = line["carry"];
    const bool holds = std::find(carried.begin(), carried.end(), i) != carried.end();
    EXPECT_TRUE(holds) << keys[i];  // as in all of the training part
    std::smatch row;
    const std::regex said("\n(yes|no) +" + keys[i] + " +([0-9.]+)");
    ASSERT_TRUE(std::regex_search(r.out, row, said)) << keys[i] << r.out;
    EXPECT_EQ(row[1], holds ? "yes" : "no");
    EXPECT_NEAR(std::stod(row[2]), line["p"][i].get<double>(), 0.00501) << keys[i];
  }
}

TEST(Carry, NumbersAreThoseOfAnyBatchAndOrder) {
  const TempDir dir;
  const std::string data = items() + "/test.jsonl.gz", other = turned(data, dir);
  expect_properties("carry", {}, data, other);
  expect_properties("carry", {"--model", model()}, data, other);
}

TEST(Carry, ShowsWhereItLooks) {
  const TempDir dir;
  const Result r = heed_program({"show", "--model", model(), "--data", items(), "--id",
                                 "0#3/Taxis_1", "--insert", "2", "--html", dir.path("page.html")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "human: place = Lima")) << r.out;
  EXPECT_TRUE(has(r.out, " 5 ? user: for 2 and a taxi")) << r.out;  // of three turns and two more
  EXPECT_TRUE(has(r.out, "500 %")) << r.out;                        // all on the only candidate
  EXPECT_TRUE(has(dir.read("page.html"), "2 turns of other dialogues"));
  EXPECT_TRUE(has(r.out, ", attention on the values of a turn; 100 % is the mean turn")) << r.out;
  EXPECT_TRUE(
      has(heed_program({"show", "--model", model(), "--data", items(), "--decode", "beam"}).err,
          "--decode: only applies with a model that writes responses"));
  for (const Arguments& other : {Arguments{"--test", "none"}, {"--speaker", "user"}}) {
    const Result r = heed_program(Arguments{"show", "--model", model(), "--data", items()} + other);
    EXPECT_EQ(r.code, 2);
    EXPECT_TRUE(has(r.err, other[0] + ": only applies with a model that writes responses"));
  }
}

// A model that encodes orders responses by the cosine of its vectors.
TEST(Carry, ItsEncoderRanks) {
  const Result r = heed_program({"generate", "--model", kTrained, "--data", kSample, "--limit", "3",
                                 "--examples", "last", "--n-best", "3", "--max-length", "4",
                                 "--rank", "model:" + model(), "--out", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(Carry, ItsEncoderEncodes) {
  const TempDir dir;
  const std::string texts =
      dir.write("texts.jsonl", "{\"text\": \"a hotel in Rio\"}\n{\"text\": \"for how many\"}\n");
  const Result r =
      heed_program({"encode", "--model", model(), "--in", texts, "--out", dir.path("vectors.npy")});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(Carry, RefusesWhatCannotBe) {
  const TempDir dir;
  const auto refused = [&](const Arguments& arguments, int code, const std::string& text) {
    const Result r = heed_program(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_TRUE(has(r.err, text)) << r.err;
  };
  refused({"carry"}, 2, "give --model RUN, --data ITEMS, or both");
  refused({"carry", "--model", model(), "--json", "x"}, 2, "--json: only applies with --data");
  for (const Arguments& more : {Arguments{"--limit", "3"}, {"--batch", "8"}, {"--insert", "2"}}) {
    refused(Arguments{"carry", "--model", model()} + more, 2,
            more[0] + ": only applies with --data");
  }
  refused({"carry", "--data", items(), "--insert", "2"}, 2, "--insert: only applies with --model");
  refused({"carry", "--data", items(), "--out", dir.path("x")}, 2,
          "--out: only applies with --model");
  refused({"carry", "--model", dir.path("none"), "--data", items()}, 1, dir.path("none"));
  const std::string one =
      dir.write("one.jsonl",
                carry::item_line(carry::read_items(items() + "/test.jsonl.gz", {.limit = 1})[0]));
  refused({"carry", "--model", model(), "--data", one, "--insert", "1"}, 1,
          one + ": --insert takes turns of other dialogues, and there is one only");
  dir.write("own/valid.jsonl", "mine");
  refused({"prepare", "carryover", "--in", dir.path("own"), "--out", dir.path("own")}, 1,
          dir.path("own/valid.jsonl") + ": exists; give --out a new folder");
  refused({"prepare", "carryover", "--in", dir.path("."), "--out", dir.path("x")}, 1,
          "has neither a folder train nor a file train.jsonl of dialogues");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  for (const char* part : {"train", "validate", "test"}) {
    dir.write("woz/woz_" + std::string(part) + "_en.json", R"([{"dialogue_idx": "one"}])");
  }
  std::filesystem::create_directories(dir.path("there"));
  for (const char* out : {"x", "there"}) {
    refused({"prepare", "carryover", "--in", dir.path("woz"), "--out", dir.path(out)}, 1,
            "woz_train_en.json: dialogue 1: \"dialogue_idx\" must be a whole number");
  }
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path("there")));
  refused({"train", "carryover", "--out", dir.path("x")}, 2,
          "--data is required: the bundled sample has no labels for slot carryover");
  refused({"train", "carryover", "--data", items(), "--share", "0", "--out", dir.path("x")}, 2,
          "--share: expected a number above 0 to 1, got '0'");
}

}  // namespace
}  // namespace heed
