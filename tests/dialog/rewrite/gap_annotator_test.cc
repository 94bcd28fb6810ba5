// What heed rewrite says of a file and of typed turns, of a model whose weights are set by hand: it
// takes every turn for one gap, which nothing fills, or the best candidate.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dialog/parts/looker.h"
#include "dialog/rewrite/task.h"
#include "nn/init.h"
#include "tests/file_helpers.h"

namespace heed::rewrite {
namespace {

using Json = nlohmann::json;

std::shared_ptr<const Annotator> by_hand(bool fills, const LossSettings& loss = {}) {
  TokenCounts counts;
  for (char c = 'a'; c <= 'p'; ++c) counts[std::string(1, c)] = 1;
  Vocabulary words = Vocabulary::build(counts);
  const Config config{.vocab_size = words.size(),
                      .embedding_size = 5,
                      .hidden_size = 4,
                      .bounds = {.max_context = 9, .max_turn = 5, .max_span = 3}};
  auto gaps = std::make_shared<LoadedGaps>(LoadedGaps{GapModel(config), std::move(words)});
  init(gaps->model, 2);
  std::vector<double> weights, null;
  for (const NamedParameter& p : parameters(gaps->model)) {
    if (p.name == "score.weight") weights = p.var.value().to_vector();
  }
  for (const double w : weights) null.push_back((w > 0) != fills ? 100 : -100);
  std::vector<double> bias(kLabels);
  bias[kPronoun] = 1;
  for (const NamedParameter& p : parameters(gaps->model)) {
    const auto set = [&](const std::vector<double>& values) {
      p.var.set_value(Tensor::from(values, p.var.shape()).to(DType::f32));
    };
    if (p.name == "labels.weight") p.var.set_value(Tensor::zeros(p.var.shape(), DType::f32));
    if (p.name == "labels.bias") set(bias);
    if (p.name == "null") set(null);
  }
  return annotator(gaps, loss);
}

std::string line_of(const std::vector<std::string>& texts, const std::string& full = "") {
  Json json = {{"turns", Json::array()}};
  for (const std::string& text : texts) json["turns"].push_back({{"text", text}});
  if (!full.empty()) json["turns"].back()["labels"]["rewritten"] = {full};
  return json.dump() + "\n";
}

TEST(GapAnnotator, AGapIsFilledOnlyByWhatIsBetterThanNothing) {
  const TempDir dir;
  const std::string data = dir.write("d.jsonl", line_of({"a b", "c", "d e"}));
  for (const bool fills : {false, true}) {
    const Json line = Json::parse(by_hand(fills)->annotate(data, {.lines = true}).lines);
    ASSERT_EQ(line["gaps"].size(), 1u);
    const Json& gap = line["gaps"][0];
    ASSERT_EQ(gap["best"].size(), 3u);
    const std::string filled = fills ? gap["best"][0] : Json("");
    EXPECT_EQ(gap["filled"], filled);
    EXPECT_EQ(line["rewritten"], fills ? filled : "d e");
    EXPECT_EQ(gap["above_null"] > 0, fills);
  }
}

// A dialogue without a context, and two with a turn that is too long.
TEST(GapAnnotator, SaysWhatIsLeftOutAndNotCompared) {
  const TempDir dir;
  const std::string left_out =
      line_of({"a"}, "a") + line_of({"a", "b b b b b b"}, "b") + line_of({"a", "b"}, "b b b b b b");
  std::string path = dir.write("d.jsonl", left_out + line_of({"a", "b"}, "a b"));
  const Annotated all = by_hand(true)->annotate(path, {});
  const std::string says =
      "3 dialogues left out: no turn before the last one, or more than 5 words in it";
  ASSERT_EQ(all.remarks.size(), 2u);
  EXPECT_EQ(all.remarks[0], says);
  EXPECT_EQ(all.remarks[1], path + ": has no train part to count in, so the rules are left out");
  EXPECT_EQ(Json::parse(all.json)["left_out"], 3);
  EXPECT_TRUE(Json::parse(all.json).contains("model"));
  path = dir.write("some.jsonl", left_out + line_of({"a", "b"}, "a b") + line_of({"a", "b"}));
  const Annotated some = by_hand(true)->annotate(path, {});
  ASSERT_EQ(some.remarks.size(), 2u);
  EXPECT_EQ(some.remarks[0], says);
  EXPECT_EQ(some.remarks[1], path + ": has turns without \"rewritten\", so nothing is compared");
  EXPECT_FALSE(Json::parse(some.json).contains("model"));
  EXPECT_FALSE(some.table);
}

// The whole text is written by a model that has learned both, and by no other.
TEST(GapAnnotator, TheTextIsOfBoth) {
  const TempDir dir;
  const std::string data = dir.write("d.jsonl", line_of({"a", "b"}, "a b"));
  for (const char* learn : {"both", "detect", "rank"}) {
    const Json json = Json::parse(by_hand(true, {.learn = learn})->annotate(data, {}).json);
    const bool both = std::string(learn) == "both";
    for (const char* name : {"exact", "bleu"}) EXPECT_EQ(json["model"][name].is_null(), !both);
    for (const char* label : {"border", "pronoun", "both"}) {
      for (const auto& [name, number] : json["model"][label].items()) {
        EXPECT_EQ(number.is_null(), std::string(learn) == "rank") << label << " " << name;
      }
    }
    for (const char* name : {"p1", "p2", "p3"}) {
      EXPECT_EQ(json["model"][name].is_null(), std::string(learn) == "detect") << name;
    }
  }
}

TEST(GapAnnotator, AReadConversationIsForgotten) {
  const auto rewriter = by_hand(true);
  const TypedDialogue typed = rewriter->typed({.model = "m"});
  EXPECT_EQ(typed.hear("a").text, "");
  EXPECT_TRUE(has(typed.hear("b").text, "\"b\" is \"a\" (")) << typed.hear("b").text;
  typed.reset();
  EXPECT_EQ(typed.hear("c").text, "");
  const Heard heard = typed.hear("d");
  EXPECT_TRUE(has(heard.text, "says: c\n  \"d\" is \"c\" (")) << heard.text;
  EXPECT_EQ(heard.turns.size(), 2u);
}

// Turns are inserted before a last turn that has others before it, and nowhere else.
TEST(GapAnnotator, ShowsTurnsAndTheirFullForm) {
  const TempDir dir;
  std::string lines = line_of({"o"}, "o");
  for (const char* word : {"a", "b", "c", "d", "e", "f", "g", "h"}) {
    lines += line_of({word, "p", "o"}, std::string(word) + " o");
  }
  const std::string data = dir.write("d.jsonl", lines);
  const auto rewriter = by_hand(true);
  const auto& looker = dynamic_cast<const Looker&>(*rewriter);
  const auto looks = looker.looks(data, {.insert = 2, .count = 20});
  ASSERT_EQ(looks.size(), 8u);
  for (size_t i = 0; i < 8; ++i) {
    const std::vector<Turn>& turns = looks[i].heard.turns;
    EXPECT_EQ(looks[i].right, std::string(1, static_cast<char>('a' + i)) + " o");
    ASSERT_EQ(turns.size(), 5u);
    EXPECT_FALSE(turns.back().distraction);
    EXPECT_EQ(turns.back().text, "o");
  }
}

}  // namespace
}  // namespace heed::rewrite
