// heed show and heed reproduce carryover, of values that were said long before or more than once.
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "tests/heed/program_carry_data.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// Two values are said six turns before the last one, which names the key of the one that holds.
std::string far_items(int count) {
  const std::vector<std::string> keys = {"city", "day", "food", "time", "price", "name"};
  std::string lines;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const std::string id = std::to_string(i);
    const std::string &holds = keys[i % 6], &other = keys[(i + 1 + i / 6 % 5) % 6];
    const auto turn = [](const char* speaker, const std::string& text) {
      return Json{{"speaker", speaker}, {"text", text}};
    };
    const auto candidate = [](const std::string& key) {
      return Json{{"turn", 0}, {"key", key}, {"span", {6, 8}}};
    };
    Json item = {{"id", id}, {"dialogue", id}};
    item["turns"] = Json::array({turn("user", "it is v" + std::to_string(i % 7)),
                                 turn("system", "and w" + std::to_string(i % 5)),
                                 turn("user", "well"), turn("system", "well"), turn("user", "well"),
                                 turn("system", "well"), turn("user", "so " + holds)});
    item["candidates"] = Json::array({candidate(holds), candidate(other)});
    item["carry"] = Json::array({0});
    lines += item.dump() + "\n";
  }
  return lines;
}

class FarCarry : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    shared->write("items/train.jsonl", far_items(300));
    shared->write("items/valid.jsonl", far_items(40));
    shared->write("items/test.jsonl", far_items(40));
    const Result r =
        heed_program(experiment("items", "out") + Arguments{"--one-of", "1", "--distracted", "20"});
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  static Arguments experiment(const std::string& items, const std::string& out) {
    return {"reproduce",       "carryover", "--data", shared->path(items), "--out",
            shared->path(out), "--width",   "16",     "--vocab",           "200",
            "--epochs",        "4",         "--only", "self-attention"};
  }
  static std::string run() { return shared->path("out/self-attention-seed1"); }

  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

// Into every second item, as 20 of 40 are spread over the test part; an item is a dialogue. Without
// inserted turns the decisions are those on the items as they are.
TEST_F(FarCarry, TurnsAreInsertedIntoItemsThatAreSpreadOut) {
  const Json json = Json::parse(shared->read("out/self-attention-seed1/evaluation.json"));
  ASSERT_EQ(json["f1_far_bottom"].size(), 40u);
  for (size_t i = 0; i < 40; ++i) {
    for (const std::string series : {"_top", "_bottom"}) {
      const Json& of_all = json["f1_far" + series][i];
      EXPECT_EQ(json["inserted_0" + series][i], i % 2 == 0 ? of_all : Json(0)) << series << i;
    }
    for (const char* key : {"inserted_0_bottom", "inserted_4_bottom", "inserted_16_bottom"}) {
      EXPECT_EQ(json[key][i] > 0, i % 2 == 0) << key << i;  // one of the two holds
    }
  }
  EXPECT_NE(json["inserted_0_bottom"], json["inserted_4_bottom"]);
  EXPECT_NE(json["inserted_4_bottom"], json["inserted_16_bottom"]);
}

// Twenty items that are the same one before anything is inserted.
TEST_F(FarCarry, EachItemGetsTurnsOfItsOwn) {
  for (const char* part : {"train", "valid"}) {
    shared->write("copies/" + std::string(part) + ".jsonl", far_items(300));
  }
  Json item = Json::parse(far_items(1));
  std::string copies;
  for (int i = 100; i < 120; ++i) {
    item["id"] = item["dialogue"] = std::to_string(i);
    copies += item.dump() + "\n";
  }
  shared->write("copies/test.jsonl", copies + far_items(20));
  const Arguments all = experiment("copies", "of-copies") + Arguments{"--one-of", "1"};
  const Result r = heed_program(with(with(all, "--epochs", "1"), "--only", "pointer-turn"));
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(shared->read("of-copies/pointer-turn-seed1/evaluation.json"));
  const auto different = [&](const std::string& series) {
    return std::set<double>(json[series].begin(), json[series].begin() + 20).size();
  };
  EXPECT_EQ(different("inserted_0_bottom"), 1u);
  EXPECT_GT(different("inserted_4_bottom"), 1u);
  EXPECT_GT(different("inserted_16_bottom"), 1u);
}

TEST_F(FarCarry, ReadsAndLearnsFromSomeItems) {
  const Result r = heed_program(experiment("items", "few") +
                                Arguments{"--one-of", "3", "--limit", "30", "--distracted", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(shared->read("few/carryover.json"))["data"];
  EXPECT_EQ(json["test_items"], 30);
  EXPECT_GT(json["train_items"], 3);
  EXPECT_LT(json["train_items"], 20);
  EXPECT_EQ(Json::parse(shared->read("out/carryover.json"))["data"]["train_items"], 300);
}

// A city from each side, the system's in the second item: each F1 stands under its distance, and
// "-" where nobody decided for a value and none holds.
TEST_F(FarCarry, TheTableHasTheF1OfEachDistance) {
  const std::string data = dir.write("items.jsonl", lines_of_two_cities({"0", "1", "0"}));
  const auto row = [&](const Arguments& more, const std::string& expected) {
    const Result r = heed_program(Arguments{"carry", "--data", data} + more);
    EXPECT_TRUE(std::regex_search(r.out, std::regex(expected))) << expected << "\n" << r.out;
  };
  row({}, "candidates +0 +1 +2 +3 +4 +5 +>=6 +>=1 +all +seen +new\n");
  row({}, "latest +same +- +0\\.5000 +0\\.0000 +- +- +- +- +0\\.3333 +0\\.3333 +0\\.3333 +-\n");
  row({}, "latest-user +both +- +0\\.0000 +0\\.8000 +- +- +- +- +0\\.6667 ");
  row({"--limit", "1"}, "latest-user +both +- +- +1\\.0000 +- ");
}

// A value that was said twice is shown if one of the two holds, and once if both do.
TEST_F(FarCarry, AValueThatWasSaidTwiceIsShownOnce) {
  const auto right = [&](const std::string& carry) {
    const std::string data = dir.write(
        "twice.jsonl",
        R"({"id": "x", "dialogue": "x", "turns": [{"speaker": "user", "text": "in Rio"}, )"
        R"({"speaker": "system", "text": "ok"}, {"speaker": "user", "text": "in Rio"}], )"
        R"("candidates": [{"turn": 0, "key": "city", "span": [3, 6]}, )"
        R"({"turn": 2, "key": "city", "span": [3, 6]}], "carry": [)" +
            carry + "]}\n");
    const Result r = heed_program({"show", "--model", run(), "--data", data, "--count", "1"});
    EXPECT_EQ(r.code, 0) << r.err;
    const size_t begin = r.out.find("human: ");
    return r.out.substr(begin, r.out.find('\n', begin) - begin);
  };
  for (const char* carry : {"0", "1", "0, 1"})
    EXPECT_EQ(right(carry), "human: city = Rio") << carry;
  EXPECT_EQ(right(""), "human: nothing");
}

}  // namespace
}  // namespace heed
