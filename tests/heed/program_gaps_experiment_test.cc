// What heed reproduce gaps measures on turns that are written for it.
#include <nlohmann/json.hpp>

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
