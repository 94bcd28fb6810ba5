// heed reproduce carryover, as people call it.
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/golden.h"
#include "tests/heed/program_carry_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

TEST(CarryExperiment, IsReproduced) {
  const TempDir dir;
  const Arguments command = {
      "reproduce", "carryover", "--data",       hotel_items(), "--out",    dir.path("out"),
      "--width",   "8",         "--vocab",      "200",         "--epochs", "1",
      "--one-of",  "1",         "--distracted", "20"};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, " epoch  1 of 1  valid F1 ")) << r.out;
  const Json one = Json::parse(dir.read("out/pointer-turn-seed1/evaluation.json"), nullptr, false);
  EXPECT_EQ(one["rules"]["everything"]["f1_carried"], 1);
  EXPECT_EQ(one["f1_carried_top"].size(), 30u);
  size_t measures = 0;  // what intervals are drawn of
  for (const auto& [key, top] : one.items()) {
    if (!key.ends_with("_top")) continue;
    const std::string name = key.substr(0, key.size() - 4);
    double hits = 0, all = 0;
    for (const Json& x : top) hits += x.get<double>();
    for (const Json& x : one[name + "_bottom"]) all += x.get<double>();
    if (all == 0) continue;
    EXPECT_DOUBLE_EQ(one[name], hits / all) << name;
    measures += hits > 0;
  }
  EXPECT_GT(measures, 3u);
  EXPECT_EQ(one["groups"]["cross"]["2"]["right"], 30);
  EXPECT_TRUE(one["look"].contains("2"));
  const std::map<std::string, std::string> forms = {
      {"independent", "independent temporal lstm"},
      {"pointer-none", "pointer none lstm"},
      {"pointer-turn", "pointer turn lstm"},
      {"pointer-temporal", "pointer temporal lstm"},
      {"pointer-average", "pointer temporal average"},
      {"self-attention", "self-attention temporal lstm"}};
  for (const auto& [variant, form] : forms) {
    const Json config = Json::parse(dir.read("out/" + variant + "-seed1/config.json"));
    std::string words;
    for (const char* key : {"decoder", "order", "value"}) {
      words += (words.empty() ? "" : " ") + config[key].get<std::string>();
    }
    EXPECT_EQ(words, form);
  }
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("carryover");
  const std::string claims = dir.read("out/tables/claims.md");
  EXPECT_TRUE(has(claims, "Self-attention is best overall")) << claims;
  const std::string f1 = dir.read("out/tables/f1.md");
  EXPECT_TRUE(has(f1, "latest value of a key")) << f1;
  const Result report = heed_program({"report", dir.path("out"), "--html", dir.path("page.html")});
  EXPECT_EQ(report.code, 0) << report.err;
  EXPECT_TRUE(has(dir.read("page.html"), "Slot carryover"));
}

}  // namespace
}  // namespace heed
