// heed rank on the bundled sample, whose numbers other code computed, and on lists made here.
#include <algorithm>
#include <cmath>
#include <sstream>

#include "tests/heed/program_retrieval_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

std::vector<double> percents(const Json& scorer) {
  std::vector<double> values;
  for (const char* k : {"1", "2", "5", "10", "50"}) {
    values.push_back(100 * scorer["recall"][k]["value"].get<double>());
  }
  values.push_back(100 * scorer["mrr"]["value"].get<double>());
  return values;
}

void expect_percents(const Json& scorer, const std::vector<double>& expected) {
  const std::vector<double> values = percents(scorer);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_NEAR(values[i], expected[i], 0.0051) << scorer["name"] << " " << i;
  }
}

// R@1, 2, 5, 10, 50 and MRR of a program in Python with the same words, to two digits.
TEST(RankBaseline, HasTheNumbersOfOtherCode) {
  const auto rows = [](const Arguments& more) {
    const Json json =
        json_of_ranks(Arguments{"baseline", "tf-idf", "bm25", "--data", kSample} + more);
    EXPECT_EQ(json["scorers"].size(), 3u);
    expect_percents(json["scorers"][2], {1, 2, 5, 10, 50, 5.18738});
    return json;
  };
  const Json last = rows({});
  expect_percents(last["scorers"][0], {31.12, 35.0, 42.39, 48.65, 71.97, 37.37});
  expect_percents(last["scorers"][1], {30.12, 34.63, 39.82, 46.78, 69.09, 36.09});
  EXPECT_EQ(last["lists"]["lists"], 800);
  EXPECT_EQ(last["lists"]["left_out"], 30);
  EXPECT_GT(last["scorers"][0]["conversations"], 400);
  EXPECT_LT(last["scorers"][0]["conversations"], 800);
  EXPECT_EQ(last["inputs"]["train"]["responses"], 12208);
  for (const char* key : {"mrr", "auc"}) {
    const Json& e = last["scorers"][0][key];
    EXPECT_LT(e["low"], e["value"]);
    EXPECT_LT(e["value"], e["high"]);
  }
  const Json responses = rows({"--mean-length", "responses"});
  expect_percents(responses["scorers"][1], {34.69, 40.13, 44.64, 50.28, 70.28, 40.61});
  const Json query = rows({"--context", "last"});
  expect_percents(query["scorers"][0], {16.52, 19.5, 25.97, 32.56, 61.98, 22.44});
  expect_percents(query["scorers"][1], {17.27, 21.19, 26.97, 33.31, 61.1, 23.26});
  const Json all = rows({"--examples", "all"});
  expect_percents(all["scorers"][0], {29.28, 36.2, 44.27, 52.23, 76.64, 37.38});
  expect_percents(all["scorers"][1], {26.78, 33.7, 41.95, 49.31, 73.59, 34.91});
}

TEST(RankBaseline, AsATable) {
  const Result r =
      heed_program({"rank", "baseline", "tf-idf", "--data", kSample, "--limit", "110"});
  EXPECT_EQ(r.code, 0);
  EXPECT_TRUE(r.out.starts_with(
      "scorer                R@1   R@2   R@5  R@10  R@50                MRR                AUC  "
      "AUC@0.1  AUC@0.05  AUC@0.01\ntf-idf  "))
      << r.out;
  EXPECT_TRUE(r.out.ends_with(
      "\nchance     1.0 [1.0, 1.0]   2.0   5.0  10.0  50.0     5.2 [5.2, 5.2]  50.0 [50.0, 50.0]  "
      "    5.0       2.5       0.5\n"))
      << r.out;
  EXPECT_TRUE(has(r.err,
                  "100 lists (stride:100) of 100 candidates; 10 responses left out, too few "
                  "for one more batch"))
      << r.err;
}

// MuTual's rows, a list longer than the others, and the scores as a file.
class GivenCandidates : public testing::Test {
 protected:
  GivenCandidates() {
    dir.write("rows.txt", row("a", "zebra", "C") + row("b", "yak", "A") + row("c", "gnu", "D"));
    const Result r = heed_program(
        {"prepare", "mutual", "--in", dir.path("rows.txt"), "--out", data, "--min-turns", "2"});
    EXPECT_EQ(r.code, 0) << r.err;
    const std::string more =
        R"({"id": "d", "turns": [{"text": "a yak"}, {"text": "two", "candidates": ["x yak", "two", "x yak"]}]})";
    dir.write("data.jsonl",
              dir.read("data.jsonl") + more +
                  "\n{\"id\": \"e\", \"turns\": [{\"text\": \"a\"}, {\"text\": \"b\"}]}\n");
  }
  // Each option has the article's word, but only the right one has nothing else.
  static std::string row(const std::string& id, const std::string& word,
                         const std::string& answer) {
    Json options;
    for (const char letter : {'A', 'B', 'C', 'D'}) {
      const bool right = answer[0] == letter;
      options.push_back("f : " + (right ? word : word + " and " + std::string(1, letter)));
    }
    return Json({{"id", id},
                 {"article", "m : see the " + word},
                 {"options", options},
                 {"answers", answer}})
               .dump() +
           "\n";
  }
  const TempDir dir;
  const std::string data = dir.path("data.jsonl"), out = dir.path("scores.jsonl");
};

TEST_F(GivenCandidates, AreRanked) {
  const Arguments command = {"baseline", "tf-idf", "--data", data, "--train", data, "--out", out};
  const Json json = json_of_ranks(command);
  EXPECT_EQ(json["lists"]["kind"], "given");
  EXPECT_EQ(json["lists"]["lists"], 4);
  EXPECT_EQ(json["lists"]["left_out"], 1);
  EXPECT_EQ(json["lists"]["duplicates"]["right"], 1);
  EXPECT_EQ(json["lists"]["duplicates"]["others"], 1);
  const Json& scorer = json["scorers"][0];
  EXPECT_EQ(scorer["recall"]["1"]["value"], 0.75);  // of d two others have the yak
  EXPECT_EQ(scorer["recall"]["2"]["value"], 0.75);
  EXPECT_NEAR(scorer["mrr"]["value"], (3 + (1.0 / 3 + 1.0 / 4) / 2) / 4, 1e-12);
  EXPECT_EQ(scorer["map"]["value"], scorer["mrr"]["value"]);
  const Result r = heed_program(Arguments{"rank"} + command);
  EXPECT_TRUE(has(r.err,
                  "4 lists (given) of 4 candidates; 1 response left out, without candidates\n"
                  "heed: note: in 1 list another candidate has the right response's text: "
                  "they share the credit\nheed: note: 1 candidate repeated within a list\n"))
      << r.err;
  const std::string lines = dir.read("scores.jsonl");
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 4);
  const Json last = Json::parse(lines.substr(lines.rfind('{')));
  EXPECT_EQ(last["id"], "d");
  EXPECT_EQ(last["rank"], 3);
  EXPECT_EQ(last["ties"], 1);
  EXPECT_EQ(last["right"], Json::array({0}));
  EXPECT_EQ(last["scores"].size(), 4u);
  Json again = json_of_ranks({"scores", out})["scorers"];
  EXPECT_EQ(again[0]["name"], out);
  again[0]["name"] = "tf-idf";
  EXPECT_EQ(again, json["scorers"]);
}

// Repeated candidates are not those that have the right text.
TEST_F(GivenCandidates, RepeatedOnesAreCounted) {
  const std::string file = dir.write(
      "repeated.jsonl",
      R"({"turns": [{"text": "a"}, {"text": "two", "candidates": ["x", "x", "x", "two"]}]})"
      "\n");
  const Json lists =
      json_of_ranks({"baseline", "tf-idf", "--data", file, "--train", file})["lists"];
  EXPECT_EQ(lists["duplicates"], Json({{"right", 1}, {"others", 2}}));
}

// Lists of other lengths, and several of one dialogue, which have names of their own.
TEST_F(GivenCandidates, SaysHowLongTheListsAre) {
  const std::string file = dir.write(
      "lengths.jsonl",
      R"({"id": "a", "turns": [{"text": "x"}, {"text": "two", "candidates": ["x", "y", "two"]}, {"text": "three", "candidates": ["x", "three"]}]})"
      "\n"
      R"({"id": "b", "turns": [{"text": "x"}, {"text": "y"}, {"text": "z", "candidates": ["x", "y"]}]})"
      "\n");
  const Arguments command = {"baseline", "tf-idf",     "--data", file,    "--train",
                             file,       "--examples", "all",    "--out", out};
  const Json json = json_of_ranks(command);
  EXPECT_EQ(json["lists"]["candidates"], Json({{"least", 3}, {"most", 4}}));
  EXPECT_EQ(json["inputs"]["data"]["dialogues"], 2);
  EXPECT_EQ(json["inputs"]["data"]["responses"], 4);
  EXPECT_EQ(json["lists"]["lists"], 3);
  EXPECT_EQ(json["lists"]["left_out"], 1);
  std::istringstream lines(dir.read("scores.jsonl"));
  std::vector<std::string> ids;
  for (std::string line; std::getline(lines, line);) ids.push_back(Json::parse(line)["id"]);
  EXPECT_EQ(ids, (std::vector<std::string>{"a#2", "a#3", "b#3"}));
  const Result r = heed_program(Arguments{"rank"} + command);
  EXPECT_TRUE(has(r.err, ": 3 lists (given) of 3 to 4 candidates; 1 response left out, without"))
      << r.err;
}

// What is inserted into a context is of another dialogue than its own.
TEST_F(GivenCandidates, AreBehindDistractionsOfOtherDialogues) {
  const auto turns = [](const std::string& id) {
    return R"({"id": ")" + id +
           R"(", "turns": [{"text": "x"}, {"text": "y"}, {"text": "z", "candidates": ["x", "y"]}]})" +
           "\n";
  };
  const std::string file = dir.write("two.jsonl", turns("a") + turns("b"));
  const auto rank = [&](const std::string& pool) {
    return heed_program({"rank", "test", "--model", source_dir() + "/data/models/ranker", "--data",
                         file, "--test", "random:1.0", "--pool", dir.write("pool.jsonl", pool)});
  };
  for (const std::string only : {"a", "b"}) {
    const Result r = rank(turns(only));
    EXPECT_EQ(r.code, 1);
    EXPECT_TRUE(has(r.err, "no utterance of another dialogue than " + only + " among")) << r.err;
  }
  EXPECT_EQ(rank(turns("a") + turns("b")).code, 0);
}

// Words are counted in --train, also beside a folder that has a training part.
TEST(RankBaseline, CountsWordsWhereItIsTold) {
  const Arguments command = {"baseline", "tf-idf", "--data", kSample, "--limit", "110"};
  const Json own = json_of_ranks(command),
             other = json_of_ranks(command + Arguments{"--train", kTestPart});
  EXPECT_EQ(own["inputs"]["train"]["path"], kSample + "/train.jsonl.gz");
  EXPECT_EQ(other["inputs"]["train"]["path"], kTestPart);
  EXPECT_NE(own["scorers"][0], other["scorers"][0]);
  EXPECT_EQ(own["scorers"][1], other["scorers"][1]);  // chance
}

TEST_F(GivenCandidates, AreLeftForOtherLists) {
  const Arguments more = {"--data", data, "--train", data, "--min-turns", "2", "--lists"};
  const auto ranked = [&](const char* lists, const char* seed) {
    return json_of_ranks(Arguments{"baseline", "bm25"} + more + Arguments{lists, "--seed", seed});
  };
  const Json random = ranked("random:3", "7");
  EXPECT_EQ(random["lists"]["lists"], 5);
  EXPECT_EQ(random["lists"]["candidates"], Json({{"least", 3}, {"most", 3}}));
  EXPECT_EQ(random["scorers"], ranked("random:3", "7")["scorers"]);
  EXPECT_EQ(ranked("stride:2", "1")["lists"]["left_out"], 1);
}

// Of each list the 20 candidates that TF-IDF puts first keep their scores; the others are equal,
// and below. TF-IDF itself does not change: what is filtered out was no better.
TEST(RankBaseline, RanksWhatWordsLeave) {
  const TempDir dir;
  const std::string words = dir.path("words"), all = dir.path("all"), few = dir.path("few");
  const auto rank = [&](const char* scorer, const std::string& out, const Arguments& more) {
    return json_of_ranks(Arguments{"baseline", scorer, "--data", kSample, "--limit", "200",
                                   "--lists", "stride:50", "--out", out} +
                         more);
  };
  const Arguments filter = {"--filter", "20"};
  const Json tf_idf = rank("tf-idf", words, {}), bm25 = rank("bm25", all, {});
  const Json filtered = rank("bm25", few, filter);
  EXPECT_EQ(filtered["inputs"]["filter"], 20);
  EXPECT_NE(filtered["scorers"][0]["recall"], bm25["scorers"][0]["recall"]);
  std::istringstream by_words(dir.read("words")), of_all(dir.read("all")), of_few(dir.read("few"));
  size_t lists = 0;
  for (std::string line; std::getline(of_few, line); ++lists) {
    std::string of_words, whole;
    std::getline(by_words, of_words);
    std::getline(of_all, whole);
    const auto scores = [](const std::string& text) {
      return Json::parse(text)["scores"].get<std::vector<double>>();
    };
    const std::vector<double> kept = scores(line), before = scores(whole), count = scores(of_words);
    std::vector<double> order = count;
    std::sort(order.rbegin(), order.rend());
    const double lowest = *std::min_element(before.begin(), before.end());
    double rest = 0;
    for (size_t k = 0; k < kept.size(); ++k) {
      if (count[k] >= order[19]) {
        EXPECT_EQ(kept[k], before[k]);
      } else {
        EXPECT_LT(kept[k], lowest);
        EXPECT_TRUE(rest == 0 || rest == kept[k]);
        rest = kept[k];
      }
    }
  }
  EXPECT_EQ(lists, tf_idf["lists"]["lists"]);
  EXPECT_EQ(rank("tf-idf", words, filter)["scorers"][0]["recall"]["10"],
            tf_idf["scorers"][0]["recall"]["10"]);
}

}  // namespace
}  // namespace heed
