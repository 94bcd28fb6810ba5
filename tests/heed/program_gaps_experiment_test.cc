// What heed reproduce gaps measures on turns that are written for it.
#include <nlohmann/json.hpp>

#include "tests/heed/program_properties.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// The evaluation of a small model on the dialogues of dir/data.
Json reproduced(const TempDir& dir) {
  const Result r =
      heed_program({"reproduce", "gaps", "--data", dir.path("data"), "--out", dir.path("out"),
                    "--width", "8", "--epochs", "1", "--only", "both"});
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
  dir.write("data/train.jsonl", line("about k1 please"));
  dir.write("data/valid.jsonl", line("about k1 please"));
  dir.write("data/test.jsonl", line("hello there") + line("k1 again"));
  const Json json = reproduced(dir);
  EXPECT_EQ(json["answered"], 0.5);
  EXPECT_EQ(json["with_1"]["answered"], 1);
  EXPECT_EQ(json["with_1"]["p1_lost_items"][0], nullptr);
  EXPECT_EQ(json["with_1"]["p1_lost"], json["with_1"]["p1_lost_items"][1]);
}

}  // namespace
}  // namespace heed
