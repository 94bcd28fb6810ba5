// heed prepare split and pairs: what a folder of parts holds, what is said, what is refused.
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dialog/data/corpus.h"
#include "tests/heed/prepare_program.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// What a corpus knows goes through a split.
TEST_F(Prepare, SplitKeepsLabelsPersonasAndCandidates) {
  std::string text;
  for (const char* name : {"ann", "bob", "cem", "dan"}) {
    text += "1 your persona: i am " + std::string(name) + " .\n2 hello " + name +
            " .\thi .\t\tno|hi .\n3 a " + name + "\tb\n";
  }
  const Result r = prepare("personachat", dir.write("p.txt", text), "all.jsonl");
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(
      has(r.out, "with 4 candidates (1 different), 4 sentences of personas (4 different)\n"));
  EXPECT_TRUE(has(
      r.out, "\n  speaker \"partner\", text \"hello ann .\"\n  speaker \"you\", text \"hi .\"\n"))
      << r.out;
  const std::vector<Json> all = read("all.jsonl");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].at("personas"), (Json{{"you", {"i am bob ."}}}));
  EXPECT_EQ(all[1].at("turns")[1].at("candidates"), Json({"no"}));
  const Result split =
      heed_program({"prepare", "split", "--in", dir.path("all.jsonl"), "--out", dir.path("parts"),
                    "--by", "dialogue", "--valid", "0.25", "--test", "0.25"});
  ASSERT_EQ(split.code, 0) << split.err;
  std::vector<Json> again;
  for (const char* part : {"train", "valid", "test"}) {
    for (const Json& d : read("parts/" + std::string(part) + ".jsonl")) again.push_back(d);
  }
  EXPECT_TRUE(std::is_permutation(again.begin(), again.end(), all.begin(), all.end()));
}

// Dialogues that `heed train` would refuse are not recommended to it.
TEST_F(Prepare, PartsWithoutAResponse) {
  const std::string turn = "{\"turns\": [{\"text\": \"a\"}]}\n";
  const Result r =
      heed_program({"prepare", "split", "--in", dir.write("t.jsonl", turn + turn + turn), "--by",
                    "dialogue", "--valid", "0.34", "--test", "0.34", "--out", dir.path("parts")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "train.jsonl: 1 dialogue with 1 turn\n")) << r.out;
  EXPECT_FALSE(has(r.out, "next: ")) << r.out;
}

// What could help depends on what there is.
TEST_F(Prepare, SplitSaysWhatWouldHelp) {
  // Dialogues of some conversations, each with an utterance of its own.
  const auto refused = [&](int count, int conversations, const Arguments& more) {
    std::string all;
    for (int i = 0; i < count; ++i) {
      const std::string text(40, static_cast<char>('a' + i % conversations));
      all += R"({"id": ")" + std::to_string(i) + R"(", "turns": [{"text": ")" + text + "\"}]}\n";
    }
    const std::string err = prepare("split", dir.write("in.jsonl", all), "parts", more).err;
    return err.substr(err.find(": nothing") + 2);
  };
  const std::string none = "nothing for the valid part: ", few = "; every part needs a dialogue\n",
                    other = "; change the shares or the way to split\n";
  EXPECT_EQ(refused(2, 1, {"--test", "0"}),
            none + "2 dialogues in 1 conversation, the largest with 2" + other);
  EXPECT_EQ(refused(2, 1, {}), none + "2 dialogues in 1 conversation, the largest with 2" + few);
  EXPECT_EQ(refused(3, 1, {}), none + "3 dialogues in 1 conversation, the largest with 3" + other);
  EXPECT_EQ(refused(1, 1, {"--test", "0", "--by", "dialogue"}),
            "nothing for the train part: 1 dialogue" + few);
  EXPECT_EQ(
      refused(4, 2, {"--valid", "0.5"}),
      "nothing for the test part: 4 dialogues in 2 conversations, the largest with 2" + other);
}

// Of a folder all parts, each of its own turns; of a file one file.
TEST_F(Prepare, Pairs) {
  const auto line = [](const char* id, const std::vector<const char*>& texts) {
    Json turns = Json::array();
    for (const char* text : texts) turns.push_back({{"speaker", "A"}, {"text", text}});
    return Json({{"id", id}, {"turns", turns}}).dump() + "\n";
  };
  std::filesystem::create_directory(dir.path("data"));
  dir.write("data/train.jsonl",
            line("a", {"aaa", "bbb", "c", "ddd", "eee"}) + line("b", {"x"}) + line("q", {"y"}));
  dir.write("data/test.jsonl", line("c", {"fff", "gggg"}));
  const Result r = prepare("pairs", dir.path("data"), "pairs", {"--characters", "3:4"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.out, dir.path("pairs/train.jsonl.gz") + ": 2 pairs of 3 dialogues\n" +
                       dir.path("pairs/test.jsonl.gz") + ": 1 pair of 1 dialogue\n");
  const auto train = read_dialogues(dir.path("pairs/train.jsonl.gz"));
  ASSERT_EQ(train.size(), 2u);
  EXPECT_EQ(train[0].id, "a#2");
  EXPECT_EQ(train[1].id, "a#5");
  EXPECT_EQ(train[1].turns[0].text, "ddd");
  EXPECT_EQ(train[1].turns[1].text, "eee");
  EXPECT_EQ(train[1].turns[1].speaker, "A");
  EXPECT_FALSE(std::filesystem::exists(dir.path("pairs/valid.jsonl.gz")));
  expect_failure(prepare("pairs", dir.path("data"), "pairs"), 1,
                 dir.path("pairs/train.jsonl.gz") + ": exists; give --out a new folder", "twice");
  expect_failure(prepare("pairs", dir.path("data"), "none"), 1,
                 dir.path("data/train.jsonl") + ": no adjacent turns of 9 to 128 characters",
                 "short");
  EXPECT_FALSE(std::filesystem::exists(dir.path("none/train.jsonl.gz")));
  expect_failure(prepare("pairs", dir.path("data"), "none", {"--characters", "4"}), 2,
                 "characters: expected LEAST:MOST, such as 9:128, got '4'", "bounds");
  const std::string file = dir.path("data/test.jsonl");
  ASSERT_EQ(prepare("pairs", file, "new/one.jsonl", {"--characters", "3:4"}).code, 0);
  EXPECT_EQ(read("new/one.jsonl")[0]["id"], "c#2");
  // A ranker learns from them.
  const Result pairs =
      heed_program({"prepare", "pairs", "--in", kSample, "--out", dir.path("two")});
  ASSERT_EQ(pairs.code, 0) << pairs.err;
  const Arguments train_with = {"train",    "retrieval", "--data",  dir.path("two"),
                                "--preset", "smoke",     "--limit", "60",
                                "--epochs", "1",         "--out",   dir.path("run")};
  EXPECT_NE(heed_program(train_with).code, 0);
  const Result trained = heed_program(train_with + Arguments{"--min-turns", "2"});
  EXPECT_EQ(trained.code, 0) << trained.err;
}

}  // namespace
}  // namespace heed
