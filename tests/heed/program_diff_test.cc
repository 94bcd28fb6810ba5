// heed diff and heed plot of logs that are made by hand.
#include <optional>

#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class HandMadeLogs : public ProgramWithRun {
 protected:
  struct Epoch {
    double loss = 1;
    std::optional<double> valid;  // perplexity; none: not a number
    bool train = true;            // whether there is one of the training
  };
  // The run with another log.
  std::string with_log(const std::string& name, const std::vector<Epoch>& epochs) const {
    std::filesystem::copy(run(), dir.path(name));
    std::string log;
    for (size_t i = 0; i < epochs.size(); ++i) {
      Json line = {{"epoch", i + 1}, {"loss", epochs[i].loss},
                   {"rate", 1},      {"grad_norm", 5},
                   {"steps", 1},     {"tokens", 1}};
      if (epochs[i].train) line["train_perplexity"] = 7;
      line["valid_perplexity"] = epochs[i].valid ? Json(*epochs[i].valid) : Json();
      log += line.dump() + "\n";
    }
    dir.write(name + "/log.jsonl", log);
    return dir.path(name);
  }
  static Json diff(const std::string& first, const std::string& second) {
    return json_of({"diff", first, second, "--json", "-"});
  }
};

// The second log lacks a column of the first, so that the others stand elsewhere.
TEST_F(HandMadeLogs, ColumnsAreComparedByTheirNames) {
  const std::string all = with_log("all", {{3, 5}, {2, 4}}),
                    fewer = with_log("fewer", {{3, 5, false}, {2, 4, false}});
  for (const Json& json : {diff(all, fewer), diff(fewer, all)}) {
    EXPECT_EQ(json["first_difference"], nullptr);
    size_t rows = 0;
    for (const Json& row : json["best"]) {
      EXPECT_EQ(row["change"], 0) << row;
      EXPECT_NE(row["name"], "train_perplexity");
      ++rows;
    }
    EXPECT_EQ(rows, 7u);
  }
}

TEST_F(HandMadeLogs, TheFirstDifferenceIsOfItsEpoch) {
  const Json json =
      diff(with_log("a", {{3, 5}, {2, 4}, {1, 3}}), with_log("b", {{3, 5}, {2.5, 4}, {1.5, 2}}));
  EXPECT_EQ(json["first_difference"]["epoch"], 2);
  EXPECT_EQ(json["first_difference"]["columns"],
            Json::array({{{"name", "loss"}, {"a", 2}, {"b", 2.5}}}));
  EXPECT_EQ(json["epochs_in_both"], 3);
}

// Six digits would say that nothing differs.
TEST_F(HandMadeLogs, ADifferenceBehindTheSixthDigitIsSeen) {
  const Result r =
      heed_program({"diff", with_log("a", {{3, 5}}), with_log("b", {{3.00000025, 5}})});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "3.00000025")) << r.out;
}

// Not as other columns of the tables are.
TEST_F(HandMadeLogs, RunsAreNamedApart) {
  const Json json = diff(with_log("name", {{3, 5}}), with_log("change", {{2, 4}}));
  EXPECT_EQ(json["names"], Json::array({"run name", "run change"}));
  EXPECT_EQ(json["best"][1],
            Json({{"name", "loss"}, {"run name", 3}, {"run change", 2}, {"change", -1}}));
}

TEST_F(HandMadeLogs, EachRunHasABestEpochOfItsOwn) {
  const Json best = diff(with_log("later", {{3, 5}, {2, 4}, {1, 6}}),
                         with_log("sooner", {{4, 2.5}, {2, 4}}))["best"];
  const std::map<std::string, std::vector<double>> expected = {
      {"best epoch", {2, 1, -1}}, {"loss", {2, 4, 2}}, {"valid_perplexity", {4, 2.5, -1.5}}};
  size_t found = 0;
  for (const Json& row : best) {
    if (!expected.contains(row["name"].get<std::string>())) continue;
    ++found;
    EXPECT_EQ((std::vector<double>{row["later"], row["sooner"], row["change"]}),
              expected.at(row["name"].get<std::string>()))
        << row;
  }
  EXPECT_EQ(found, expected.size());
}

// 4, 2 and 1 with the weight 0.75: (0.75 (0.75 * 1 + 0.25 * 2) + 0.25 * 1) / (1 - 0.75^3). Of an
// epoch without a number the mean is left as it is.
TEST_F(HandMadeLogs, ASmoothedCurveIsAnExponentialMean) {
  const auto lowest = [&](const std::vector<Epoch>& epochs, const std::string& name) {
    const Result r = heed_program({"plot", with_log(name, epochs), "--smooth", "0.75"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out.substr(std::min(r.out.find("lowest "), r.out.size()));
  };
  const std::string three = lowest({{1, 4}, {1, 2}, {1, 1}}, "three");
  EXPECT_TRUE(three.starts_with("lowest 2.054 at epoch 3, last 2.054")) << three;
  const std::string gap = lowest({{1, 4}, {1, {}}, {1, 1}}, "gap");
  EXPECT_TRUE(gap.starts_with("lowest 2.286 at epoch 3, last 2.286")) << gap;
}

}  // namespace
}  // namespace heed
