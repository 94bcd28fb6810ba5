// heed score: tokens, utterances and attention of every dialogue, and what is not read of it.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/heed/program_data.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Score : public ProgramWithRun {
 protected:
  static Json score(const std::string& model, const std::string& data, const Arguments& more = {}) {
    return json_of(score_with(model, data) + Arguments{"--json", "-"} + more);
  }
};

TEST_F(Score, NamesTheUtterancesThatItsNumbersAreOf) {
  const Json scores = score(run(), odd_dialogues(dir));
  ASSERT_EQ(scores["per_example"].size(), 3u);
  const Json& d = scores["per_example"][0];
  EXPECT_EQ(d["id"], "long");
  EXPECT_EQ(d["first_utterance"], 10);  // of 14, from 0: the last four are read
  EXPECT_EQ(d["as_scores"].size(), 4u);
  EXPECT_EQ(d["utterances"].size(), 4u);
  EXPECT_EQ(d["cut"], Json({{"distractions", 1}, {"utterances", 0}, {"response", false}}));
  EXPECT_TRUE(d["das_ratio"].is_null());
  const Json& wide = scores["per_example"][1];
  EXPECT_EQ(wide["first_utterance"], 0);
  EXPECT_EQ(wide["cut"], Json({{"distractions", 0}, {"utterances", 1}, {"response", true}}));
  EXPECT_EQ(wide["utterances"][1].size(), 11u);  // 10 and <eou>
  EXPECT_EQ(wide["tokens"].size(), 51u);         // 50 and <eos>
  EXPECT_EQ(scores["left_out"]["dialogues"], Json({"short", "shorter"}));
}

TEST_F(Score, SummarizesTheRatiosOfTheDialogues) {
  const Json scores = score(kModel, kDialogs);
  std::vector<double> ratios;
  for (const Json& d : scores["per_example"]) {
    if (!d["das_ratio"].is_null()) ratios.push_back(d["das_ratio"]);
  }
  ASSERT_GE(ratios.size(), 3u);
  std::sort(ratios.begin(), ratios.end());
  const size_t n = ratios.size();
  const double median = (ratios[(n - 1) / 2] + ratios[n / 2]) / 2,
               mean = std::accumulate(ratios.begin(), ratios.end(), 0.0) / static_cast<double>(n);
  EXPECT_NEAR(scores["median_das_ratio"], median, 1e-9);
  EXPECT_NEAR(scores["mean_das_ratio"], mean, 1e-9);
}

TEST_F(Score, CountsTheDialoguesWithAResponse) {
  EXPECT_EQ(score(run(), odd_dialogues(dir))["dialogues"], 3);  // five, two of which are too short
}

TEST_F(Score, HasTheTokensThatTheModelSees) {
  const std::string data =
      dir.write("d.jsonl", dialogue("d", {"Hello, xyzzyq!", "*the", "is it ?", "xyzzyq the"}));
  const Json scores = score(run(), data), &d = scores["per_example"][0];
  EXPECT_EQ(d["tokens"], Json({"<unk>", "the", "<eos>"}));
  EXPECT_EQ(d["nll"].size(), 3u);
  EXPECT_EQ(d["utterances"][0].back(), "<eou>");
  EXPECT_EQ(d["utterances"][0][2], "<unk>");
  EXPECT_EQ(d["utterances"][1], Json({"the", "<eou>"}));
  EXPECT_EQ(d["distraction"], Json({false, true, false}));
  EXPECT_FALSE(d.contains("attention"));
  expect_made_with(scores["heed"], "score");
  EXPECT_EQ(scores["heed"]["dtype"], "f32");
  EXPECT_FALSE(scores["inputs"].contains("pool"));
}

// The attention scores are means over the attention of the steps.
TEST_F(Score, AttentionOfEveryStepOnRequest) {
  for (const std::string structure : {"non-hier", "static", "dynamic-ui"}) {
    const std::string model = kReference + structure;
    const Json scores = score(model, model + "/dialogs.jsonl", {"--attention", "--dtype", "f64"});
    EXPECT_EQ(scores["heed"]["dtype"], "f64");
    for (const Json& d : scores["per_example"]) {
      const size_t steps = d["nll"].size(), utterances = d["as_scores"].size();
      ASSERT_EQ(d["attention"].size(), steps);
      std::vector<double> sums(utterances, 0.0);
      for (const Json& step : d["attention"]) {
        const auto weights = step.get<std::vector<double>>();
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-9);
        size_t row = 0;
        for (size_t k = 0; k < utterances; ++k) {
          const size_t rows = structure == "non-hier" ? d["utterances"][k].size() : 1;
          for (size_t i = 0; i < rows; ++i) sums[k] += weights.at(row++);
        }
        EXPECT_EQ(row, weights.size());
      }
      size_t tokens = 0;
      for (const Json& utterance : d["utterances"]) tokens += utterance.size();
      for (size_t k = 0; k < utterances; ++k) {
        const bool of_tokens = structure == "non-hier";
        const double share =
            of_tokens ? static_cast<double>(d["utterances"][k].size()) / static_cast<double>(tokens)
                      : 1 / static_cast<double>(utterances);
        EXPECT_NEAR(d["as_scores"][k], sums[k] / static_cast<double>(steps) / share, 1e-9);
      }
    }
  }
  expect_failure(heed_program(score_with(kModel, kDialogs) + Arguments{"--attention"}), 2,
                 "--attention: only applies with --json FILE", "--attention");
}

// With the model that was read, and the unit of what was counted.
TEST_F(Score, SaysWhatItIsOf) {
  const std::string data = odd_dialogues(dir);
  const Json models = score(run(), data)["inputs"]["models"];
  EXPECT_EQ(models, Json::array({{{"path", run()},
                                  {"fingerprint", file_checksum(run() + "/model.safetensors")}}}));
  for (const auto& [examples, unit] : {std::pair("last", "dialogues"), {"all", "examples"}}) {
    const Result r = heed_program(score_with(run(), data) + Arguments{"--examples", examples});
    EXPECT_TRUE(has(r.out, std::string("median  ") + unit + "\nas given ")) << r.out;
  }
  expect_failure(
      heed_program(score_with(kModel, kDialogs) + Arguments{"--dtype", "f64", "--matmul", "f32"}),
      2, "--matmul: only applies with --dtype f32", "--matmul");
}

// Bits per character are the bits of all tokens over the characters.
TEST_F(Score, CountsTokensAndCharacters) {
  const Json scores = score(kModel, kDialogs);
  double nll = 0;
  size_t tokens = 0;
  for (const Json& d : scores["per_example"]) {
    for (const Json& of_token : d["nll"]) nll += of_token.get<double>();
    tokens += d["tokens"].size();
  }
  EXPECT_EQ(scores["tokens"], tokens);
  EXPECT_NEAR(scores["bits_per_character"].get<double>() * scores["characters"].get<double>(),
              nll / std::log(2.0), 1e-4 * nll);
}

// Of every layer and head its own column, with its DAS ratio, or without distractions with the
// attention on the history.
TEST_F(Score, EachHeadHasItsNumbers) {
  const std::string model = kReference + "transformer";
  const auto expect_columns = [&](const std::string& data, const char* key, double factor,
                                  const char* format) {
    const Result r =
        heed_program(score_with(model, data) + Arguments{"--json", dir.path("heads.json")});
    ASSERT_EQ(r.code, 0) << r.err;
    const Json heads = Json::parse(dir.read("heads.json"))["heads"];
    std::string titles, values;
    for (int layer = 1; layer <= 2; ++layer) {
      for (int head = 1; head <= 2; ++head) {
        const Json& found = heads.at(static_cast<size_t>(2 * layer + head - 3));
        EXPECT_EQ(found["layer"], layer);
        EXPECT_EQ(found["head"], head);
        titles += " +layer " + std::to_string(layer) + " head " + std::to_string(head);
        char text[32];
        std::snprintf(text, sizeof text, format, factor * found[key].get<double>());
        values += std::string(" +") + text;
      }
    }
    EXPECT_TRUE(std::regex_search(r.out, std::regex(titles + "\n.*" + values + "\n")))
        << titles << values << r.out;
  };
  expect_columns(model + "/dialogs.jsonl", "das_ratio", 1, "%.3f");
  expect_columns(dir.write("d.jsonl", dialogue("d", {"a", "b", "c", "d"})), "as_history", 100,
                 "%.1f%%");
}

TEST_F(Score, ReadsDirectoriesAndLimits) {
  const Json scores = score(run(), kSample, {"--limit", "3", "--examples", "all"});
  EXPECT_EQ(scores["inputs"]["data"]["path"], kTestPart);
  EXPECT_EQ(scores["inputs"]["data"]["dialogues"], 3);
  EXPECT_GT(scores["per_example"].size(), 3u);
  const std::string id = scores["per_example"][0]["id"];
  EXPECT_EQ(id.substr(id.find('#')), "#3");
}

}  // namespace
}  // namespace heed
