// heed generate: dialogues whose last utterance is a model's.
#include "dialog/data/corpus.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

const std::string kTrained = source_dir() + "/data/models/trained";

class Generate : public testing::Test {
 protected:
  static Arguments command(const std::string& out) {
    return {"generate", "--model", kTrained, "--data", kSample, "--limit", "20", "--out", out};
  }
  static std::vector<Json> lines(const std::string& text) {
    std::vector<Json> all;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }
  // The response of each id, as heed respond writes it.
  std::map<std::string, std::string> responses(const Arguments& more) const {
    const Arguments command = {"respond", "--model", kTrained, "--data", kSample,
                               "--limit", "20",      "--out",  "-"};
    std::map<std::string, std::string> all;
    for (const Json& line : lines(heed_program(command + more).out)) {
      all[line["id"]] = line["response"];
    }
    return all;
  }

  const TempDir dir;
};

TEST_F(Generate, WritesDialoguesThatEndWithTheModelsResponse) {
  for (const char* examples : {"last", "all"}) {
    const Arguments more = {"--examples", examples, "--max-length", "4"};
    const Arguments beam = {"--decode", "beam", "--beam-size", "3"};
    const Result r = heed_program(command(dir.path("out.jsonl")) + more +
                                  Arguments{"--beam", "3", "--json", dir.path("g.json")});
    ASSERT_EQ(r.code, 0) << r.err;
    const auto expected = responses(more + beam);
    std::map<std::string, Dialogue> real;
    for (const Dialogue& d : read_dialogues(kTestPart, 20)) real[d.id] = d;
    const auto all = lines(dir.read("out.jsonl"));
    const Json json = Json::parse(dir.read("g.json"));
    EXPECT_EQ(all.size() + json["left_out"]["empty"].get<size_t>(), expected.size());
    EXPECT_EQ(json["passages"], all.size());
    EXPECT_EQ(json["decode"]["beam_size"], 3);
    expect_made_with(json["heed"], "generate");
    for (const Json& line : all) {
      const std::string id = line["id"], dialogue = id.substr(0, id.find('#'));
      EXPECT_EQ(line["real"], false);
      EXPECT_EQ(line["source"], "trained");
      const std::vector<Turn>& turns = real.at(dialogue).turns;
      const size_t n = line["turns"].size();
      EXPECT_EQ(n, dialogue == id ? turns.size() : std::stoul(id.substr(id.find('#') + 1)));
      for (size_t i = 0; i + 1 < n; ++i) EXPECT_EQ(line["turns"][i]["text"], turns[i].text);
      EXPECT_EQ(line["turns"][n - 1]["text"], expected.at(id));
      EXPECT_EQ(line["turns"][n - 1]["speaker"], turns[n - 1].speaker);
    }
  }
}

TEST_F(Generate, LeavesOutAndCounts) {
  const Result all = heed_program(command(dir.path("all.jsonl")) + Arguments{"--decode", "greedy"});
  ASSERT_EQ(all.code, 0) << all.err;
  std::set<std::string> different;
  const auto with_repeated = lines(dir.read("all.jsonl"));
  for (const Json& line : with_repeated) different.insert(line["turns"].back()["text"]);
  ASSERT_LT(different.size(), with_repeated.size());  // a small model says few things
  ASSERT_EQ(heed_program(command(dir.path("some.jsonl")) +
                         Arguments{"--decode", "greedy", "--leave-out", "repeated,unk,human",
                                   "--json", dir.path("some.json")})
                .code,
            0);
  const Json json = Json::parse(dir.read("some.json"));
  EXPECT_EQ(lines(dir.read("some.jsonl")).size(), different.size());
  EXPECT_EQ(json["passages"], different.size());
  EXPECT_EQ(json["left_out"]["repeated"], with_repeated.size() - different.size());
  EXPECT_EQ(json["leave_out"], (Json{"repeated", "unk", "human"}));
}

TEST_F(Generate, WhatItWritesIsRead) {
  ASSERT_EQ(heed_program(command(dir.path("out.jsonl"))).code, 0);
  const Result r = heed_program({"score", "--model", kTrained, "--data", dir.path("out.jsonl")});
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST_F(Generate, RefusesWhatMakesNoSense) {
  expect_failure(heed_program(command("-") + Arguments{"--json", "-"}), 2, "cannot both be -", "-");
  expect_failure(heed_program(command("-") + Arguments{"--leave-out", "bad"}), 2,
                 "--leave-out: expected repeated, unk or human, got 'bad'", "--leave-out");
  expect_failure(heed_program(command("-") + Arguments{"--decode", "greedy", "--beam", "3"}), 2,
                 "--beam: only applies with --decode beam", "--beam");
  expect_failure(heed_program(command("-") + Arguments{"--beam-size", "2", "--beam", "3"}), 2,
                 "--beam-size: only applies without --beam", "--beam");
}

}  // namespace
}  // namespace heed
