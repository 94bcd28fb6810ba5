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

// The table below has the numbers of `heed evaluate` for each model and set, by the same seed; the
// ratios of chosen dialogues are those of `heed score` on what `heed distract` writes.
TEST_F(Show, ATableHasTheNumbersOfTheCommandThatEvaluates) {
  const std::string models = source_dir() + "/data/models/";
  const Arguments few = {"--data", kTestPart, "--pool", kTestPart,   "--limit",
                         "12",     "--seed",  "7",      "--threads", "1"};
  const Result r = heed_program(Arguments{"show", "--model", models + "trained", "--baseline",
                                          models + "baseline", "--test", "random:0.7", "--html",
                                          dir.path("page.html"), "--count", "12"} +
                                few);
  ASSERT_EQ(r.code, 0) << r.err;
  std::vector<nlohmann::json> sets;
  for (const char* model : {"baseline", "trained"}) {
    const std::string out = dir.path("e.json");
    ASSERT_EQ(
        heed_program(
            Arguments{"evaluate", "--model", models + model, "--test", "all", "--json", out} + few)
            .code,
        0);
    sets.push_back(nlohmann::json::parse(dir.read("e.json"))["test_sets"]);
  }
  const auto number = [](const nlohmann::json& x, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, x.get<double>());
    return std::string(text);
  };
  size_t random = 0;
  for (const auto& [name, set] : sets[0].items()) {
    const nlohmann::json& other = sets[1][name];
    const bool none = name == "none";
    const std::string row =
        none ? "\noriginal +" + number(set["perplexity"], 1) + " +" + number(other["perplexity"], 1)
             : "\n" + name + " +" + number(set["das_ratio"], 2) + " +" +
                   number(other["das_ratio"], 2);
    EXPECT_TRUE(std::regex_search(r.out, std::regex(row + "\n"))) << row << "\n" << r.out;
    random += name.starts_with("random:");
  }
  EXPECT_EQ(random, 3u);
  const std::string html = dir.read("page.html");
  EXPECT_TRUE(std::regex_search(html, std::regex(">\\d\\d+ examples\\. Inserted")));
}

// What is inserted and what is drawn depend on the seed, in whatever is shown.
TEST_F(Show, EachSeedDrawsAnew) {
  const auto shown = [&](const char* test, const char* decode, const char* seed) {
    const Result r =
        heed_program({"show", "--model", kTrained, "--data", kSample, "--limit", "4", "--count",
                      "4", "--test", test, "--decode", decode, "--seed", seed, "--threads", "1"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const auto lines = [](const std::string& text, const std::string& expression) {
    const std::regex regex(expression);
    return std::vector<std::string>(std::sregex_token_iterator(text.begin(), text.end(), regex),
                                    {});
  };
  const std::string distraction = "\\d (✗|x) [^\n]*", written = "\ntrained: [^\n]*";
  const std::string first = shown("random:1.0", "greedy", "1"),
                    second = shown("random:1.0", "greedy", "2");
  EXPECT_EQ(lines(first, distraction).size(), 8u) << first;
  EXPECT_NE(lines(first, distraction), lines(second, distraction));
  EXPECT_EQ(shown("random:1.0", "greedy", "1"), first);
  const std::string drawn = shown("none", "sample", "1");
  EXPECT_EQ(lines(drawn, written).size(), 4u) << drawn;
  EXPECT_NE(lines(drawn, written), lines(shown("none", "sample", "2"), written));
  EXPECT_EQ(shown("none", "sample", "1"), drawn);
}

// A name that is given is the first model's, and the rest are those of the directories; two of one
// name are told apart by what they are.
TEST_F(Show, NamesItsModels) {
  const auto head = [&](const Arguments& models) {
    const Result r = heed_program(
        Arguments{"show", "--data", kTestPart, "--limit", "1", "--test", "none"} + models);
    EXPECT_EQ(r.code, 0) << r.err;
    std::smatch found;
    EXPECT_TRUE(std::regex_search(r.out, found, std::regex("(▸|>) [^\n]*\n(\\S+) +(\\S+)\n")))
        << r.out;
    return found[2].str() + " " + found[3].str();
  };
  const Arguments both = {"--model", run(), "--baseline", kTrained};
  EXPECT_EQ(head(both), "trained run");
  EXPECT_EQ(head(both + Arguments{"--name", "mine"}), "mine run");
  EXPECT_EQ(head(both + Arguments{"--name", "mine", "yours"}), "mine yours");
  EXPECT_EQ(head({"--model", run(), "--baseline", run()}), "baseline model");
  expect_failure(
      heed_program(Arguments{"show", "--data", kTestPart, "--name", "a", "b", "c"} + both), 2,
      "--name: more names than models", "three");
  expect_failure(show(kTestPart, {"--id", "x", "--count", "2"}), 2,
                 "--count: only applies without --id", "both");
}

// A page says how each model was trained.
TEST_F(Show, DescribesItsModels) {
  const auto describes = [&](const nlohmann::json& changes) {
    const std::string copy = dir.path("copy");
    std::filesystem::remove_all(copy);
    std::filesystem::copy(kTrained, copy);
    auto settings = nlohmann::json::parse(dir.read("copy/settings.json"));
    settings.update(changes);
    dir.write("copy/settings.json", settings.dump());
    const Result r =
        heed_program({"show", "--model", copy, "--data", kTestPart, "--limit", "2", "--test",
                      "none", "--html", dir.path("page.html"), "--count", "1"});
    EXPECT_EQ(r.code, 0) << r.err;
    const std::string html = dir.read("page.html"), begin = "<strong>copy</strong>: ";
    const size_t at = html.find(begin) + begin.size();
    return html.substr(at, html.find('<', at) - at);
  };
  EXPECT_EQ(describes(nlohmann::json::object()),
            "static-ui, distractions in training (p = 0.7) with the attention loss");
  EXPECT_EQ(describes({{"own_distractions", true}, {"insert_prob", 0.25}, {"attention_weight", 0}}),
            "static-ui, own utterances as distractions in training (p = 0.25) without the "
            "attention loss");
  EXPECT_EQ(describes({{"insert_prob", 0}, {"attention_weight", 0}}),
            "static-ui, no distractions in training");
}

// Without a page what is left out is told of the shown dialogues, with one of all that it measures;
// that the dialogues are the first ones is told unless they were chosen.
TEST_F(Show, TellsWhatItDoesNotReadOfWhatItShows) {
  const std::string data =
      dir.write("two.jsonl",
                dialogue("a", {"hello", "what is it", "ok"}) +
                    dialogue("b", {"x", "y", "*z", "u", "v", "w", "hello there", "a", "b", "c"}));
  const Arguments pair = {"--baseline", kTrained, "--test", "rare:end"};
  const auto page = Arguments{"--html", dir.path("page.html")};
  const auto err = [&](const Arguments& more) {
    const Result r = show(data, Arguments{"--test", "none"} + more);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.err;
  };
  EXPECT_FALSE(has(err({"--count", "1"}), "not read")) << err({"--count", "1"});
  EXPECT_TRUE(has(err({"--id", "b"}), "not read"));
  EXPECT_TRUE(has(err(Arguments{"--count", "1"} + page), "not read"));
  const Result first = show(data, pair + page),
               chosen = show(data, pair + page + Arguments{"--id", "a"});
  ASSERT_EQ(first.code + chosen.code, 0) << first.err << chosen.err;
  const auto said = [](const Result& r) {
    return std::regex_replace(r.out, std::regex("\n"), " ");
  };
  EXPECT_TRUE(has(said(first), "examples; these are the first ones, not chosen")) << first.out;
  EXPECT_TRUE(has(said(chosen), " of 2 examples")) << chosen.out;
  EXPECT_FALSE(has(said(chosen), "not chosen")) << chosen.out;
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
