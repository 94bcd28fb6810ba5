// heed prepare rewriting and gaps, heed train gaps, heed rewrite, heed reproduce gaps, as people
// call them.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>

#include "dialog/data/corpus.h"
#include "tests/golden.h"
#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// Chinese dialogues as they are published: what is left out or called 它 is the first character of
// the first turn and "号" behind it.
const TempDir& files() {
  static const TempDir dir;
  static const bool made = [] {
    const std::vector<std::string> things = {"甲", "乙", "丙", "丁", "戊", "己", "庚"};
    std::string lines;
    for (int i = 0; i < 420; ++i) {
      const std::string thing = things[i % 7] + things[i / 7 % 7];
      lines += "我要" + thing + "谢谢\t\t好的\t\t" +
               (i % 3 == 0   ? "多少钱\t\t" + thing + "多少钱"
                : i % 3 == 1 ? "它在吗\t\t" + thing + "在吗"
                             : "没事了\t\t没事了") +
               "\n";
    }
    dir.write("corpus.txt", lines);
    const Result r = heed_program({"prepare", "rewriting", "--in", dir.path("corpus.txt"), "--out",
                                   dir.path("data"), "--split", "dialogue"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "\nnext: heed train gaps --data ")) << r.out;
    const Result train =
        heed_program({"train", "gaps", "--data", dir.path("data"), "--preset", "smoke", "--epochs",
                      "4", "--rate", "0.01", "--out", dir.path("run")});
    EXPECT_EQ(train.code, 0) << train.err;
    EXPECT_TRUE(has(train.out, "336 training turns with 228 gaps, of which 228 are filled"))
        << train.out;
    return true;
  }();
  EXPECT_TRUE(made);
  return dir;
}

TEST(Gaps, AreFilledInAFile) {
  const TempDir& dir = files();
  const Result r = heed_program({"rewrite", "--model", dir.path("run"), "--data", dir.path("data"),
                                 "--out", dir.path("turns.jsonl"), "--json", dir.path("how.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "frequent")) << r.out;
  const Json how = Json::parse(dir.read("how.json"), nullptr, false);
  EXPECT_EQ(how["turns"], 42);
  EXPECT_EQ(how["inputs"]["data"]["fingerprint"],
            fingerprint(read_dialogues(dir.path("data/test.jsonl"))));
  EXPECT_GT(how["model"]["exact"], 0.9);
  EXPECT_GT(how["model"]["both"]["f1"], 0.95);
  EXPECT_LT(how["copy"]["exact"], 0.5);
  EXPECT_GT(how["model"]["p1"], how["nearest"]["p1"]);
  // A rule's row of the table has the numbers of the JSON, each under its title. Of three things
  // that were said each was meant in other dialogues.
  std::string three;
  for (const char* meant : {"甲乙", "丙丁", "丙丁", "戊己", "戊己", "戊己"}) {
    three +=
        std::string("{\"turns\": [{\"text\": \"我要甲乙谢谢\"}, {\"text\": \"我要丙丁谢谢\"}, ") +
        "{\"text\": \"我要戊己谢谢\"}, {\"text\": \"它在吗\", \"labels\": {\"rewritten\": [\"" +
        meant + "在吗\"]}}]}\n";
  }
  dir.write("three/test.jsonl", three);
  std::filesystem::copy(dir.path("data/train.jsonl"), dir.path("three/train.jsonl"));
  const Result ranked = heed_program({"rewrite", "--model", dir.path("run"), "--data",
                                      dir.path("three"), "--json", dir.path("three.json")});
  const Json frequent = Json::parse(dir.read("three.json"), nullptr, false)["frequent"];
  EXPECT_LT(frequent["p1"], frequent["p2"]);
  EXPECT_LT(frequent["p2"], frequent["p3"]);
  EXPECT_EQ(frequent["p3"], 1);
  const Json none = {{"precision", nullptr}, {"recall", nullptr}, {"f1", nullptr}};
  for (const char* label : {"border", "pronoun", "both"}) EXPECT_EQ(frequent[label], none);
  std::string row = "frequent +- +- +- +- +- +-";
  for (const char* measure : {"p1", "p2", "p3", "exact", "bleu"}) {
    char text[32];
    std::snprintf(text, sizeof text, " +%.1f", 100 * frequent[measure].get<double>());
    row += text;
  }
  EXPECT_TRUE(std::regex_search(ranked.out, std::regex(row))) << row << "\n" << ranked.out;
  const std::string lines = dir.read("turns.jsonl");
  const Json first = Json::parse(lines.substr(0, lines.find('\n')), nullptr, false);
  EXPECT_TRUE(first.contains("rewritten") && first["gaps"].is_array()) << first;
  // Without labels there is nothing to measure, and without a training part there are no rules.
  dir.write("two.jsonl", "{\"turns\": [{\"text\": \"我要甲乙谢谢\"}, {\"text\": \"它在吗\"}]}\n");
  const Result two = heed_program(
      {"rewrite", "--model", dir.path("run"), "--data", dir.path("two.jsonl"), "--out", "-"});
  ASSERT_EQ(two.code, 0) << two.err;
  EXPECT_TRUE(has(two.err, "two.jsonl: has turns without \"rewritten\", so nothing is compared"));
  const Json line = Json::parse(two.out, nullptr, false);
  EXPECT_EQ(line["turn"], "它在吗");
  EXPECT_EQ(line["rewritten"], "甲乙在吗");
  Json gap = line["gaps"][0];
  EXPECT_GT(gap["above_null"], 0);
  EXPECT_EQ(gap["best"].size(), 3u);
  for (const char* checked : {"above_null", "best"}) gap.erase(checked);
  EXPECT_EQ(gap, (Json{{"was", "它"}, {"begin", 0}, {"end", 1}, {"filled", "甲乙"}}));
  dir.write("only-test/test.jsonl", three);
  const Result only = heed_program(
      {"rewrite", "--model", dir.path("run"), "--data", dir.path("only-test"), "--json", "-"});
  ASSERT_EQ(only.code, 0) << only.err;
  EXPECT_TRUE(has(only.err, "has no train part to count in, so the rules are left out"));
  const Json measured = Json::parse(only.out, nullptr, false);
  EXPECT_TRUE(measured.contains("model") && !measured.contains("frequent")) << only.out;
}

// A border of 1 of 3 gaps is found, and a pronoun that is one and one that is none; what one of the
// gaps lacks nobody said.
TEST(Gaps, EachNumberOfTheModelStandsUnderItsName) {
  const TempDir& dir = files();
  std::string lines;
  for (const auto& [turn, full] : {std::pair("多少钱", "甲乙多少钱"),
                                   {"没事了", "甲乙没事了"},
                                   {"没事了", "辛没事了"},
                                   {"它在吗", "它在吗"},
                                   {"它在吗", "甲乙在吗"}}) {
    lines += std::string("{\"turns\": [{\"text\": \"我要甲乙谢谢\"}, {\"text\": \"好的\"}, ") +
             "{\"text\": \"" + turn + "\", \"labels\": {\"rewritten\": [\"" + full + "\"]}}]}\n";
  }
  const Arguments command = {"rewrite", "--model", dir.path("run"), "--data",
                             dir.write("five.jsonl", lines)};
  const Json m = Json::parse(heed_program(command + Arguments{"--json", "-"}).out)["model"];
  const auto label = [](double precision, double recall) {
    return std::vector<double>{precision, recall, 2 * precision * recall / (precision + recall)};
  };
  std::string row = "\nmodel";
  const auto add = [&](double x) {
    char text[32];
    std::snprintf(text, sizeof text, " +%.1f", 100 * x);
    row += text;
  };
  for (const auto& [name, numbers] : {std::pair("border", label(1, 1 / 3.0)),
                                      {"pronoun", label(0.5, 1)},
                                      {"both", label(0.75, 3 / 7.0)}}) {
    EXPECT_NEAR(m[name]["precision"], numbers[0], 1e-12) << name;
    EXPECT_NEAR(m[name]["recall"], numbers[1], 1e-12) << name;
    EXPECT_NEAR(m[name]["f1"], numbers[2], 1e-12) << name;
    for (const double x : numbers) std::string(name) == "both" ? void() : add(x);
  }
  EXPECT_EQ(m["answered"], 0.75);
  EXPECT_EQ(m["exact"], 0.4);
  for (const char* name : {"p1", "p2", "p3", "exact", "bleu"}) add(m[name]);
  const Result r = heed_program(command);
  EXPECT_TRUE(std::regex_search(r.out, std::regex(row))) << row << r.out;
  EXPECT_TRUE(has(r.out, "P@k: of the 75.0 % of gaps")) << r.out;
}

TEST(Gaps, NumbersAreThoseOfAnyBatchAndOrder) {
  const TempDir& dir = files();
  const std::string data = dir.path("data/test.jsonl");
  expect_properties("rewrite", {"--model", dir.path("run")}, data, turned(data, dir));
}

TEST(Gaps, AreFilledInAConversation) {
  const TempDir& dir = files();
  dir.write("typed", "它在吗\n/reset\n我要丙丁谢谢\n好的\n多少钱\n/what\n/help\n/quit\n");
  const Result r = heed_program({"rewrite", "--model", dir.path("run")}, "", dir.path("typed"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "says: 丙丁多少钱\n  left out before \"多\": \"丙丁\" (")) << r.out;
  EXPECT_TRUE(has(r.out, "forget the conversation")) << r.out;
  // As in a file: how much better the best is than nothing, and the next ones.
  const std::string said = dir.write("said.jsonl",
                                     "{\"turns\": [{\"text\": \"我要丙丁谢谢\"}, {\"text\": "
                                     "\"好的\"}, {\"text\": \"多少钱\"}]}\n");
  const Json gap = Json::parse(
      heed_program({"rewrite", "--model", dir.path("run"), "--data", said, "--out", "-"})
          .out)["gaps"][0];
  char above[32];
  std::snprintf(above, sizeof above, "%.2f", gap["above_null"].get<double>());
  const std::vector<std::string> best = gap["best"];
  ASSERT_EQ(best.size(), 3u);
  EXPECT_TRUE(has(r.out, " (" + std::string(above) + " above nothing; or \"" + best[1] + "\", \"" +
                             best[2] + "\")\n"))
      << r.out;
}

// What fills the gap stands in the first turn.
TEST(Gaps, AModelOfThemShowsWhereItLooks) {
  const TempDir& dir = files();
  const std::string data = dir.write("looked.jsonl",
                                     "{\"id\": \"d\", \"turns\": [{\"text\": \"我要甲乙谢谢\"}, "
                                     "{\"text\": \"好的\"}, {\"text\": \"它在吗\"}]}\n");
  const Result r = heed_program({"show", "--model", dir.path("run"), "--data", data});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "run: 甲乙在吗")) << r.out;
  EXPECT_TRUE(has(r.out, "human: not known")) << r.out;
  std::smatch first;
  ASSERT_TRUE(std::regex_search(r.out, first, std::regex(R"((\d+) %   1   我要甲乙谢谢)")))
      << r.out;
  EXPECT_GT(std::stoi(first[1]), 150);  // of 300 at most
  EXPECT_TRUE(has(r.out, "0 %   3 ? 它在吗")) << r.out;
  expect_failure(
      heed_program({"show", "--model", dir.path("run"), "--data", data, "--insert", "1"}), 1,
      data + ": --insert takes turns of other dialogues, and there is one only", "one dialogue");
}

// They are marked, and what the model looked at is still there.
TEST(Gaps, TurnsOfOtherDialoguesAreInserted) {
  const TempDir& dir = files();
  const std::string data = dir.write("two-looked.jsonl",
                                     "{\"id\": \"d\", \"turns\": [{\"text\": \"我要甲乙谢谢\"}, "
                                     "{\"text\": \"好的\"}, {\"text\": \"它在吗\"}]}\n"
                                     "{\"turns\": [{\"text\": \"多少钱\"}]}\n");
  const Result r = heed_program({"show", "--model", dir.path("run"), "--data", data, "--insert",
                                 "2", "--html", dir.path("page.html")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(std::regex_search(r.out, std::regex("(✗|x) 多少钱[\\s\\S]*(✗|x) 多少钱"))) << r.out;
  EXPECT_TRUE(has(r.out, "我要甲乙谢谢")) << r.out;
  EXPECT_TRUE(has(r.out, " 5 ? 它在吗")) << r.out;
  EXPECT_TRUE(has(dir.read("page.html"), "2 turns of other dialogues"));
}

// --seed draws the turns and their places; the dialogues are the same.
TEST(Gaps, EachSeedInsertsOtherTurns) {
  const TempDir& dir = files();
  const auto shown = [&](const char* seed) {
    const Result r = heed_program({"show", "--model", dir.path("run"), "--data", dir.path("data"),
                                   "--insert", "1", "--count", "3", "--seed", seed});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const std::string first = shown("1");
  EXPECT_EQ(shown("1"), first);
  EXPECT_NE(shown("2"), first);
}

TEST(Gaps, AModelOfThemEncodes) {
  const TempDir& dir = files();
  const Result r = heed_program({"features", "--model", dir.path("run"), "--data", dir.path("data"),
                                 "--out", dir.path("features"), "--limit", "20"});
  EXPECT_EQ(r.code, 0) << r.err;
  const Result info = heed_program({"info", dir.path("run")});
  const Result card = heed_program({"info", dir.path("run"), "--card", "-"});
  EXPECT_TRUE(has(card.out, "to be measured by you**.\n") && !has(card.out, "heed evaluate"))
      << card.out << card.err;
  EXPECT_EQ(info.code, 0) << info.err;
  EXPECT_TRUE(has(info.out, "gaps")) << info.out;
}

TEST(Gaps, TheirExperimentIsReproduced) {
  const TempDir& dir = files();
  const Arguments command = {
      "reproduce", "gaps",     "--data", dir.path("data"), "--out", dir.path("out"), "--width",
      "8",         "--epochs", "1",      "--limit",        "60",    "--seeds",       "2"};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  const auto numbers = [&](const char* run) {
    return Json::parse(dir.read(std::string("out/") + run + "/evaluation.json"), nullptr, false);
  };
  const Json both = numbers("both-seed1"), detect = numbers("detect-seed1");
  EXPECT_EQ(both["exact_items"].size(), both["conversations"].size());
  EXPECT_EQ(both["with_2"]["p1_lost_items"].size(), both["conversations"].size());
  const auto sum = [](const Json& items) {
    double all = 0;
    for (const Json& x : items) all += x.get<double>();
    return all;
  };
  for (const Json& of : {both, both["with_1"], both["with_2"]}) {  // what intervals are drawn of
    EXPECT_DOUBLE_EQ(of["p1"], sum(of["p1_hits"]) / sum(of["answered_items"]));
    EXPECT_DOUBLE_EQ(of["p3"], sum(of["p3_hits"]) / sum(of["answered_items"]));
    EXPECT_DOUBLE_EQ(of["f1"], sum(of["f1_hits"]) / sum(of["f1_all"]));
    EXPECT_DOUBLE_EQ(of["exact"], sum(of["exact_items"]) / double(of["exact_items"].size()));
  }
  EXPECT_GT(both["p3"], both["p2"]);  // or this would test nothing
  EXPECT_TRUE(detect["p1"].is_null() && detect["p1_hits"].empty());
  EXPECT_TRUE(numbers("rank-seed1")["f1"].is_null());
  EXPECT_EQ(both["rules"], detect["rules"]);
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("gaps");
  const Json claims = Json::parse(dir.read("out/tables/claims.json"), nullptr, false);
  EXPECT_EQ(claims.size(), 6u);
  const std::string text = dir.read("out/tables/claims.md");
  const Result again = heed_program(command);
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(dir.read("out/tables/claims.md"), text);
  const Result report = heed_program({"report", dir.path("out"), "--html", dir.path("page.html")});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(has(dir.read("page.html"), "With irrelevant turns between"));
}

// Rules are measured as in heed rewrite, and the table has their numbers. What has no turn before
// it is left out also where turns are inserted.
TEST(Gaps, TheirExperimentMeasuresTheRules) {
  const TempDir& dir = files();
  std::string test =
      "{\"turns\": [{\"text\": \"它在吗\", \"labels\": {\"rewritten\": [\"它在吗\"]}}]}\n";
  for (const char* meant : {"甲乙", "丙丁", "丙丁", "戊己", "戊己", "戊己", "甲乙"}) {
    test +=
        std::string("{\"turns\": [{\"text\": \"我要甲乙谢谢\"}, {\"text\": \"我要丙丁谢谢\"}, ") +
        "{\"text\": \"我要戊己谢谢\"}, {\"text\": \"它在吗\", \"labels\": {\"rewritten\": [\"" +
        meant + "在吗\"]}}]}\n";
  }
  for (const char* part : {"train", "valid"}) {
    const std::string name = std::string(part) + ".jsonl";
    dir.write("ties/" + name, dir.read("data/" + name));
  }
  dir.write("ties/test.jsonl", test);
  const Arguments command = {"reproduce", "gaps",     "--data", dir.path("ties"), "--width",
                             "8",         "--epochs", "1",      "--only",         "rank"};
  const Result r = heed_program(command + Arguments{"--out", dir.path("of-ties")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json mine = Json::parse(dir.read("of-ties/rank-seed1/evaluation.json")),
             its = Json::parse(heed_program({"rewrite", "--model", dir.path("of-ties/rank-seed1"),
                                             "--data", dir.path("ties"), "--json", "-"})
                                   .out);
  EXPECT_EQ(mine["conversations"].size(), 7u);
  for (const Json& of : {mine, mine["with_1"], mine["with_2"]}) {
    EXPECT_EQ(of["p1_hits"].size(), 7u);
  }
  std::map<std::string, double> shown;
  const Json table = Json::parse(dir.read("of-ties/tables/rules.json"));
  for (size_t c = 0; c < table["columns"].size(); ++c) {
    shown[table["columns"][c]["name"]] = table["rows"][2]["cells"][c]["value"];
  }
  EXPECT_EQ(shown.size(), 10u);
  for (const std::string rule : {"copy", "nearest", "frequent"}) {
    for (const auto& [key, name] :
         {std::pair("p1", " P@1"), {"p3", " P@3"}, {"exact", " exact"}, {"bleu", " BLEU"}}) {
      EXPECT_EQ(mine["rules"][rule][key], its[rule][key]) << rule << key;
      const auto cell = shown.find(rule + name);
      EXPECT_TRUE(cell == shown.end() || cell->second == its[rule][key]) << rule << key;
    }
  }
  EXPECT_LT(its["frequent"]["p2"], its["frequent"]["p3"]);  // or this would test less
  const Result few = heed_program(command + Arguments{"--limit", "3", "--out", dir.path("of-few")});
  ASSERT_EQ(few.code, 0) << few.err;
  EXPECT_EQ(Json::parse(dir.read("of-few/gaps.json"))["data"]["test_turns"], 2);  // of three lines
  // Other full forms of the same turns are other data.
  dir.write("ties/test.jsonl", test.replace(test.rfind("甲乙在吗"), 12, "丙丁在吗"));
  const Result edited = heed_program(command + Arguments{"--out", dir.path("of-ties")});
  EXPECT_EQ(edited.code, 2);
  EXPECT_TRUE(has(edited.err, "on other data")) << edited.err;
}

TEST(Gaps, RefusesWhatCannotBe) {
  const TempDir& dir = files();
  const auto refused = [&](const Arguments& arguments, int code, const std::string& text) {
    const Result r = heed_program(arguments);
    EXPECT_EQ(r.code, code) << r.err;
    EXPECT_TRUE(has(r.err, text)) << r.err;
  };
  refused({"train", "gaps", "--data", kSample, "--out", dir.path("x")}, 1,
          "train.jsonl.gz:1: the last turn has no label \"rewritten\"; heed prepare rewriting and "
          "heed prepare gaps write it");
  refused({"train", "gaps", "--data", dir.path("data"), "--max-span", "0", "--out", dir.path("x")},
          2, "--max-span");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  refused({"reproduce", "gaps", "--data", kSample, "--out", dir.path("x")}, 1,
          "train.jsonl.gz:1: the last turn has no label \"rewritten\"");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  refused({"rewrite", "--model", dir.path("run"), "--out", dir.path("x")}, 2,
          "--out: only applies with --data");
  refused({"rewrite", "--model", dir.path("data"), "--data", dir.path("data")}, 1, "data");
  dir.write("bad.txt", "a\tb\n");
  refused({"prepare", "rewriting", "--in", dir.path("bad.txt"), "--out", dir.path("x")}, 1,
          "bad.txt:1: expected four texts with tabs between");
  const Result other =
      heed_program({"train", "retrieval", "--data", kSample, "--preset", "smoke", "--limit", "60",
                    "--epochs", "1", "--out", dir.path("ranker")});
  ASSERT_EQ(other.code, 0) << other.err;
  refused({"rewrite", "--model", dir.path("ranker")}, 2, "a ranker, which cannot tag");
}

// What reads Schema-Guided Dialogue makes English turns with gaps.
TEST(Gaps, AreMadeOfStates) {
  const TempDir& dir = files();
  const auto turn = [](const char* speaker, const char* text, const char* actions) {
    return std::string("{\"speaker\": \"") + speaker + "\", \"utterance\": \"" + text +
           "\", \"frames\": [{\"service\": \"Hotels\", \"actions\": [" + actions + "]" +
           (std::string(speaker) == "USER"
                ? ", \"state\": {\"active_intent\": \"NONE\", \"slot_values\": {}}"
                : "") +
           "}]}";
  };
  const std::string said =
      "{\"act\": \"INFORM\", \"slot\": \"city\", \"canonical_values\": [\"San Jose\"], \"values\": "
      "[]}";
  dir.write("sgd.jsonl", "{\"dialogue_id\": \"1_0\", \"services\": [\"Hotels\"], \"turns\": [" +
                             turn("USER", "A room in San Jose.", said.c_str()) + ", " +
                             turn("SYSTEM", "Which one?", "") + ", " + turn("SYSTEM", " ", "") +
                             ", " + turn("USER", "Any in San Jose.", said.c_str()) + "]}\n");
  const Result r = heed_program(
      {"prepare", "gaps", "--in", dir.path("sgd.jsonl"), "--out", dir.path("english.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "left out: 1 turns without text\n")) << r.out;
  const Json made = Json::parse(dir.read("english.jsonl"), nullptr, false);
  EXPECT_EQ(made["id"], "1_0#3");
  EXPECT_EQ(made["turns"][2]["labels"]["rewritten"][0], "any in san jose.");
  EXPECT_NE(made["turns"][2]["text"], "any in san jose.");
}

}  // namespace
}  // namespace heed
