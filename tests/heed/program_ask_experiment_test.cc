// heed reproduce comprehend, as people call it.
#include <fstream>

#include "tests/golden.h"
#include "tests/heed/program_ask_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class AskExperiment : public testing::Test {
 protected:
  const TempDir dir;
  const std::string data = dir.write("questions.json", friends_questions());
};

// With a pretrained encoder, that stays as it is or is trained further.
TEST_F(AskExperiment, ARunIsThatOfTrain) {
  const std::string init = dir.path("wide");
  ASSERT_EQ(heed_program({"train", "comprehend", "--data", data, "--hidden", "16",
                          "--encoder-layers", "1", "--cells", "4", "--epochs", "1", "--window",
                          "384", "--longest-query", "64", "--out", init})
                .code,
            0);
  const auto made = [&](const Arguments& command, const std::string& out) {
    const Result r =
        heed_program(command + Arguments{"--data", data, "--init", init, "--cells", "4", "--epochs",
                                         "1", "--threads", "1", "--out", dir.path(out)});
    EXPECT_EQ(r.code, 0) << r.err;
  };
  for (const std::string preset : {"frozen", "fine-tuned"}) {
    Arguments experiment = {"reproduce", "comprehend", "--only", "turns-2"};
    if (preset == "fine-tuned") experiment.push_back("--fine-tune");
    made(experiment, "of-" + preset);
    made({"train", "comprehend", "--preset", preset, "--turns", "2"}, preset);
    const std::string mine = "of-" + preset + "/turns-2-seed1/";
    EXPECT_TRUE(dir.read(mine + "model.safetensors") == dir.read(preset + "/model.safetensors"))
        << preset;
    const auto settings = [&](const std::string& run) {
      Json json = Json::parse(dir.read(run + "/settings.json"));
      for (const char* name : {"heed", "preset"}) json.erase(name);
      return json;
    };
    EXPECT_EQ(settings(mine), settings(preset));
  }
  // The same folder with other weights.
  std::fstream weights(init + "/model.safetensors",
                       std::ios::in | std::ios::out | std::ios::binary);
  weights.seekp(-1, std::ios::end).put('\x3f');
  weights.close();
  expect_failure(heed_program({"reproduce", "comprehend", "--only", "turns-2", "--data", data,
                               "--init", init, "--cells", "4", "--epochs", "1", "--threads", "1",
                               "--out", dir.path("of-frozen")}),
                 2, "on other data", "other weights");
}

// Where a question has several answers, F1 is the mean over leaving one out: of each question, and
// of all.
TEST_F(AskExperiment, LeavesAnAnswerOut) {
  Json paragraphs = Json::array();
  for (int i = 0; i < 20; ++i) {
    const std::string id = "p" + std::to_string(i);
    const Json place = {{"text", "Paris"}, {"answer_start", 12}},
               more = {{"text", "sang in Paris"}, {"answer_start", 4}},
               asked = {{"id", id + "_q0"},
                        {"question", "Where?"},
                        {"answers", Json::array({more, place})},
                        {"orig_answer", place}};
    paragraphs.push_back({{"id", id},
                          {"context", "She sang in Paris. CANNOTANSWER"},
                          {"qas", Json::array({asked})}});
  }
  const Json all = {{"data", Json::array({Json{{"title", "t"}, {"paragraphs", paragraphs}}})}};
  for (const char* part : {"train", "val"}) {
    dir.write("quac/" + std::string(part) + "_v0.2.json", all.dump());
  }
  const Result r = heed_program({"reproduce", "comprehend", "--data", dir.path("quac"), "--only",
                                 "turns-0", "--epochs", "6", "--cells", "8", "--threads", "1",
                                 "--out", dir.path("of-quac")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json json = Json::parse(dir.read("of-quac/turns-0-seed1/evaluation.json")),
             read = Json::parse(dir.read("of-quac/turns-0-seed1/read.json"));
  double sum = 0;
  for (const Json& f1 : json["f1_items"]) sum += f1.get<double>();
  ASSERT_EQ(json["f1_items"].size(), 20u);
  EXPECT_GT(sum, 0);   // what is not left out counts
  EXPECT_LT(sum, 20);  // one answer is not the other
  EXPECT_NEAR(json["f1"].get<double>(), sum / 20, 1e-9);
  EXPECT_NEAR(read["last:0"].get<double>(), sum / 20, 1e-9);
}

TEST_F(AskExperiment, HasItsTables) {
  const Arguments command = {"reproduce",     "comprehend", "--data", data,      "--out",
                             dir.path("all"), "--epochs",   "1",      "--cells", "4",
                             "--threads",     "1"};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(dir.read("all/tables/claims.md"), "The answers before matter more"));
  Golden golden;
  golden.add_runs(dir.path("all"));
  golden.expect("comprehend");
  const Json evaluation = Json::parse(dir.read("all/no-answers-seed1/evaluation.json"));
  EXPECT_EQ(evaluation["f1_items"].size(), 6u);
  EXPECT_EQ(evaluation["passages"], (Json{0, 0, 0, 1, 1, 1}));

  const Json two = Json::parse(dir.read("all/turns-2-seed1/evaluation.json"));
  double sum = 0;
  for (size_t q = 0; q < 6; ++q) {
    const double gold = two["f1_items"][q], own = two["predicted_f1_items"][q];
    EXPECT_NEAR(two["half_kept_items"][q].get<double>(), own - (gold - own), 1e-12);
    sum += own - (gold - own);
  }
  EXPECT_NEAR(two["half_kept"].get<double>(), sum / 6, 1e-12);

  // With as many turns as in training it answers as before.
  for (const int turns : {0, 1, 2, 7}) {
    SCOPED_TRACE(turns);
    const std::string run = "all/turns-" + std::to_string(turns) + "-seed1/";
    const Json read = Json::parse(dir.read(run + "read.json"));
    EXPECT_EQ(read["last:" + std::to_string(turns) + "_items"],
              Json::parse(dir.read(run + "evaluation.json"))["f1_items"]);
    if (turns < 7) {
      EXPECT_TRUE(read["last:" + std::to_string(turns + 1)].is_null());
    }
    ASSERT_EQ(read["shuffled"].is_number(), turns >= 2);
    if (turns < 2) continue;
    for (const size_t q : {0, 1, 3, 4}) EXPECT_EQ(read["order_items"][q], 0) << "one turn at most";
    EXPECT_NEAR(
        read["order"].get<double>(),
        read["last:" + std::to_string(turns)].get<double>() - read["shuffled"].get<double>(),
        1e-12);
  }
  const Json table = Json::parse(dir.read("all/tables/read.json"));
  EXPECT_EQ(table["rows"].size(), 11u);
  const auto config = [&](const std::string& run) {
    return Json::parse(dir.read("all/" + run + "-seed1/config.json"));
  };
  const Json control = config("other-turns");
  EXPECT_EQ(control["turns"], 2);
  EXPECT_EQ(control["other_turns"], true);
  EXPECT_FALSE(config("turns-2").contains("other_turns"));
  EXPECT_NE(dir.read("all/other-turns-seed1/model.safetensors"),
            dir.read("all/turns-2-seed1/model.safetensors"));
}

}  // namespace
}  // namespace heed
