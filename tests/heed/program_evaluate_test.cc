// heed evaluate: what it reads, what it says is not read, and what stands in its results.
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class Evaluate : public ProgramWithRun {
 protected:
  static Arguments command(const std::string& data) {
    return {"evaluate", "--model", run(), "--data", data, "--json", "-"};
  }
  static Json evaluate(const std::string& data, const Arguments& more = {}) {
    return json_of(command(data) + more);
  }
};

// ---- data and pool ------------------------------------------------------------------------------

TEST_F(Evaluate, DataIsADirectoryOrAFile) {
  const Arguments random = {"--limit", "20", "--test", "random:1.0"};
  const Json whole = evaluate(kSample, random);
  EXPECT_EQ(whole["inputs"]["data"]["path"], kTestPart);
  EXPECT_EQ(whole["inputs"]["data"]["dialogues"], 20);
  EXPECT_EQ(whole["inputs"]["pool"]["path"], kSample + "/train.jsonl.gz");
  EXPECT_EQ(whole["inputs"]["pool"]["dialogues"], 12208);
  for (const std::string& pool : {kSample, kSample + "/train.jsonl.gz"}) {
    const Json file = evaluate(kTestPart, random + Arguments{"--pool", pool});
    EXPECT_EQ(file["test_sets"], whole["test_sets"]) << pool;
    EXPECT_EQ(file["inputs"], whole["inputs"]) << pool;
  }
  const Json other = evaluate(kSample, random + Arguments{"--pool", kTestPart});
  EXPECT_NE(other["test_sets"], whole["test_sets"]);
}

TEST_F(Evaluate, RandomDistractionsNeedAPool) {
  for (const char* sets : {"all", "random", "none,random:0.5"}) {
    expect_failure(heed_program(command(kTestPart) + Arguments{"--test", sets}), 2,
                   "give --pool FILE or DIR, or --data DIR", sets);
  }
  std::filesystem::create_directories(dir.path("data"));
  std::filesystem::copy(kTestPart, dir.path("data/test.jsonl.gz"));
  expect_failure(heed_program(command(dir.path("data"))), 1, "holds neither train.jsonl",
                 "no train");
}

TEST_F(Evaluate, OneDialogueNeedsNoPoolForPhrases) {
  const std::string data = dir.write("one.jsonl", dialogue("d", {"a", "b", "c"}));
  const Json results = evaluate(data, {"--test", "none,frequent,rare"});
  EXPECT_EQ(results["test_sets"].size(), 7u);
  EXPECT_TRUE(results["inputs"]["pool"].is_null());
}

TEST_F(Evaluate, ListsOfTestSets) {
  const Json results = evaluate(kSample, {"--limit", "5", "--test", "rare:end,random:0.25,rare"});
  EXPECT_EQ(results["inputs"]["test"],
            Json({"rare:end", "random:0.25", "rare:begin", "rare:middle"}));
  EXPECT_EQ(results["test_sets"].size(), 4u);
  for (const char* wrong : {"", "none,", "none,,rare", "rare:end;none", "none, rare", "Random"}) {
    expect_failure(heed_program(command(kTestPart) + Arguments{"--test", wrong}), 2,
                   "unknown test set", wrong);
  }
}

// ---- responses ----------------------------------------------------------------------------------

TEST_F(Evaluate, MeasuresResponsesAsRespondDoes) {
  const std::string model = source_dir() + "/data/models/baseline";  // which does answer
  const Arguments some = {"--limit", "20"};
  const Json written = json_of(Arguments{"respond", "--model", model, "--data", kTestPart, "--out",
                                         dir.path("out.jsonl"), "--json", "-"} +
                               some);
  ASSERT_GT(written["responses"]["mean_length"], 0);
  const Arguments asked = some + Arguments{"--test", "rare:end", "--responses"};
  const auto evaluated = [&](const Arguments& more) {
    return json_of(Arguments{"evaluate", "--model", model, "--data", kTestPart, "--json", "-"} +
                   more);
  };
  const Json json = evaluated(asked);
  EXPECT_EQ(json["responses"], written["responses"]);
  EXPECT_EQ(json["human"], written["human"]);
  EXPECT_FALSE(evaluated(some + Arguments{"--test", "none"}).contains("responses"));
  EXPECT_EQ(evaluated(asked + Arguments{"--ranks", "2"})["responses"], written["responses"]);
  const Result r = heed_program({"evaluate", "--model", model, "--data", kTestPart, "--limit", "20",
                                 "--test", "none", "--responses"});
  EXPECT_TRUE(std::regex_search(r.out, std::regex("BLEU-2 +ROUGE-L +METEOR"))) << r.out;
  EXPECT_TRUE(has(r.out, "\n65 examples\n")) << r.out;
}

// ---- relevance ----------------------------------------------------------------------------------

// "you" and "it" go together: the distraction is "it", which the history, "to", is not. So
// attention agrees where it looks at the distraction more.
TEST_F(Evaluate, ComparesAttentionWithRelevance) {
  std::string train, test;
  for (int i = 0; i < 24; ++i) {
    const std::string id = "d" + std::to_string(i);
    train += i % 2 == 0 ? dialogue(id, {"you", "it"}) : dialogue(id, {"the", "to"});
    test += dialogue(id, {"to", "you", i % 2 == 0 ? "it is" : "the"});
  }
  const std::string counted = dir.write("train.jsonl", train);
  const Arguments asked = {"--test", "none,frequent:begin", "--frequent", "it", "--pmi", counted};
  const Json sets = evaluate(dir.write("test.jsonl", test), asked)["test_sets"];
  EXPECT_TRUE(sets["none"]["relevance"]["das_ratio"].is_null());
  EXPECT_EQ(sets["none"]["relevance"]["as_history"], 1);
  EXPECT_TRUE(sets["none"]["relevance"]["agreement"].is_null());
  const Json& found = sets["frequent:begin"]["relevance"];
  EXPECT_NEAR(found["as_distraction"].get<double>(), 2, 1e-12);
  EXPECT_EQ(found["as_history"], 0);
  EXPECT_TRUE(found["das_ratio"].is_null());
  EXPECT_EQ(found["agreement"]["value"], sets["frequent:begin"]["das_above"]);
  EXPECT_FALSE(evaluate(dir.path("test.jsonl"), {"--test", "none"})["test_sets"]["none"].contains(
      "relevance"));
}

// The same model looks at the history, "to", more than at the distraction, "it". The query "the"
// goes with the first, in 8 of 24 conversations, and "you" with the second. By bootstrap, a share
// of 8 of 24 has a standard deviation of 0.096.
TEST_F(Evaluate, AgreementHasAnIntervalOverConversations) {
  const Result early = heed_program(Arguments{"evaluate", "--model", dir.path("none"), "--data",
                                              kTestPart, "--test", "none", "--pmi", dir.path("")});
  expect_failure(early, 1, "holds neither train.jsonl nor train.jsonl.gz", "before a model");
  std::string train, test;
  for (int i = 0; i < 24; ++i) {
    const std::string id = "d" + std::to_string(i);
    train += i % 2 == 0 ? dialogue(id, {"you", "it"}) : dialogue(id, {"the", "to"});
    test += dialogue(id, {"to", i % 3 == 0 ? "the" : "you", "it is"});
  }
  const std::string counted = dir.write("train.jsonl", train);
  const Arguments asked = {"--test", "frequent:begin", "--frequent", "it", "--pmi", counted};
  const Json set = evaluate(dir.write("test.jsonl", test), asked)["test_sets"]["frequent:begin"];
  ASSERT_EQ(set["das_above"], 0);
  const Json& agreement = set["relevance"]["agreement"];
  EXPECT_NEAR(agreement["value"].get<double>(), 8 / 24.0, 1e-12);
  EXPECT_NEAR(agreement["low"].get<double>(), 8 / 24.0 - 1.96 * 0.096, 0.03);
  EXPECT_NEAR(agreement["high"].get<double>(), 8 / 24.0 + 1.96 * 0.096, 0.03);
}

// The query "you" goes with the first utterance, "it", and not with the last one of the history,
// "to", nor with the distraction, "the". In the table as in the JSON.
TEST_F(Evaluate, RelevanceIsOfEachPlace) {
  std::string train, test;
  for (int i = 0; i < 24; ++i) {
    const std::string id = "d" + std::to_string(i);
    train += i % 2 == 0 ? dialogue(id, {"you", "it"}) : dialogue(id, {"the", "to"});
    test += dialogue(id, {"it", "to", "you", "it is"});
  }
  const Result r =
      heed_program(Arguments{"evaluate", "--model", run(), "--data", dir.write("test.jsonl", test),
                             "--test", "frequent:begin", "--frequent", "the", "--pmi",
                             dir.write("train.jsonl", train), "--json", dir.path("e.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json found = Json::parse(dir.read("e.json"))["test_sets"]["frequent:begin"]["relevance"];
  EXPECT_GT(found["as_first"], 0);
  EXPECT_EQ(found["as_last"], 0);
  EXPECT_GT(found["as_history"], 0);
  EXPECT_EQ(found["as_distraction"], 0);
  EXPECT_EQ(found["das_ratio"], 0);
  char row[100];
  std::snprintf(row, sizeof row, "\nfrequent:begin +0.000 +0.0%% +%.1f%% ",
                100 * found["as_history"].get<double>());
  EXPECT_TRUE(std::regex_search(r.out, std::regex(row))) << row << r.out;
}

// ---- nothing vanishes ---------------------------------------------------------------------------

TEST_F(Evaluate, SaysWhatIsNotRead) {
  const std::string data = odd_dialogues(dir);
  const Result r = heed_program(command(data) + Arguments{"--test", "none"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err,
            "heed: note: 2 dialogues left out (fewer than 3 turns): short, shorter\n"
            "heed: note: 10 turns of 1 dialogue not read: older than the last 4 of the context "
            "(--max-turns)\n"
            "heed: note: 1 distraction not read, in 1 dialogue (older than --max-turns): long\n"
            "heed: note: 1 utterance cut to the first 10 words (--max-utterance)\n"
            "heed: note: 1 response cut to the first 50 words (--max-response)\n"
            "heed: note: 1 response marked as a distraction; the mark has no effect: marked\n");
  const Json expected = {
      {"dialogues", {"short", "shorter"}}, {"turns", 10},         {"distractions", 1},
      {"distractions_of", {"long"}},       {"cut_utterances", 1}, {"cut_responses", 1},
      {"marked_responses", {"marked"}}};
  EXPECT_EQ(Json::parse(r.out)["left_out"], expected);
}

// Counts are of all examples and of all utterances of one; a list of names ends after five.
TEST_F(Evaluate, CountsAllThatIsNotRead) {
  std::string data = dialogue("two", {"a", repeated(11), repeated(12), "b", "c"}) +
                     dialogue("one", {"*a", "x", "b", "c", "d", repeated(11), "e"}) +
                     dialogue("none", {"a", "b", "c"});
  for (int i = 0; i < 7; ++i) data += dialogue("short" + std::to_string(i), {"a"});
  const Arguments words = command(dir.write("many.jsonl", data)) +
                          Arguments{"--test", "none", "--max-context", "8"},
                  turns = with(words, "--max-context", "0");
  const auto says = [](const Arguments& asked, const std::string& text) {
    const Result r = heed_program(asked);
    EXPECT_TRUE(has(r.err, text)) << text << r.err;
  };
  says(words,
       "7 dialogues left out (fewer than 3 turns): short0, short1, short2, short3, short4 "
       "and 2 more\n");
  says(words, "note: 2 contexts cut to the last 8 words (--max-context)\n");
  says(words, " turns of 2 dialogues not read: older than --max-turns or --max-context allows\n");
  says(words + Arguments{"--max-turns", "0"}, "in 1 dialogue (older than --max-context): one\n");
  says(turns, "in 1 dialogue (older than --max-turns): one\n");
  says(turns, "note: 3 utterances cut to the first 10 words (--max-utterance)\n");
  EXPECT_EQ(json_of(words)["left_out"]["cut_contexts"], 2);
  EXPECT_EQ(json_of(turns)["left_out"]["cut_utterances"], 3);
  const auto spoken = [](const std::string& id, const std::string& speaker) {
    Json all = Json::array();
    for (const char* text : {"a", "b", "c"}) all.push_back({{"speaker", speaker}, {"text", text}});
    return Json({{"id", id}, {"turns", all}}).dump() + "\n";
  };
  says(with(turns, "--data", dir.write("spoken.jsonl", spoken("d", "A") + spoken("e", "B"))) +
           Arguments{"--speaker", "A"},
       "1 dialogue left out (fewer than 3 turns, or none of A from there on): e\n");
}

TEST_F(Evaluate, BoundsCanBeLifted) {
  const std::string data = odd_dialogues(dir);
  const Result r =
      heed_program(command(data) + Arguments{"--test", "none", "--max-turns", "0",
                                             "--max-utterance", "0", "--max-response", "0"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 2) << r.err;
  const Json results = Json::parse(r.out);
  EXPECT_EQ(results["left_out"]["turns"], 0);
  EXPECT_EQ(results["inputs"]["max_turns"], 0);
  // its distraction is read now
  EXPECT_EQ(results["test_sets"]["none"]["distracted"], 1);
  EXPECT_EQ(evaluate(data, {"--test", "none"})["test_sets"]["none"]["distracted"], 0);
  expect_failure(heed_program(command(data) + Arguments{"--test", "none", "--max-turns", "1"}), 2,
                 "must be 0 (all) or at least 2, or 1 with --min-turns 2, got 1", "--max-turns 1");
}

// As of a model that was copied without its run: nobody knows what it was trained to read.
TEST_F(Evaluate, SaysThatNothingBoundsAModelWithoutSettings) {
  const std::string bare = dir.path("bare"), note = "folder has no settings.json";
  std::filesystem::create_directory(bare);
  for (const char* file : {"config.json", "vocab.txt", "model.safetensors"}) {
    std::filesystem::copy(run() + "/" + file, bare + "/" + file);
  }
  const Arguments more = {"--test", "none", "--limit", "5"};
  const auto says = [&](const Arguments& asked) {
    const Result r = heed_program(with(command(kSample), "--model", bare) + more + asked);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.err.find(note) != r.err.npos;
  };
  EXPECT_TRUE(says({}));
  EXPECT_FALSE(says({"--max-turns", "4"}));
  EXPECT_FALSE(says({"--max-utterance", "10"}));
  EXPECT_EQ(heed_program(command(kSample) + more).err.find(note), std::string::npos);
}

TEST_F(Evaluate, CountsExamplesAsExamples) {
  const Arguments table = {"evaluate", "--model", run(),    "--data", kTestPart,
                           "--limit",  "5",       "--test", "none"};
  EXPECT_NE(heed_program(table).out.find("dialogues\n"), std::string::npos);
  const Result all = heed_program(table + Arguments{"--examples", "all"});
  EXPECT_NE(all.out.find("  examples\n"), std::string::npos) << all.out;
  EXPECT_EQ(all.out.find("dialogues"), std::string::npos) << all.out;
  const Json set =
      json_of(table + Arguments{"--examples", "all", "--json", "-"})["test_sets"]["none"];
  EXPECT_EQ(set["dialogues"], 5);
  EXPECT_GT(set["examples"], 5);
}

TEST_F(Evaluate, ATerminalShowsSpeedAndTimeLeft) {
  const std::string shown = on_terminal({"evaluate", "--model", run(), "--data", kTestPart,
                                         "--limit", "40", "--test", "none,rare:end"});
  EXPECT_TRUE(std::regex_search(
      shown, std::regex(R"(none: \d+ of 40 dialogues  [0-9.]+k? tokens/s  \d+s left)")))
      << shown;
}

// ---- results ------------------------------------------------------------------------------------

TEST_F(Evaluate, NumbersOfEveryExampleGiveTheSummary) {
  const Arguments limit = {"--limit", "30", "--test", "none,random:0.7"};
  const Json results = evaluate(kSample, limit + Arguments{"--per-example", "--accuracy"});
  for (const auto& [name, set] : results["test_sets"].items()) {
    ASSERT_EQ(set["per_example"].size(), 30u);
    double nll = 0, tokens = 0, right = 0, d_sum = 0, h_sum = 0, above = 0, bounded = 0;
    int distracted = 0;
    for (const Json& e : set["per_example"]) {
      nll += e["nll"].get<double>();
      tokens += e["tokens"].get<double>();
      right += e["right"].get<double>();
      if (e["das_ratio"].is_null()) continue;
      ++distracted;
      const double d = e["as_distraction"], h = e["as_history"];
      EXPECT_DOUBLE_EQ(e["das_ratio"], d / h) << e["id"];
      d_sum += d, h_sum += h, above += d > h, bounded += d / (d + h);
    }
    EXPECT_DOUBLE_EQ(set["perplexity"], std::exp(nll / tokens)) << name;
    EXPECT_DOUBLE_EQ(set["accuracy"], right / tokens) << name;
    EXPECT_GT(right, 0) << name;
    EXPECT_EQ(set["distracted"], distracted) << name;
    EXPECT_EQ(name == "none", distracted == 0);
    if (distracted == 0) continue;
    EXPECT_NEAR(set["das_ratio"], d_sum / h_sum, 1e-12) << name;
    EXPECT_NEAR(set["das_above"], above / distracted, 1e-12) << name;
    EXPECT_NEAR(set["das_bounded"], bounded / distracted, 1e-12) << name;
  }
  const Json file = evaluate(kSample, limit);  // items() refers to it
  for (const auto& [name, set] : file["test_sets"].items()) {
    EXPECT_FALSE(set.contains("per_example"));
  }
}

// The table has the numbers of the JSON, each under its title.
TEST_F(Evaluate, TheTableHasTheNumbersOfTheJson) {
  const Result r =
      heed_program({"evaluate", "--model", kTrained, "--data", kSample, "--limit", "30", "--test",
                    "none,random:0.7,frequent:middle", "--accuracy", "--json", dir.path("e.json")});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json sets = Json::parse(dir.read("e.json"))["test_sets"];
  const std::vector<std::tuple<std::string, std::string, int>> columns = {
      // the digits behind the point; -1: of a percentage
      {"perplexity", "perplexity", 2},
      {"accuracy", "accuracy", -1},
      {"bits/char", "bits_per_character", 3},
      {"<unk>", "unknown_characters", -1},
      {"DAS ratio", "das_ratio", 3},
      {"AS distr.", "as_distraction", -1},
      {"AS history", "as_history", -1},
      {"AS first", "as_first", -1},
      {"AS last", "as_last", -1},
      {"DAS ratio, 2+", "das_ratio_long", 3},
      {"D > H", "das_above", -1},
      {"D / (D + H)", "das_bounded", 3},
      {"mean of ratios", "mean_das_ratio", 3},
      {"median", "median_das_ratio", 3},
      {"examples", "examples", 0}};
  const auto rows = printed_rows(r.out);
  ASSERT_EQ(rows.size(), 4u) << r.out;
  for (size_t c = 0; c < columns.size(); ++c) {
    const auto& [title, key, digits] = columns[c];
    EXPECT_EQ(rows[0].at(c + 1), title);
    for (size_t i = 1; i < rows.size(); ++i) {
      const Json& value = sets.at(rows[i][0]).at(key);
      char text[32] = "-";
      if (value.is_number()) {
        const double x = value;
        std::snprintf(text, sizeof text, digits < 0 ? "%.*f%%" : "%.*f", std::abs(digits),
                      digits < 0 ? 100 * x : x);
      }
      EXPECT_EQ(rows[i].at(c + 1), text) << rows[i][0] << ", " << title;
    }
  }
}

// Of three dialogues one has a single utterance of history: there the middle is the begin.
TEST_F(Evaluate, LongHistoriesHaveARatioOfTheirOwn) {
  const std::string data =
      dir.write("d.jsonl", dialogue("one", {"the", "is it ?", "no"}) +
                               dialogue("two", {"the", "what ?", "is it ?", "no"}) +
                               dialogue("three", {"a", "the", "what ?", "is it ?", "no"}));
  const Json all = evaluate(data, {"--test", "frequent:middle", "--per-example"}),
             &set = all["test_sets"]["frequent:middle"];
  double d = 0, h = 0;
  for (const Json& e : set["per_example"]) {
    if (e["id"] == "one") continue;
    d += e["as_distraction"].get<double>(), h += e["as_history"].get<double>();
  }
  EXPECT_NEAR(set["das_ratio_long"], d / h, 1e-12);
  EXPECT_NE(set["das_ratio_long"], set["das_ratio"]);
}

TEST_F(Evaluate, SaysWhichWordsOfItsPhrasesAreUnknown) {
  const Arguments phrases = {"--limit",    "5",        "--test", "frequent:end,rare:end",
                             "--frequent", "the what", "--rare", "the xyzzyq ?",
                             "xyzzyq is"};
  const Result r = heed_program(command(kTestPart) + phrases);
  EXPECT_TRUE(has(r.err,
                  "note: test sets rare: the model does not know xyzzyq, and reads <unk> there; "
                  "--rare takes other phrases"))
      << r.err;
  EXPECT_FALSE(has(r.err, "frequent")) << r.err;
  EXPECT_FALSE(
      has(heed_program(command(kTestPart) + Arguments{"--limit", "5", "--test", "none"}).err,
          "does not know"));
}

TEST_F(Evaluate, SaysWhatItIsMadeWith) {
  const Json results = evaluate(kTestPart, {"--limit", "7", "--test", "rare:end", "--seed", "3",
                                            "--threads", "1", "--rare", "so what"});
  expect_made_with(results["heed"], "evaluate");
  EXPECT_EQ(results["heed"]["threads"], 1);
  const Json& inputs = results["inputs"];
  EXPECT_EQ(inputs["models"][0]["path"], run());
  EXPECT_GT(inputs["models"][0]["fingerprint"], 0);
  EXPECT_EQ(inputs["limit"], 7);
  EXPECT_EQ(inputs["seed"], 3);
  EXPECT_EQ(inputs["rare"], Json({"so what"}));
  EXPECT_EQ(inputs["frequent"].size(), 2u);
  EXPECT_EQ(inputs["examples"], "last");
  EXPECT_EQ(inputs["max_turns"], 4);  // of the training
  EXPECT_EQ(inputs["max_utterance"], 10);
  EXPECT_EQ(inputs["max_response"], 50);
  // other dialogues have another fingerprint, the same ones in another file the same
  const Json more = evaluate(kTestPart, {"--limit", "8", "--test", "none"});
  EXPECT_NE(more["inputs"]["data"]["fingerprint"], inputs["data"]["fingerprint"]);
}

}  // namespace
}  // namespace heed
