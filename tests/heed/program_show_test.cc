// heed show: utterances by their place, dialogues without a pool, and what a page is made with.
#include "tests/heed/program_data.h"

namespace heed {
namespace {

class Show : public ProgramWithRun {
 protected:
  static Result show(const std::string& data, const Arguments& more) {
    return heed_program(Arguments{"show", "--model", run(), "--data", data} + more);
  }
};

TEST_F(Show, NumbersUtterancesByTheirPlaceInTheDialogue) {
  const std::string data = odd_dialogues(dir);
  const Result r = show(data, {"--test", "none", "--id", "long", "--html", dir.path("page.html")});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.out, "(10 earlier turns are not read)")) << r.out;
  EXPECT_TRUE(has(r.out, "11   hello there")) << r.out;
  EXPECT_TRUE(has(r.out, "14 ? hello there")) << r.out;
  EXPECT_TRUE(has(r.err, "1 distraction not read, in 1 dialogue")) << r.err;
  const std::string html = dir.read("page.html");
  EXPECT_TRUE(has(html, "(10 earlier turns are not read)"));
  EXPECT_TRUE(has(html, "<span class=\"k\">11</span>"));
  EXPECT_FALSE(has(html, "<span class=\"k\">1</span>"));
}

TEST_F(Show, AsManyDialoguesAsAskedFor) {
  const Result r = show(kSample, {"--test", "none", "--limit", "20", "--count", "3"});
  ASSERT_EQ(r.code, 0) << r.err;
  size_t shown = 0;
  for (size_t at = 0; (at = r.out.find("\nhuman: ", at)) != r.out.npos; ++at) ++shown;
  EXPECT_EQ(shown, 3u) << r.out;
  expect_failure(show(kSample, {"--count", "0"}), 2, "--count: expected a whole number from 1",
                 "none");
}

// Attention of THRED is on states that have read the utterances before, which is said wherever its
// scores stand; of other models nothing is said.
TEST_F(Show, MarksAttentionAfterIntegration) {
  const std::string thred = dir.path("thred");
  ASSERT_EQ(heed_program(tiny_training(thred) + Arguments{"--structure", "thred"}).code, 0);
  for (const auto& [model, marked] : {std::pair(thred, true), {run(), false}}) {
    SCOPED_TRACE(model);
    const Arguments some = {"--model", model, "--data", kTestPart, "--limit", "3"};
    const Result evaluated = heed_program(
        Arguments{"evaluate", "--test", "rare:end", "--json", dir.path("e.json")} + some);
    const Result shown = heed_program(
        Arguments{"show", "--test", "rare:end", "--html", dir.path("page.html")} + some);
    const std::string says = "Attention is after integration: ";
    EXPECT_EQ(has(evaluated.out, "\n" + says), marked) << evaluated.out << evaluated.err;
    EXPECT_EQ(nlohmann::json::parse(dir.read("e.json"))["after_integration"], marked);
    EXPECT_EQ(has(shown.out, "thred: " + says), marked) << shown.out << shown.err;
    EXPECT_EQ(has(dir.read("page.html"), "thred, attention after integration"), marked);
  }
}

// Beside each other both models have the numbers that they have alone.
TEST_F(Show, EachModelHasItsOwnNumbers) {
  const std::string models = source_dir() + "/data/models/";
  const auto numbers = [&](const Arguments& which) {
    const Result r = heed_program(
        Arguments{"show", "--data", kTestPart, "--limit", "3", "--test", "none"} + which);
    EXPECT_EQ(r.code, 0) << r.err;
    const std::regex percent(R"(\d+ %)");
    return std::vector<std::string>(std::sregex_token_iterator(r.out.begin(), r.out.end(), percent),
                                    {});
  };
  const auto trained = numbers({"--model", models + "trained"}),
             baseline = numbers({"--model", models + "baseline"}),
             both = numbers({"--model", models + "trained", "--baseline", models + "baseline"});
  ASSERT_EQ(trained.size(), baseline.size());
  EXPECT_NE(trained, baseline);
  std::vector<std::string> expected;
  for (size_t i = 0; i < trained.size(); ++i) {
    expected.push_back(baseline[i]);
    expected.push_back(trained[i]);
  }
  EXPECT_EQ(both, expected);
}

TEST_F(Show, OneDialogueAloneHasAPage) {
  const std::string data = dir.write("one.jsonl", dialogue("d", {"a", "b", "c"}));
  const std::string page = dir.path("page.html");
  for (const char* test : {"none", "rare:middle"}) {
    const Result r = show(data, {"--test", test, "--html", page});
    EXPECT_EQ(r.code, 0) << test << r.err;
    EXPECT_TRUE(has(dir.read("page.html"), "rare, end"));
    EXPECT_FALSE(has(dir.read("page.html"), "random"));
    std::filesystem::remove(page);
  }
  expect_failure(show(data, {"--html", page}), 2, "give --pool FILE or DIR, or --data DIR",
                 "random");
  EXPECT_FALSE(std::filesystem::exists(page));
  const Result pooled = show(data, {"--pool", kTestPart, "--test", "none", "--html", page});
  EXPECT_EQ(pooled.code, 0) << pooled.err;
  EXPECT_TRUE(has(dir.read("page.html"), "random, p = 0.7"));
}

// The number is that of two `heed score` over what `heed distract` wrote.
TEST_F(Show, SaysInHowManyExamplesTheRatioIsLower) {
  const std::string models = source_dir() + "/data/models/", distracted = dir.path("d.jsonl");
  const Arguments few = {"--data", kSample, "--limit", "30", "--test", "random:0.5"};
  const Result r = heed_program(Arguments{"show", "--html", dir.path("page.html")} + few);
  ASSERT_EQ(r.code, 0) << r.err;
  ASSERT_EQ(
      heed_program(Arguments{"distract", "--examples", "all", "--out", distracted} + few).code, 0);
  std::vector<nlohmann::json> scored;
  for (const char* model : {"baseline", "trained"}) {
    const std::string json = dir.path(std::string(model) + ".json");
    ASSERT_EQ(heed_program({"score", "--model", models + model, "--data", distracted, "--examples",
                            "last", "--json", json})
                  .code,
              0);
    scored.push_back(nlohmann::json::parse(dir.read(std::string(model) + ".json"))["per_example"]);
  }
  int lower = 0, all = 0;
  for (size_t i = 0; i < scored[0].size(); ++i) {
    const auto &first = scored[0][i]["das_ratio"], &last = scored[1][i]["das_ratio"];
    if (first.is_null() || last.is_null()) continue;
    ++all;
    lower += last.get<double>() < first.get<double>();
  }
  EXPECT_TRUE(0 < lower && lower < all && all < static_cast<int>(scored[0].size())) << lower;
  const std::string said = std::regex_replace(r.out, std::regex("\n"), " ");
  EXPECT_TRUE(
      has(said, " in " + std::to_string(lower) + " of " + std::to_string(all) + " examples;"))
      << r.out;
}

TEST_F(Show, APageSaysWhatItIsMadeWith) {
  const Result r =
      show(kTestPart, {"--limit", "5", "--test", "rare:end", "--html", dir.path("page.html")});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string html = dir.read("page.html");
  for (const char* part : {">version</th><td>", ">commit</th><td>", ">device</th><td>cpu<",
                           ">limit</th><td>5<", ">data fingerprint</th>", ">models 1 path</th>",
                           ">rare</th><td>would you have lunch ?, i should"}) {
    EXPECT_TRUE(has(html, part)) << part;
  }
  EXPECT_FALSE(has(html, source_dir()));  // others will see it
}

}  // namespace
}  // namespace heed
