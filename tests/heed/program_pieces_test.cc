// heed train --tokens bpe, and what the other commands make of such a model.
#include <cmath>

#include "dialog/text/tokenizer.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class ModelsOfPieces : public ProgramWithRun {
 protected:
  static Arguments training(const std::string& out) {
    return with(tiny_training(out), "--vocab", "400") + Arguments{"--tokens", "bpe"};
  }
  static Arguments on_sample(const std::string& command, const std::string& model) {
    return {command, "--model", model, "--data", kSample, "--limit", "40", "--json", "-"};
  }
  // The original test set by heed evaluate.
  static Json measured(const std::string& model) {
    const Arguments one = {"--test", "none", "--per-example"};
    return json_of(on_sample("evaluate", model) + one)["test_sets"]["none"];
  }
};

TEST_F(ModelsOfPieces, AreTrainedOnMeasuredAndSpoken) {
  const std::string model = dir.path("bpe");
  ASSERT_EQ(heed_program(training(model)).code, 0);
  EXPECT_EQ(Json::parse(dir.read("bpe/settings.json"))["tokens"], "bpe");
  EXPECT_NE(dir.read("bpe/log.jsonl").find("valid_bits_per_character"), std::string::npos);
  const Json info = json_of({"info", model, "--json", "-"});
  EXPECT_EQ(info["vocabulary"]["kind"], "bpe");
  EXPECT_EQ(info["vocabulary"]["tokens"], 400);
  const Result card = heed_program({"info", model, "--card", "-"});
  EXPECT_TRUE(has(card.out, "## Limits\n") && !has(card.out, "<unk>")) << card.out << card.err;

  // The same text as that of words, so the same characters, in other tokens.
  const Json pieces = measured(model), words = measured(run());
  EXPECT_EQ(pieces["characters"], words["characters"]);
  EXPECT_EQ(pieces["unknown_characters"], 0);
  EXPECT_GT(words["unknown_characters"], 0.1);
  EXPECT_LT(words["unknown_characters"], 0.9);
  EXPECT_GT(pieces["tokens"], words["tokens"]);
  double nats = 0;
  for (const Json& e : pieces["per_example"]) nats += e["nll"].get<double>();
  EXPECT_NEAR(pieces["bits_per_character"],
              nats / std::log(2.0) / pieces["characters"].get<double>(), 1e-9);

  const Json scored = json_of(on_sample("score", model))["per_example"][0];
  EXPECT_EQ(scored["utterances"][0][0].get<std::string>().rfind("\u2581", 0), 0u);

  // Responses are of words, and so is what is measured of them.
  const Arguments sample = {"--decode", "sample", "--max-length", "12"};
  const Json spoken =
      json_of(on_sample("respond", model) + sample + Arguments{"--out", dir.path("r.jsonl")});
  double length = 0, responses = 0;
  std::istringstream lines(dir.read("r.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const std::string response = Json::parse(line)["response"];
    EXPECT_EQ(response.find("\u2581"), std::string::npos) << response;
    length += static_cast<double>(tokenize(response).size());
    responses += 1;
  }
  EXPECT_NEAR(spoken["responses"]["mean_length"], length / responses, 0.5);
}

TEST_F(ModelsOfPieces, AreLearnedAgainToTheSameFile) {
  ASSERT_EQ(heed_program(training(dir.path("one"))).code, 0);
  ASSERT_EQ(heed_program(with(training(dir.path("two")), "--threads", "2")).code, 0);
  for (const char* file : {"/vocab.txt", "/log.jsonl", "/model.safetensors"}) {
    EXPECT_EQ(dir.read(std::string("one") + file), dir.read(std::string("two") + file)) << file;
  }
  const Arguments more = {"train",         "--data",   kSample,    "--out",
                          dir.path("one"), "--resume", "--epochs", "2"};
  ASSERT_EQ(heed_program(more).code, 0);
  const Arguments words = {"train",         "--data",   kSample,    "--out",
                           dir.path("one"), "--resume", "--tokens", "words"};
  expect_failure(heed_program(words), 2, "was started with bpe", "--tokens");
}

TEST_F(ModelsOfPieces, AreComparedWithWordsByCharacters) {
  const std::string model = dir.path("bpe");
  ASSERT_EQ(heed_program(training(model)).code, 0);
  const Result r = heed_program({"compare", run(), model, "--data", kSample, "--limit", "40",
                                 "--test", "none", "--json", dir.path("c.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.err.find("bits per character can"), std::string::npos) << r.err;
  EXPECT_NE(r.out.find("bits per character\n"), std::string::npos) << r.out;
  const Json rows = Json::parse(dir.read("c.json"))["rows"];
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0]["measure"], "perplexity");
  EXPECT_FALSE(rows[0]["runs"][1].contains("change"));
  EXPECT_EQ(rows[1]["measure"], "bits_per_character");
  EXPECT_TRUE(rows[1]["runs"][1].contains("change"));
  const double expected = measured(model)["bits_per_character"];
  EXPECT_NEAR(rows[1]["runs"][1]["estimate"]["value"], expected, 1e-9);
}

TEST_F(ModelsOfPieces, ShowAndChatSpeakWords) {
  const std::string model = dir.path("bpe");
  ASSERT_EQ(heed_program(training(model)).code, 0);
  const Result shown = heed_program({"show", "--model", model, "--data", kSample, "--count", "2"});
  ASSERT_EQ(shown.code, 0) << shown.err;
  EXPECT_EQ(shown.out.find("\u2581"), std::string::npos) << shown.out;
  dir.write("typed", "zxqj!\n");
  const Result chat =
      heed_program({"chat", "--model", model, "--decode", "sample"}, "", dir.path("typed"));
  ASSERT_EQ(chat.code, 0) << chat.err;
  EXPECT_EQ(chat.out.find("not in the vocabulary"), std::string::npos) << chat.out;
  EXPECT_EQ(chat.out.find("\u2581"), std::string::npos) << chat.out;
}

TEST_F(ModelsOfPieces, NeedRoomForTheBytes) {
  const Arguments few = with(training(dir.path("few")), "--vocab", "200");
  expect_failure(heed_program(few), 2, "vocab: expected 261 or more with tokens bpe", "--vocab");
  expect_failure(heed_program(with(training(dir.path("few")), "--tokens", "letters")), 2,
                 "--tokens", "--tokens");
  EXPECT_FALSE(std::filesystem::exists(dir.path("few")));
}

}  // namespace
}  // namespace heed
