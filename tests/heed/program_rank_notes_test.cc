// heed rank and heed train retrieval: what they say of their inputs, besides the numbers.
#include <nlohmann/json.hpp>

#include "tests/dialog/pretrained/tiny_bert.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;

std::string few_dialogues(int count, int turns) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    Json json = {{"id", std::to_string(i)}, {"turns", Json::array()}};
    for (int t = 0; t < turns; ++t) {
      json["turns"].push_back({{"text", "w" + std::to_string(i) + " t" + std::to_string(t)}});
    }
    lines += json.dump() + "\n";
  }
  return lines;
}

Json rank_json(const Arguments& command) {
  const Result r = heed_program(Arguments{"rank"} + command + Arguments{"--json", "-"});
  EXPECT_EQ(r.code, 0) << join(command) << r.err;
  return Json::parse(r.out, nullptr, false);
}

// Each number is different, and each word.
TEST(RankNotes, TheInputsAreThoseThatWereGiven) {
  const TempDir dir;
  const std::string data = dir.write("data.jsonl", few_dialogues(12, 4)),
                    train = dir.write("train.jsonl", few_dialogues(9, 4));
  const Arguments command = {"baseline", "bm25", "--data",  data,
                             "--train",  train,  "--lists", "stride:3"};
  const Arguments more = {"--limit",       "8",        "--examples", "all", "--context",   "last",
                          "--filter",      "1",        "--seed",     "7",   "--min-turns", "2",
                          "--mean-length", "responses"};
  Json usual = rank_json(command)["inputs"], given = rank_json(command + more)["inputs"];
  EXPECT_EQ(usual["data"]["dialogues"], 12);
  EXPECT_EQ(usual["data"]["responses"], 12);
  EXPECT_EQ(given["data"]["dialogues"], 8);
  EXPECT_EQ(given["data"]["responses"], 8 * 3);
  EXPECT_EQ(given["train"]["path"], train);
  EXPECT_EQ(given["train"]["dialogues"], 9);
  for (Json* json : {&usual, &given}) json->erase("data"), json->erase("train");
  EXPECT_EQ(usual, Json({{"model", nullptr},
                         {"model_fingerprint", nullptr},
                         {"limit", 0},
                         {"examples", "last"},
                         {"context", "all"},
                         {"min_turns", 3},
                         {"mean_length", "documents"},
                         {"filter", 0},
                         {"seed", 1}}));
  EXPECT_EQ(given, Json({{"model", nullptr},
                         {"model_fingerprint", nullptr},
                         {"limit", 8},
                         {"examples", "all"},
                         {"context", "last"},
                         {"min_turns", 2},
                         {"mean_length", "responses"},
                         {"filter", 1},
                         {"seed", 7}}));
}

// Of lists of several lengths: intervals of a scorer and of chance are drawn by the seed, the
// numbers are not.
TEST(RankNotes, IntervalsAreDrawnByTheSeed) {
  const TempDir dir;
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    Json candidates = Json::array();
    for (int k = 0; k < 1 + i % 5; ++k) candidates.push_back("w" + std::to_string(i + k));
    lines += Json({{"turns",
                    {{{"text", "w" + std::to_string(i + i % 3)}},
                     {{"text", "w" + std::to_string(i)}, {"candidates", candidates}}}}})
                 .dump() +
             "\n";
  }
  const std::string data = dir.write("data.jsonl", lines);
  const auto rows = [&](const char* seed) {
    return rank_json({"baseline", "tf-idf", "--data", data, "--train", data, "--min-turns", "2",
                      "--seed", seed})["scorers"];
  };
  const Json one = rows("1"), two = rows("2");
  ASSERT_EQ(one.size(), 2u);
  for (const size_t row : {0, 1}) {
    EXPECT_EQ(one[row]["mrr"]["value"], two[row]["mrr"]["value"]) << row;
    EXPECT_NE(one[row]["mrr"], two[row]["mrr"]) << row;
  }
  EXPECT_EQ(rows("2"), two);
  const std::string scores = dir.write(
      "scores", "{\"right\": [0], \"scores\": [1, 2]}\n{\"right\": [0], \"scores\": [2, 1]}\n");
  EXPECT_EQ(rank_json({"scores", scores, "--seed", "9"})["inputs"]["seed"], 9);
}

// Which responses are left out and why, and what is repeated in how many lists.
TEST(RankNotes, SayWhatIsLeftOutAndRepeated) {
  const TempDir dir;
  const std::string data = dir.write("data.jsonl", few_dialogues(5, 3)),
                    two = dir.write("two.jsonl", few_dialogues(2, 2)),
                    pool = dir.write("pool", "w1 t2\nw3 t2\nnever\n");
  const auto says = [&](const Arguments& more, const std::string& text) {
    const Result r = heed_program(Arguments{"rank", "baseline", "tf-idf"} + more);
    EXPECT_TRUE(has(r.err, text)) << join(more) << r.err;
  };
  const Arguments of = {"--data", data, "--train", data, "--lists"};
  const std::string left = " response left out, ", lists = data + ": ";
  says(of + Arguments{"covered:" + pool}, lists + "2 lists (covered:" + pool +
                                              ") of 3 candidates; 3 responses left out, not in "
                                              "the whitelist\n");
  says(of + Arguments{"whitelist:" + pool},
       lists + "5 lists (whitelist:" + pool + ") of 3 to 4 candidates\n");
  says(of + Arguments{"stride:2"},
       lists + "4 lists (stride:2) of 2 candidates; 1" + left + "too few for one more batch\n");
  const std::string turns = R"({"turns": [{"text": "a"}, {"text": "b", "candidates": )";
  const std::string repeated = dir.write(
      "repeated.jsonl", turns + R"(["c", "c", "c", "d", "d"]}]})" + "\n" + turns + R"(["c"]}]})");
  const Result r = heed_program(
      {"rank", "baseline", "tf-idf", "--data", repeated, "--train", repeated, "--min-turns", "2"});
  EXPECT_TRUE(has(r.err, "note: 3 candidates repeated within a list\n")) << r.err;
  EXPECT_FALSE(has(r.err, "share the credit")) << r.err;
  // Dialogues of two turns can be read, if that is asked for.
  const std::string hint = "; --min-turns 2 takes dialogues of two turns, too";
  const Arguments none = {"rank", "baseline", "tf-idf", "--data", two, "--train", two};
  const std::string error = heed_program(none).err,
                    longer = heed_program(none + Arguments{"--min-turns", "4"}).err;
  EXPECT_TRUE(error.ends_with(hint + "\n")) << error;
  EXPECT_TRUE(has(longer, "no dialogue with 4 turns or more")) << longer;
  EXPECT_FALSE(has(longer, hint)) << longer;
}

// The same remark on each test set is made once.
TEST(RankNotes, OfTestSetsARemarkIsMadeOnce) {
  const TempDir dir;
  std::string long_text = "yes";
  for (int i = 0; i < 80; ++i) long_text += " really";  // the model reads 60 words of a response
  std::string lines = few_dialogues(3, 3);
  lines +=
      Json({{"id", "long"}, {"turns", {{{"text", "a"}}, {{"text", "b"}}, {{"text", long_text}}}}})
          .dump();
  const std::string data = dir.write("data.jsonl", lines),
                    model = source_dir() + "/data/models/ranker";
  const Arguments command = {"rank", "test",    "--model",  model,    "--data",
                             data,   "--lists", "stride:2", "--test", "none,rare:begin,rare:end"};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string remark = model + ": 1 text cut: ";
  const size_t first = r.err.find(remark);
  ASSERT_NE(first, r.err.npos) << r.err;
  EXPECT_EQ(r.err.find(remark, first + 1), r.err.npos) << r.err;
  expect_failure(heed_program(command + Arguments{"--filter", "2", "--train", data}), 2,
                 "--filter: only applies without --test", "--filter");
  expect_failure(heed_program(command + Arguments{"--out", dir.path("out")}), 2,
                 "--out: only applies without --test", "--out");
}

// Responses, and what is cut of either side: words, or the pieces of a pretrained encoder.
TEST(RankNotes, ATrainingSaysWhatItReads) {
  const TempDir dir;
  dir.write("data/train.jsonl", few_dialogues(5, 3));  // contexts of 6 with ends, responses of 2
  std::string valid = few_dialogues(2, 3);
  valid += Json({{"turns", {{{"text", "a"}}, {{"text", "b"}}, {{"text", "c d e f"}}}}}).dump();
  dir.write("data/valid.jsonl", valid + "\n");
  int runs = 0;
  const auto said = [&](const Arguments& more) {
    const Result r =
        heed_program(Arguments{"train", "retrieval", "--data", dir.path("data"), "--epochs", "1",
                               "--out", dir.path("run" + std::to_string(++runs))} +
                     more);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(has(r.out, "5 training responses and 3 to validate\n")) << r.out;
    return r.out + r.err;
  };
  const Arguments smoke = {"--preset", "smoke"};
  EXPECT_FALSE(has(said(smoke), "cut: "));
  const std::string response = said(smoke + Arguments{"--max-response", "3"});
  EXPECT_TRUE(has(response,
                  "cut: 0 contexts of more than 160 words, of which the last ones are kept, and 1 "
                  "response of more than 3, of which the first ones"))
      << response;
  const std::string context = said(smoke + Arguments{"--max-context", "5"});
  EXPECT_TRUE(has(context, "cut: 7 contexts of more than 5 words, of which the last")) << context;
  EXPECT_TRUE(has(context, "and 0 responses of more than ")) << context;
  const std::string pieces =
      said({"--preset", "pretrained", "--init", imported_tiny_bert(dir), "--max-response", "3"});
  EXPECT_TRUE(has(pieces, "contexts of more than 16 pieces, of which the last")) << pieces;
  EXPECT_TRUE(has(pieces, "and 8 responses of more than 3, of which the first")) << pieces;
}

}  // namespace
}  // namespace heed
