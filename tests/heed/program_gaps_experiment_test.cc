// What heed reproduce gaps measures on turns that are written for it.
#include <nlohmann/json.hpp>
#include <regex>
#include <tuple>

#include "dialog/data/corpus.h"
#include "dialog/rewrite/task.h"
#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// The evaluation of a small model on the dialogues of dir/data.
Json reproduced(const TempDir& dir, const std::string& epochs = "1") {
  const Result r =
      heed_program({"reproduce", "gaps", "--data", dir.path("data"), "--out", dir.path("out"),
                    "--width", "8", "--epochs", epochs, "--only", "both"});
  EXPECT_EQ(r.code, 0) << r.err;
  return Json::parse(dir.read("out/both-seed1/evaluation.json"), nullptr, false);
}

// What fills the gap is the first word of a context as long as the model reads: it is still read
// where turns are inserted.
TEST(Gaps, TheirExperimentInsertsTurnsThatPushNothingOut) {
  const TempDir dir;
  const auto line = [](const std::string& first, const std::string& second,
                       const std::string& full) {
    return R"({"turns": [{"text": ")" + first + R"("}, {"text": ")" + second +
           R"("}, {"text": "it is good", "labels": {"rewritten": [")" + full + "\"]}}]}\n";
  };
  std::string few, long_turn = "so";
  for (int i = 0; i < 12; ++i) {
    const std::string thing = "k" + std::to_string(i);
    few += line("about " + thing + " please", "fine", thing + " is good");
  }
  for (int i = 1; i < 195; ++i) long_turn += " so";
  dir.write("data/train.jsonl", few);
  dir.write("data/valid.jsonl", few);
  dir.write("data/test.jsonl", line("k1 q1", long_turn, "k1 q1 is good"));
  const Json json = reproduced(dir);
  EXPECT_EQ(json["answered"], 1);
  EXPECT_EQ(json["with_1"]["answered"], 1);
  EXPECT_EQ(json["with_2"]["answered"], 1);
}

// Before it begins a training says how much it reads: of four gaps two are filled from the context,
// and of four turns one is too long.
TEST(Gaps, TrainingSaysWhatItReads) {
  const TempDir dir;
  const auto line = [](const std::string& turn, const std::string& full) {
    return R"({"turns": [{"text": "about k1 please"}, {"text": ")" + turn +
           R"(", "labels": {"rewritten": [")" + full + "\"]}}]}\n";
  };
  const std::string found = line("it is good", "k1 is good"), none = line("it is", "k2 is now"),
                    both = line("so it is", "so k1 is"), all = line("yes", "yes");
  dir.write("data/train.jsonl", found + none + both + line("a b c d e f", "a"));
  dir.write("data/valid.jsonl", found + all);
  const Result r =
      heed_program({"train", "gaps", "--data", dir.path("data"), "--preset", "smoke", "--epochs",
                    "1", "--max-turn-words", "5", "--max-context", "50", "--out", dir.path("run")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out,
                  "3 training turns with 4 gaps, of which 2 are filled from the context; 2 to "
                  "validate"))
      << r.out;
  EXPECT_TRUE(has(r.err,
                  "1 dialogue left out: no context, or a turn of more than 5 words or Chinese "
                  "characters"))
      << r.err;
  // All that there is to remark of a file is told.
  const std::string test =
      dir.write("test.jsonl", line("a b c d e f", "a") +
                                  R"({"turns": [{"text": "about k1"}, {"text": "it is"}]})" + "\n");
  const Result some = heed_program(
      {"rewrite", "--model", dir.path("run"), "--data", test, "--out", dir.path("out.jsonl")});
  EXPECT_EQ(some.code, 0) << some.err;
  EXPECT_TRUE(has(some.err, "1 dialogue left out: ")) << some.err;
  EXPECT_TRUE(has(some.err, "so nothing is compared")) << some.err;
}

// What it keeps of its data: how many turns it tests, and numbers that change with each part, also
// with what is written out alone.
TEST(Gaps, TheirExperimentKnowsItsData) {
  const TempDir dir;
  const auto line = [](const std::string& first, const std::string& full) {
    return R"({"turns": [{"text": ")" + first + R"("}, {"text": "it is good", "labels": )" +
           R"({"rewritten": [")" + full + "\"]}}]}\n";
  };
  dir.write("data/train.jsonl", line("about k1", "k1 is good") + line("about k2", "k2 is good"));
  dir.write("data/valid.jsonl", line("about k3", "k3 is good"));
  dir.write("data/test.jsonl",
            line("about k4", "k4 is good") + line("k5", "it is k5") + line("k6", "it is good"));
  reproduced(dir);
  const Json data = Json::parse(dir.read("out/gaps.json"))["data"];
  EXPECT_EQ(data["test_turns"], 3);
  uint32_t all = 0;
  for (const std::string part : {"train", "valid", "test"}) {
    const DataPart read = read_part(dir.path("data"), part, {.notes = true});
    all = rewrite::fingerprint(
        rewrite::gap_examples(read.path, read.dialogues, {}, Vocabulary(), true), all);
    if (part == "valid") continue;
    EXPECT_EQ(data[part + "_checksum"], fingerprint(read.dialogues)) << part;
  }
  EXPECT_EQ(data["checksum"], all);
}

// As --help tells them; and those of the experiment of trackers.
TEST(Gaps, ExperimentsHaveTheirDefaults) {
  for (const auto& [experiment, option, value] : {std::tuple("gaps", "--epochs", "6"),
                                                  {"gaps", "--vocab", "6000"},
                                                  {"energy", "--epochs", "60"},
                                                  {"energy", "--steps", "50"}}) {
    const std::string help = heed_program({"reproduce", experiment, "--help"}).out,
                      row = std::string(option) + " N[^;]*;\\s+default\\s+" + value + "\\)";
    EXPECT_TRUE(std::regex_search(help, std::regex(row))) << row << help;
  }
}

// A gap that only an inserted turn fills is neither lost nor won.
TEST(Gaps, TheirExperimentLosesWhatWasThereBefore) {
  const TempDir dir;
  const auto line = [](const std::string& first) {
    return R"({"turns": [{"text": ")" + first + R"("}, {"text": "it is good", "labels": )" +
           R"({"rewritten": ["k1 is good"]}}]})" + "\n";
  };
  std::string eight;
  for (int i = 0; i < 8; ++i) eight += line("about k1 please");
  dir.write("data/train.jsonl", eight);
  dir.write("data/valid.jsonl", eight);
  dir.write("data/test.jsonl", line("hello there") + line("about k1 please"));
  const Json json = reproduced(dir, "30");
  EXPECT_EQ(json["p1_hits"], (Json{0, 1}));
  EXPECT_EQ(json["with_1"]["p1_hits"], (Json{1, 1}));  // or this would test nothing
  EXPECT_EQ(json["answered"], 0.5);
  EXPECT_EQ(json["with_1"]["answered"], 1);
  EXPECT_EQ(json["with_1"]["p1_lost_items"], (Json{nullptr, 0}));
  EXPECT_EQ(json["with_1"]["p1_lost"], 0);
}

}  // namespace
}  // namespace heed
