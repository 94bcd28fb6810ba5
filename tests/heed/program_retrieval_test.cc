// heed rank on the bundled sample, whose numbers other code computed, and on lists made here.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dialog/pretrained/encoder.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/npy.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

Json json_of(const Arguments& arguments) {
  const Result r = heed_program(Arguments{"rank"} + arguments + Arguments{"--json", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  return Json::parse(r.out, nullptr, false);
}

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
    const Json json = json_of(Arguments{"baseline", "tf-idf", "bm25", "--data", kSample} + more);
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
  const Json json = json_of(command);
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
  Json again = json_of({"scores", out})["scorers"];
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
  const Json lists = json_of({"baseline", "tf-idf", "--data", file, "--train", file})["lists"];
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
  const Json json = json_of(command);
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
  const Json own = json_of(command), other = json_of(command + Arguments{"--train", kTestPart});
  EXPECT_EQ(own["inputs"]["train"]["path"], kSample + "/train.jsonl.gz");
  EXPECT_EQ(other["inputs"]["train"]["path"], kTestPart);
  EXPECT_NE(own["scorers"][0], other["scorers"][0]);
  EXPECT_EQ(own["scorers"][1], other["scorers"][1]);  // chance
}

TEST_F(GivenCandidates, AreLeftForOtherLists) {
  const Arguments more = {"--data", data, "--train", data, "--min-turns", "2", "--lists"};
  const auto ranked = [&](const char* lists, const char* seed) {
    return json_of(Arguments{"baseline", "bm25"} + more + Arguments{lists, "--seed", seed});
  };
  const Json random = ranked("random:3", "7");
  EXPECT_EQ(random["lists"]["lists"], 5);
  EXPECT_EQ(random["lists"]["candidates"], Json({{"least", 3}, {"most", 3}}));
  EXPECT_EQ(random["scorers"], ranked("random:3", "7")["scorers"]);
  EXPECT_EQ(ranked("stride:2", "1")["lists"]["left_out"], 1);
}

TEST(RankScores, OfSeveralRightOnesAndAnyLength) {
  const TempDir dir;
  const std::string one = "{\"right\": [1], \"scores\": [0, 1]}\n";
  const std::string file =
      dir.write("f", one + "{\"right\": [2, 4, 3], \"scores\": [1, 5, 3, 2, 4]}\n" + one);
  const Json scorer = json_of({"scores", file})["scorers"][0];
  EXPECT_NEAR(scorer["map"]["value"], (0.638889 + 2) / 3, 1e-6);
  EXPECT_NEAR(scorer["mrr"]["value"], 2.5 / 3, 1e-12);
  EXPECT_NEAR(scorer["recall"]["2"]["value"], (1.0 / 3 + 2) / 3, 1e-12);
  EXPECT_TRUE(has(heed_program({"rank", "scores", file}).out, "  MAP  "));
}

// Of each list the 20 candidates that TF-IDF puts first keep their scores; the others are equal,
// and below. TF-IDF itself does not change: what is filtered out was no better.
TEST(RankBaseline, RanksWhatWordsLeave) {
  const TempDir dir;
  const std::string words = dir.path("words"), all = dir.path("all"), few = dir.path("few");
  const auto rank = [&](const char* scorer, const std::string& out, const Arguments& more) {
    return json_of(Arguments{"baseline", scorer, "--data", kSample, "--limit", "200", "--lists",
                             "stride:50", "--out", out} +
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

TEST(RankScores, NoneIsOneMoreCandidate) {
  const TempDir dir;
  std::string test, valid;
  for (int i = 0; i < 200; ++i) {
    const std::string line = R"({"right": [0], "scores": [8, )" + std::to_string(i % 3) + "]}\n";
    test += line;
    valid += i < 100 ? line : "";
  }
  dir.write("test", test), dir.write("valid", valid);
  const Arguments command = {"scores", dir.path("test"), "--learn-none", dir.path("valid")};
  const Json json = json_of(command);
  const Json& none = json["inputs"]["none"];
  EXPECT_EQ(none["score"], 5);  // between 2, the best wrong one, and 8
  EXPECT_EQ(none["share"], 0.2);
  EXPECT_EQ(none["learned_from"]["path"], dir.path("valid"));
  const Json of_valid = json_of({"scores", dir.path("valid")})["inputs"]["scores"];
  EXPECT_EQ(none["learned_from"]["fingerprint"], of_valid["fingerprint"]);
  EXPECT_NE(none["learned_from"]["fingerprint"], json["inputs"]["scores"]["fingerprint"]);
  EXPECT_EQ(json["scorers"][0]["recall"]["1"]["value"], 1);
  EXPECT_EQ(json["lists"]["lists"], 200);
  const Json all = json_of(command + Arguments{"--without-right", "1"})["inputs"]["none"];
  EXPECT_EQ(all["score"], 3);
  EXPECT_EQ(all["share"], 1);
  EXPECT_EQ(json_of({"scores", dir.path("test")})["inputs"]["none"], Json());
  const Result r = heed_program(Arguments{"rank"} + command + Arguments{"--without-right", "1"});
  EXPECT_TRUE(has(r.err,
                  "\"none\" has the score 3.0000 in all lists, and is right in 200 of 200 "
                  "lists"))
      << r.err;
  // Wherever the right candidate stands, the list that keeps it has a right answer.
  dir.write("second", R"({"right": [1], "scores": [1, 8]})" + std::string("\n"));
  const Result kept = heed_program({"rank", "scores", dir.path("second"), "--learn-none",
                                    dir.path("valid"), "--without-right", "0"});
  EXPECT_TRUE(has(kept.err, "and is right in 0 of 1 list")) << kept.err;
  expect_failure(heed_program({"rank", "scores", dir.path("test"), "--without-right", "0.5"}), 2,
                 "--without-right: only applies with --learn-none", "--without-right");
}

TEST(RankSim, IsTheCosineOfTheVectors) {
  const TempDir dir;
  pretrained::Bert bert({6, 4, 1, 2, 6, 8, 2, 1e-12});
  init(bert, /*seed=*/1);
  std::filesystem::create_directory(dir.path("in"));
  save_parameters(dir.path("in/model.safetensors"), bert);
  dir.write("in/vocab.txt", "[UNK]\n[CLS]\n[SEP]\nhello\nworld\n##s\n");
  dir.write("in/config.json",
            R"({"model_type": "bert", "vocab_size": 6, "hidden_size": 4, "num_hidden_layers": 1,
                "num_attention_heads": 2, "intermediate_size": 6, "max_position_embeddings": 8,
                "type_vocab_size": 2})");
  const std::string model = dir.path("model"), out = dir.path("out.jsonl");
  ASSERT_EQ(heed_program({"import", dir.path("in"), "--out", model}).code, 0);
  const std::string data = dir.write(
      "data.jsonl",
      R"({"turns": [{"text": "hello hello hello hello hello"}, {"text": "world worlds !"}, {"text": "worlds", "candidates": ["hello", "hello hello hello world world world world"]}]})");
  const Result r =
      heed_program({"rank", "baseline", "sim", "--model", model, "--data", data, "--out", out});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "sim: 2 texts cut")) << r.err;
  // The last six pieces of the context, the first six of a response.
  const std::string texts = dir.write("texts.jsonl",
                                      "{\"text\": \"hello hello world worlds !\"}\n"
                                      "{\"text\": \"worlds\"}\n{\"text\": \"hello\"}\n"
                                      "{\"text\": \"hello hello hello world world world\"}\n");
  ASSERT_EQ(
      heed_program({"encode", "--model", model, "--in", texts, "--out", dir.path("v.npy")}).code,
      0);
  const Tensor v = load_npy(dir.path("v.npy"));
  const Json scores = Json::parse(dir.read("out.jsonl"))["scores"];
  ASSERT_EQ(scores.size(), 3u);
  for (int64_t i = 0; i < 3; ++i) {
    double cosine = 0;
    for (int64_t c = 0; c < 4; ++c) cosine += v(0, c) * v(i + 1, c);
    EXPECT_NEAR(scores[static_cast<size_t>(i)], cosine, 1e-6);
  }
}

TEST(Rank, SaysWhatIsWrong) {
  const TempDir dir;
  const auto fails = [&](const Arguments& arguments, int code, const std::string& says) {
    expect_failure(heed_program(Arguments{"rank"} + arguments), code, says, join(arguments));
  };
  const std::string one =
      dir.write("one.jsonl", R"({"turns": [{"text": "a"}, {"text": "b"}, {"text": "c"}]})");
  const Arguments both = {"--data", one, "--train", one};
  fails({"baseline"}, 2, "scorer");
  fails({"baseline", "bm42", "--data", one}, 2, "bm42");
  fails({"baseline", "sim", "--data", one}, 2, "sim and map need --model");
  fails({"baseline", "tf-idf", "--data", one}, 2, "give --train FILE or DIR");
  fails(Arguments{"baseline", "tf-idf", "--model", "m"} + both, 2,
        "--model: only applies to sim and map");
  fails(Arguments{"baseline", "tf-idf", "--mean-length", "responses"} + both, 2,
        "--mean-length: only applies to bm25");
  fails(Arguments{"baseline", "sim", "--model", "m"} + both, 2,
        "--train: only applies to tf-idf, bm25 and map");
  fails(Arguments{"baseline", "tf-idf", "bm25", "--out", dir.path("o")} + both, 2,
        "--out writes the scores of a single scorer");
  fails(Arguments{"baseline", "tf-idf", "--lists", "stride:1"} + both, 2,
        "from 2 on, got 'stride:1'");
  fails(Arguments{"baseline", "tf-idf"} + both, 1,
        one + ": 1 response, too few for lists of 100; more dialogues or smaller lists are needed");
  fails(Arguments{"baseline", "tf-idf", "--lists", "random:2"} + both, 1,
        one +
            ": 1 different response, too few for lists of 2; more dialogues or smaller lists are "
            "needed");
  fails(Arguments{"baseline", "tf-idf", "--lists", "given"} + both, 1,
        one + ": no response has candidates beside it");
  fails(Arguments{"baseline", "tf-idf", "--min-turns", "4"} + both, 1,
        one + ": no dialogue with 4 turns or more");
  fails({"baseline", "tf-idf", "--data", dir.path("none"), "--train", one}, 1, "cannot open");
  const std::string bad =
      dir.write("bad.jsonl", R"({"turns": [{"text": "a", "candidates": "b"}]})");
  fails({"baseline", "tf-idf", "--data", bad, "--train", one}, 1,
        bad + ":1: candidates must be an array, got a string");
  fails({"baseline", "bm25", "--data", one, "--train", one, "--lists", "stride:2"}, 1,
        one + ": 1 response");
  fails({"scores", bad}, 1, bad + ":1: \"scores\" must be an array of numbers");
  fails({"scores", bad, "--json", bad}, 2, "would overwrite what the command reads");
  EXPECT_FALSE(std::filesystem::exists(dir.path("o")));
}

}  // namespace
}  // namespace heed
