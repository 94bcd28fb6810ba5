// heed rank scores and sim: of lists, scores and encoders made here.
#include <cmath>
#include <filesystem>

#include "dialog/pretrained/encoder.h"
#include "nn/init.h"
#include "nn/safetensors.h"
#include "tensor/npy.h"
#include "tests/heed/program_retrieval_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

TEST(RankScores, OfSeveralRightOnesAndAnyLength) {
  const TempDir dir;
  const std::string one = "{\"right\": [1], \"scores\": [0, 1]}\n";
  const std::string file =
      dir.write("f", one + "{\"right\": [2, 4, 3], \"scores\": [1, 5, 3, 2, 4]}\n" + one);
  const Json scorer = json_of_ranks({"scores", file})["scorers"][0];
  EXPECT_NEAR(scorer["map"]["value"], (0.638889 + 2) / 3, 1e-6);
  EXPECT_NEAR(scorer["mrr"]["value"], 2.5 / 3, 1e-12);
  EXPECT_NEAR(scorer["recall"]["2"]["value"], (1.0 / 3 + 2) / 3, 1e-12);
  EXPECT_TRUE(has(heed_program({"rank", "scores", file}).out, "  MAP  "));
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
  const Json json = json_of_ranks(command);
  const Json& none = json["inputs"]["none"];
  EXPECT_EQ(none["score"], 5);  // between 2, the best wrong one, and 8
  EXPECT_EQ(none["share"], 0.2);
  EXPECT_EQ(none["learned_from"]["path"], dir.path("valid"));
  const Json of_valid = json_of_ranks({"scores", dir.path("valid")})["inputs"]["scores"];
  EXPECT_EQ(none["learned_from"]["fingerprint"], of_valid["fingerprint"]);
  EXPECT_NE(none["learned_from"]["fingerprint"], json["inputs"]["scores"]["fingerprint"]);
  EXPECT_EQ(json["scorers"][0]["recall"]["1"]["value"], 1);
  EXPECT_EQ(json["lists"]["lists"], 200);
  const Json all = json_of_ranks(command + Arguments{"--without-right", "1"})["inputs"]["none"];
  EXPECT_EQ(all["score"], 3);
  EXPECT_EQ(all["share"], 1);
  EXPECT_EQ(json_of_ranks({"scores", dir.path("test")})["inputs"]["none"], Json());
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
