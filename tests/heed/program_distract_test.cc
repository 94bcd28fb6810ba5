// heed distract: what evaluate measures, as a file that score measures the same.
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Distract : public ProgramWithRun {
 protected:
  Json lines(const std::string& file) const {
    Json all = Json::array();
    std::istringstream in(dir.read(file));
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }
};

// With more turns than the model reads, utterances that are cut, and distractions of their own.
TEST_F(Distract, ScoreGivesTheNumbersOfEvaluate) {
  const std::string out = dir.path("distracted.jsonl");
  for (const std::string set :
       {"none", "random:0.7", "frequent:begin", "rare:middle", "rare:end"}) {
    for (const char* examples : {"last", "all"}) {
      const Arguments input = {"--model", run(),    "--data", kSample,      "--limit",
                               "25",      "--seed", "5",      "--examples", examples};
      const Json expected =
          json_of(Arguments{"evaluate", "--test", set, "--json", "-"} + input)["test_sets"][set];
      const Result r = heed_program(Arguments{"distract", "--test", set, "--out", out} + input);
      ASSERT_EQ(r.code, 0) << r.err;
      const Json got = json_of(score_with(run(), out) + Arguments{"--json", "-"});
      for (const auto& [key, value] : expected.items()) {
        if (key == "dialogues") continue;  // an example of all is a dialogue of the file
        EXPECT_EQ(got[key], value) << set << " " << examples << " " << key;
      }
      EXPECT_EQ(got["left_out"]["distractions"], 0);
      EXPECT_EQ(set == "none", got["distracted"] == 0);
    }
  }
}

TEST_F(Distract, WritesDialoguesWholeAndUnchangedButForWhatIsMarked) {
  const std::string data = odd_dialogues(dir), out = dir.path("out.jsonl");
  const Result r = heed_program({"distract", "--data", data, "--test", "frequent:end", "--out", out,
                                 "--max-turns", "2", "--json", dir.path("how.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "heed: note: 2 dialogues left out (fewer than 3 turns): short, shorter\n");
  const Json dialogues = lines("out.jsonl");
  ASSERT_EQ(dialogues.size(), 3u);
  const Json& turns = dialogues[0]["turns"];
  ASSERT_EQ(turns.size(), 17u);
  EXPECT_EQ(turns[1]["text"], "would you have lunch ?");  // was there
  EXPECT_EQ(turns[13], Json({{"text", "why should i help you"}, {"distraction", true}}));
  EXPECT_EQ(turns[14], Json({{"text", "i have my right"}, {"distraction", true}}));
  EXPECT_EQ(turns[15]["text"], "hello there");  // the query
  EXPECT_EQ(dialogues[1]["turns"][1]["text"], repeated(11));
  const Json how = Json::parse(dir.read("how.json"));
  expect_made_with(how["heed"], "distract");
  EXPECT_EQ(how["dialogues"], 3);
  EXPECT_EQ(how["distractions"], 2 * 3 + 2);
  EXPECT_EQ(how["inputs"]["test"], Json({"frequent:end"}));
  EXPECT_EQ(how["inputs"]["max_turns"], 2);
  EXPECT_EQ(how["left_out"]["dialogues"], Json({"short", "shorter"}));
  EXPECT_EQ(how["out"], out);
  size_t all = 0;
  for (const Json& d : dialogues) all += d["turns"].size();
  EXPECT_EQ(how["turns"], all);
  EXPECT_EQ(r.out, "wrote 3 dialogues with " + std::to_string(all) +
                       " turns, 8 of them marked as distractions, to " + out + "\n");
}

TEST_F(Distract, TextsOfThePoolAsTheyAre) {
  const std::string data = dir.write("d.jsonl", dialogue("d", {"a", "b", "c"})),
                    pool = dir.write("p.jsonl", dialogue("d", {"not from me"}) +
                                                    dialogue("p", {" ", "Ça va, Zoë?!"}));
  const Result r = heed_program({"distract", "--data", data, "--pool", pool, "--test", "random:1.0",
                                 "--out", dir.path("out.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json all = lines("out.jsonl"), &turns = all[0]["turns"];
  ASSERT_EQ(turns.size(), 5u);
  int inserted = 0;
  for (const Json& turn : turns) inserted += turn["text"] == "Ça va, Zoë?!" && turn["distraction"];
  EXPECT_EQ(inserted, 2);
}

// No model that reads them is needed for that.
TEST_F(Distract, KeepsTheLabels) {
  const std::string data =
      dir.write("d.jsonl", R"({"id": "d", "labels": {"topic": ["rain"]}, "turns": [{"text": "a"},)"
                           R"( {"text": "b", "labels": {"act": ["inform"]}}, {"text": "c"}]})"
                           "\n");
  const Result r = heed_program(
      {"distract", "--data", data, "--test", "rare:end", "--out", dir.path("out.jsonl")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json dialogue = lines("out.jsonl")[0];
  EXPECT_EQ(dialogue["labels"], Json({{"topic", {"rain"}}}));
  EXPECT_TRUE(has(dialogue.dump(), "inform")) << dialogue;
}

TEST_F(Distract, SaysWhatIsMissing) {
  const std::string out = dir.path("out.jsonl");
  expect_failure(heed_program({"distract", "--data", kTestPart, "--out", out}), 2,
                 "give --pool FILE or DIR, or --data DIR", "no pool");
  expect_failure(heed_program({"distract", "--data", kSample, "--out", out, "--test", "all"}), 2,
                 "unknown test set \"all\"", "several");
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Before the work: the dialogues, which do not exist either, are not looked for.
TEST_F(Distract, SaysFirstWhereItCannotWrite) {
  const std::string out = dir.path("no/such/out.jsonl");
  expect_failure(heed_program({"distract", "--data", dir.path("none"), "--out", out}), 1,
                 out + ": cannot write: there is no folder ", "no folder");
}

}  // namespace
}  // namespace heed
