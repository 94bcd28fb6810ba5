// What `heed carry` says of a file and of what is typed.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "dialog/carry/task.h"
#include "dialog/parts/looker.h"
#include "dialog/text/format.h"
#include "nn/init.h"
#include "tests/file_helpers.h"

namespace heed::carry {
namespace {

using Json = nlohmann::json;

// A model with weights as large as those of a trained one, so that what it reads makes a
// difference.
std::shared_ptr<LoadedCarryover> drawn_model(uint64_t seed,
                                             const std::string& decoder = kSelfAttention) {
  TokenCounts counts;
  for (const char* word : {"ab", "cd", "ef", "gh", "rio", "lima", "city", "day"}) counts[word] = 1;
  const Vocabulary words = Vocabulary::build(counts);
  const Config config{.decoder = decoder,
                      .vocab_size = words.size(),
                      .embedding_size = 6,
                      .hidden_size = 5,
                      .heads = 2,
                      .head_size = 3,
                      .dropout = 0};
  auto loaded = std::make_shared<LoadedCarryover>(LoadedCarryover{Carryover(config), words});
  init_uniform(loaded->model, -1, 1, seed);
  return loaded;
}

Item two_cities(const std::string& id, const std::string& from = "") {
  return {.id = id,
          .dialogue = id,
          .turns = {{"user", "ab rio"}, {"system", "cd " + id + " lima"}, {"user", "ef"}},
          .candidates = {{.turn = 0, .key = "city", .value = "rio", .begin = 3, .end = 6},
                         {.turn = 1, .key = "city", .value = "lima"},
                         {.turn = 2, .key = "day", .value = "ef", .from = from}},
          .carry = {1, 0, 1},
          .labelled = true};
}

std::string lines_of(const std::vector<Item>& items) {
  std::string lines;
  for (const Item& item : items) lines += item_line(item);
  return lines;
}

// The attention line has the numbers of the JSON, as parts of what even attention gives.
TEST(CarryAnnotator, TheTableHasTheNumbersOfTheJson) {
  const TempDir dir;
  const auto file =
      dir.write("f.jsonl", lines_of({two_cities("a"), two_cities("b"), two_cities("c")}));
  const auto found = annotator(drawn_model(1))->annotate(file, {.insert = 2, .seed = 3});
  const Json json = Json::parse(found.json);
  EXPECT_EQ(json["inputs"]["insert"], 2);
  EXPECT_EQ(json["inputs"]["seed"], 3);
  EXPECT_EQ(json["inputs"]["data"]["items"], 3);
  const std::string table = found.table(200);
  std::string expected = "attention by distance, 100 % is even:";
  double spread = 0, sum = 0;
  for (const char* distance : {"0", "1", "2"}) {
    const double even = json["look"][distance]["of_even"];
    expected += std::string("  ") + distance + ": " + percent_text(even);
    spread = std::max(spread, std::abs(even - 1));
    sum += json["look"][distance]["of_attention"].get<double>();
  }
  EXPECT_GT(spread, 0.1);
  EXPECT_NEAR(sum, 1, 1e-6);
  EXPECT_TRUE(has(table, expected + "\n")) << table << expected;
  for (const char* who : {"model", "everything", "latest", "latest-user"}) {
    for (const char* set : {"same", "both"}) {
      const Json& t = json["decided_by"][who][set];
      EXPECT_TRUE(
          std::regex_search(table, std::regex(std::string(who) + " +" + set + " +" +
                                              decimal(t["0"]["f1"].get<double>(), 4) + " ")))
          << who << set << table;
    }
  }
  EXPECT_FALSE(has(table, "cross")) << table;  // there are no such candidates
  const auto other = dir.write("g.jsonl", lines_of({two_cities("a"), two_cities("b", "taxi")}));
  EXPECT_TRUE(has(annotator(nullptr)->annotate(other, {}).table(200), "cross"));
}

// Where an item has no labels there is nothing to compare with, wherever it stands.
TEST(CarryAnnotator, ComparesNothingWithoutAllLabels) {
  const TempDir dir;
  const auto loaded = drawn_model(1);
  Item unknown = two_cities("b");
  unknown.labelled = false, unknown.carry.clear();
  for (const std::vector<Item>& items :
       {std::vector{two_cities("a"), unknown}, {unknown, two_cities("a")}, {unknown}}) {
    const auto file = dir.write("f.jsonl", lines_of(items));
    const auto found = annotator(loaded)->annotate(file, {.lines = true});
    EXPECT_EQ(
        found.remarks,
        (std::vector<std::string>{file + ": has items without \"carry\", so nothing is compared"}));
    EXPECT_FALSE(found.table);
    EXPECT_FALSE(Json::parse(found.json).contains("decided_by"));
    EXPECT_EQ(found.count, counted(items.size(), "item"));
    const std::vector<Decision> decisions = decide(loaded->model, loaded->vocabulary, items);
    std::istringstream lines(found.lines);
    for (size_t i = 0; i < items.size(); ++i) {
      std::string line;
      std::getline(lines, line);
      const Json said = Json::parse(line);
      EXPECT_EQ(said["id"], items[i].id);
      for (size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(said["p"][k].get<double>(), decisions[i].p[k], 1e-6);
        EXPECT_NEAR(said["look"][k].get<double>(), decisions[i].look[k], 1e-6);
      }
    }
  }
  const auto file = dir.write("f.jsonl", lines_of({two_cities("a"), two_cities("b")}));
  const auto found = annotator(loaded)->annotate(file, {.lines = true});
  EXPECT_TRUE(found.remarks.empty());
  EXPECT_TRUE(found.table);
}

// A value is what stands in its brackets, in code points; a key or a value alone is none. What is
// said of it is what the model decides on the same item.
TEST(CarryAnnotator, WhatIsTypedIsAnItemWithItsSpans) {
  const Item item{.id = "typed",
                  .turns = {{"user", "äöü ß rio gh ef"}, {"system", "cd  lima"}},
                  .candidates = {{.turn = 0, .key = "city", .value = "rio", .begin = 6, .end = 9},
                                 {.turn = 1, .key = "day", .value = "lima", .begin = 4, .end = 8}}};
  std::set<std::string> different;
  for (const uint64_t seed : {1, 2, 3, 4, 5}) {
    const auto loaded = drawn_model(seed);
    const auto annotates = annotator(loaded);
    const TypedDialogue typed = annotates->typed({.width = 200});
    typed.hear("äöü ß [city: rio] gh ef");
    const Heard heard = typed.hear("cd [ city: ] [day :lima ][: gh]");
    ASSERT_EQ(heard.turns.size(), 2u);
    EXPECT_EQ(heard.turns[1].text, "cd  limagh");
    Item same = item;
    same.turns[1].text = heard.turns[1].text;
    const Decision d = decide(loaded->model, loaded->vocabulary, {same})[0];
    for (size_t i = 0; i < 2; ++i) {
      const Candidate& c = item.candidates[i];
      const std::string row = std::string(d.carry[i] ? "yes" : "no") + " +" + c.key + " +" +
                              c.value + " +" + std::to_string(1 - i) + " +" + decimal(d.p[i], 2) +
                              " +" + percent_text(d.look[i]) + "\n";
      EXPECT_TRUE(std::regex_search(heard.text, std::regex(row))) << row << heard.text;
      different.insert(decimal(d.p[i], 2));
    }
    EXPECT_EQ(std::count(heard.text.begin(), heard.text.end(), '\n'), 3) << heard.text;
    ASSERT_EQ(heard.look.size(), 2u);
    EXPECT_NEAR(heard.look[0], 2 * d.look[0], 1e-6);  // of two turns
    EXPECT_NEAR(heard.look[1], 2 * d.look[1], 1e-6);
  }
  EXPECT_GT(different.size(), 5u);
}

// Values of one key that hold are all named, and each once.
TEST(CarryAnnotator, NamesEachValueThatHolds) {
  const TempDir dir;
  Item item = two_cities("a");
  item.candidates.push_back({.turn = 2, .key = "city", .value = "rio"});
  item.carry = {1, 1, 1, 1};
  const auto file = dir.write("f.jsonl", item_line(item));
  const auto annotates = annotator(drawn_model(1));
  const auto looks = dynamic_cast<const Looker&>(*annotates).looks(file, {});
  ASSERT_EQ(looks.size(), 1u);
  EXPECT_EQ(looks[0].right, "city = rio, city = lima, day = ef");
}

}  // namespace
}  // namespace heed::carry
