// Labels of dialogues from the data to what a model is asked for.
#include <regex>

#include "tests/golden.h"
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// A last word that the emotion of the response decides, in answers to three questions; of the
// first so many emotions.
std::string planted(int count, size_t emotions = 2) {
  const char* const words[] = {"who", "what", "where"};
  const std::pair<const char*, const char*> ends[] = {
      {"happiness", "good"}, {"sadness", "bad"}, {"no_emotion", "here"}, {"no_emotion", "here"}};
  std::string lines;
  for (int i = 0; i < count; ++i) {
    const auto& [emotion, end] = ends[i % emotions];
    const std::string word = words[i % 3];
    lines += R"({"labels": {"topic": [")" + word +
             R"("]}, "turns": [{"text": "hello"}, {"text": ")" + word +
             R"( is it"}, {"text": "it is )" + end + R"(", "labels": {"emotion": [")" + emotion +
             "\"]}}]}\n";
  }
  return lines;
}

class Conditions : public testing::Test {
 protected:
  Conditions() {
    for (const char* part : {"train", "valid", "test"}) {
      dir.write(std::string("data/") + part + ".jsonl", planted(60));
    }
    dir.write("lexicon.txt", "good\t1.9\nbad\t-2.5\nis\t0.5\n");
  }
  Arguments train(const std::string& out, const Arguments& more = {}) const {
    return Arguments{"train",
                     "--structure",
                     "two-vocabulary",
                     "--data",
                     dir.path("data"),
                     "--out",
                     dir.path(out),
                     "--preset",
                     "smoke",
                     "--hidden",
                     "16",
                     "--epochs",
                     "6",
                     "--batch",
                     "4",
                     "--threads",
                     "1",
                     "--rate",
                     "0.01"} +
           more;
  }
  // The responses of the test part.
  std::string responses(const std::string& run, const std::string& wanted) const {
    const Result r = heed_program({"respond", "--model", dir.path(run), "--data", dir.path("data"),
                                   "--out", "-", "--condition", wanted, "--threads", "1"});
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  }
  const TempDir dir;
};

TEST_F(Conditions, AreReadTrainedWithAndWanted) {
  const std::string lexicon = dir.path("lexicon.txt");
  const Result trained = heed_program(train("run", {"--lexicon", lexicon}));
  ASSERT_EQ(trained.code, 0) << trained.err;
  const Json config = Json::parse(dir.read("run/config.json"));
  EXPECT_EQ(config["sentiment"], "emotion=negative|positive");
  EXPECT_EQ(config["domain"], "topic=what|where|who");
  const std::string words = dir.read("run/vocab.txt");
  EXPECT_TRUE(words.ends_with("\nbad\ngood\n")) << words;
  EXPECT_EQ(config["generic_words"].get<int64_t>() + 2, config["vocab_size"].get<int64_t>());

  const std::string happy = responses("run", "emotion=happiness");
  EXPECT_TRUE(has(happy, "it is good") && !has(happy, "bad")) << happy;
  const std::string sad = responses("run", "emotion=negative,topic=who");
  EXPECT_TRUE(has(sad, "it is bad") && !has(sad, "good")) << sad;
  const std::string unknown =
      "--condition: the model knows emotion=negative|positive or topic=what|where|who, got "
      "'emotion=odd'";
  expect_failure(heed_program({"respond", "--model", dir.path("run"), "--data", dir.path("data"),
                               "--out", "-", "--condition", "emotion=odd"}),
                 2, unknown, "--condition");
  // Before anybody has typed.
  expect_failure(heed_program({"chat", "--model", dir.path("run"), "--condition", "emotion=odd"}),
                 2, unknown, "chat --condition");

  // Other labels and another gate are another model; a model begins with the tables of another.
  const Result other =
      heed_program(train("other", {"--lexicon", lexicon, "--gate", "logits", "--gate-weight", "0",
                                   "--sentiment", "topic", "--domain", "emotion"}));
  ASSERT_EQ(other.code, 0) << other.err;
  const Json swapped = Json::parse(dir.read("other/config.json"));
  EXPECT_EQ(swapped["sentiment"], config["domain"]);
  EXPECT_EQ(swapped["domain"], config["sentiment"]);
  EXPECT_EQ(swapped["gate_on_logits"], true);
  EXPECT_EQ(swapped["gate_weight"], 0);
  // What a dialogue is conditioned on: of the same labels the same, and a list for each label.
  const Result scored =
      heed_program(score_with(dir.path("run"), dir.path("data")) + Arguments{"--json", "-"});
  const Json examples = Json::parse(scored.out)["per_example"];
  EXPECT_EQ(examples[0]["conditions"].size(), 2u);
  EXPECT_EQ(examples[6]["conditions"], examples[0]["conditions"]);  // of 2 x 3 kinds
  EXPECT_NE(examples[1]["conditions"][0], examples[0]["conditions"][0]);
  EXPECT_NE(examples[1]["conditions"][1], examples[0]["conditions"][1]);
  // Labels of dialogues and turns stay with a dialogue that something is inserted into.
  const std::string data = dir.path("data");
  ASSERT_EQ(heed_program({"distract", "--model", dir.path("run"), "--data", data, "--test", "none",
                          "--out", dir.path("distracted.jsonl")})
                .code,
            0);
  const auto perplexity = [&](const char* run, const std::string& data) {
    const Result r = heed_program(score_with(dir.path(run), data) + Arguments{"--json", "-"});
    return Json::parse(r.out)["perplexity"].get<double>();
  };
  EXPECT_EQ(perplexity("run", dir.path("distracted.jsonl")), perplexity("run", data));
  // Beside another model each one has the numbers that it has alone.
  const Result beside =
      heed_program({"show", "--model", dir.path("run"), "--baseline", dir.path("other"), "--data",
                    data, "--test", "none", "--html", dir.path("page.html"), "--threads", "1"});
  std::smatch numbers;
  ASSERT_TRUE(std::regex_search(beside.out, numbers, std::regex("original +([0-9.]+) +([0-9.]+)")))
      << beside.out << beside.err;
  EXPECT_NEAR(std::stod(numbers[1]), perplexity("other", data), 0.051);
  EXPECT_NEAR(std::stod(numbers[2]), perplexity("run", data), 0.051);
  // Each of two models reads the labels as it learned them: the pairs are of what each responds.
  const auto responded = [&](const char* model) {
    const Result r = heed_program({"respond", "--model", dir.path(model), "--data",
                                   dir.path("data"), "--out", dir.path("said"), "--threads", "1"});
    EXPECT_EQ(r.code, 0) << r.err;
    std::map<std::string, std::string> all;
    std::istringstream lines(dir.read("said"));
    for (std::string line; std::getline(lines, line);) {
      const Json said = Json::parse(line);
      all[said["id"]] = said["response"];
    }
    return all;
  };
  const auto of_run = responded("run"), of_other = responded("other");
  EXPECT_NE(of_run, of_other);
  const Result pairs =
      heed_program({"judge", "export", "--a", dir.path("run"), "--b", dir.path("other"), "--data",
                    dir.path("data"), "--pairs", "40", "--checks", "0", "--out", dir.path("items"),
                    "--key", dir.path("key"), "--threads", "1"});
  ASSERT_EQ(pairs.code, 0) << pairs.err;
  std::istringstream shown(dir.read("items")), hidden(dir.read("key"));
  for (std::string item, key; std::getline(shown, item) && std::getline(hidden, key);) {
    const Json of = Json::parse(key), said = Json::parse(item);
    const bool swapped = of["swapped"];
    EXPECT_EQ(said[swapped ? "b" : "a"], of_run.at(of["id"]));
    EXPECT_EQ(said[swapped ? "a" : "b"], of_other.at(of["id"]));
  }
  const Result begun = heed_program(train("begun", {"--init", dir.path("run")}));
  ASSERT_EQ(begun.code, 0) << begun.err;
  EXPECT_EQ(Json::parse(dir.read("begun/config.json")), config);
  EXPECT_FALSE(has(begun.out, "drawn by the seed")) << begun.out;
  expect_failure(
      heed_program(train("refused", {"--init", dir.path("run"), "--lexicon", lexicon})), 2,
      "--lexicon: with --init the words are those of " + dir.path("run") + "; leave the option out",
      "--lexicon");
  // The rows of a label are those of its values: of other values they are drawn.
  const Result apart = heed_program(
      train("apart", {"--init", dir.path("run"), "--sentiment", "topic", "--domain", "emotion"}));
  ASSERT_EQ(apart.code, 0) << apart.err;
  EXPECT_TRUE(has(apart.out, "decoder.sentiment.weight") &&
              has(apart.out, "domain.embedding.weight"))
      << apart.out;
}

// The rows of topic words are those of other words with other topics, though as many.
TEST_F(Conditions, RowsOfOtherTopicsAreDrawn) {
  const auto topics = [&](const std::string& out, const std::string& words,
                          const Arguments& more = {}) {
    const Result r = heed_program(Arguments{"train",
                                            "--structure",
                                            "thred-topics",
                                            "--data",
                                            dir.path("data"),
                                            "--out",
                                            dir.path(out),
                                            "--preset",
                                            "smoke",
                                            "--hidden",
                                            "8",
                                            "--embed",
                                            "8",
                                            "--epochs",
                                            "1",
                                            "--threads",
                                            "1",
                                            "--layers",
                                            "1",
                                            "--topics-file",
                                            dir.write(out + ".txt", words)} +
                                  more);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  topics("first", "bad\n");
  const Arguments begin = {"--init", dir.path("first")};
  EXPECT_FALSE(has(topics("same", "bad\n", begin), "drawn by the seed"));
  const std::string other = topics("other", "good\n", begin);
  EXPECT_TRUE(has(other, "drawn by the seed: decoder.output.part.weight\n")) << other;
}

TEST_F(Conditions, AnEpochIsChosenByItsResponsesToTheLabels) {
  const Arguments more = {"--lexicon", dir.path("lexicon.txt"), "--keep-every", "6"};
  ASSERT_EQ(heed_program(train("run", more)).code, 0);
  ASSERT_EQ(heed_program({"features", "--model", dir.path("run"), "--data", dir.path("data"),
                          "--epoch", "best-bleu", "--out", dir.path("features")})
                .code,
            0);
  std::filesystem::copy_file(dir.path("run/epoch-6.safetensors"), dir.path("run/model.safetensors"),
                             std::filesystem::copy_options::overwrite_existing);
  ASSERT_EQ(
      heed_program({"respond", "--model", dir.path("run"), "--data", dir.path("data/valid.jsonl"),
                    "--max-length", "100", "--out", dir.path("out"), "--json", dir.path("json")})
          .code,
      0);
  const Json responses = Json::parse(dir.read("json"))["responses"],
             model = Json::parse(dir.read("features/features.json"))["inputs"]["model"];
  EXPECT_EQ(model["chosen"], 6);
  EXPECT_EQ(model["epochs"][0]["bleu_2"], responses["bleu_2"]);
}

TEST_F(Conditions, WhatHasNoEffectIsRefused) {
  const std::string none = dir.write("none.txt", "zzzqq\t3.0\n");
  const auto refused = [&](const Arguments& more, int code, const std::string& text) {
    expect_failure(heed_program(train("without-effect", more)), code, text, more[0]);
    EXPECT_FALSE(std::filesystem::exists(dir.path("without-effect")));
  };
  refused({"--gate", "logits"}, 2, "--gate: only applies with --lexicon");
  refused({"--gate-weight", "0"}, 2, "--gate-weight: only applies with --lexicon");
  refused({"--lexicon", none}, 1, none + ": no word of the vocabulary has a sentiment there");
  refused({"--sentiment", "mood"}, 1, "--sentiment mood: no training dialogue has this label");
  const auto refuses = [&](const std::string& structure, const Arguments& more,
                           const std::string& text) {
    expect_failure(heed_program(Arguments{"train", "--structure", structure, "--data",
                                          dir.path("data"), "--out", dir.path("without-effect")} +
                                more),
                   2, text, structure);
  };
  refuses("keywords", {"--attention-weight", "1"},
          "--attention-weight: keywords has no attention scores");
  refuses("thred-topics", {"--topics", "2", "--tokens", "bpe", "--vocab", "300"},
          "tokens: topics are of words, so thred-topics needs --tokens words");
}

// Points of other labels or another lexicon have tables of their own.
TEST_F(Conditions, ASweepReadsTheLabelsOfEachPoint) {
  dir.write("few.txt", "good\t1.9\n");
  dir.write("sweep.toml",
            "[train]\nstructure = \"two-vocabulary\"\npreset = \"smoke\"\nhidden = 8\n"
            "epochs = 1\ndata = \"" +
                dir.path("data") + "\"\n[grid]\nlexicon = [\"" + dir.path("lexicon.txt") +
                "\", \"" + dir.path("few.txt") + "\"]\nsentiment = [\"emotion\", \"topic\"]\n");
  const Result r =
      heed_program({"sweep", dir.path("sweep.toml"), "--out", dir.path("sweep"), "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  std::vector<std::pair<int64_t, std::string>> made;  // words of the lexicon, values
  for (const auto& run : std::filesystem::directory_iterator(dir.path("sweep"))) {
    if (!std::filesystem::exists(run.path() / "config.json")) continue;
    const Json config =
        Json::parse(dir.read("sweep/" + run.path().filename().string() + "/config.json"));
    made.emplace_back(config["vocab_size"].get<int64_t>() - config["generic_words"].get<int64_t>(),
                      config["sentiment"]);
  }
  std::sort(made.begin(), made.end());
  const std::string emotion = "emotion=negative|positive", topic = "topic=what|where|who";
  EXPECT_EQ(made, (decltype(made){{1, emotion}, {1, topic}, {2, emotion}, {2, topic}}));
}

// Of a label with a single value, or without any, there is nothing to tell.
TEST_F(Conditions, AnExperimentDoesWithoutTopics) {
  for (const char* part : {"train", "valid", "test"}) {
    dir.write(std::string("none/") + part + ".jsonl",
              std::regex_replace(planted(9) + planted(60, 4),
                                 std::regex(R"("labels": \{"topic": \["\w+"\]\}, )"), ""));
  }
  const Result r =
      heed_program({"reproduce", "expressive", "--data", dir.path("none"), "--out", dir.path("out"),
                    "--only", "gate", "--lexicon", dir.path("lexicon.txt"), "--epochs", "1",
                    "--hidden", "8", "--test-limit", "9", "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json told = Json::parse(dir.read("out/gate-seed1/told.json"));
  EXPECT_TRUE(told["domain"]["people"].is_null());
  EXPECT_TRUE(told["domain"]["above_chance"].is_null());
  EXPECT_EQ(told["sentiment"]["all_items"].size(), 9u);
}

// Labels that the data lack are told before anything is trained.
TEST_F(Conditions, AreMissedWhereTheDataHaveNone) {
  for (const char* part : {"train", "valid", "test"}) {
    dir.write(
        std::string("bare/") + part + ".jsonl",
        std::regex_replace(planted(9), std::regex(R"("labels": \{"topic": \["\w+"\]\}, )"), ""));
  }
  const Result asked =
      heed_program({"reproduce", "expressive", "--data", dir.path("data"), "--out", dir.path("out"),
                    "--lexicon", dir.path("lexicon.txt"), "--threads", "1"});
  EXPECT_EQ(asked.code, 1);
  EXPECT_EQ(asked.err, "heed: " + dir.path("data") +
                           ": no turn of the training dialogues has the label emotion=neutral, for "
                           "which the models are asked\n");
  EXPECT_FALSE(std::filesystem::exists(dir.path("out")));
  const std::string note = ", so that the model cannot be asked for it\n";
  for (const auto& [data, notes] :
       {std::pair(std::string("data"), std::string()),
        {"bare", "heed: note: no training dialogue has the label topic" + note}}) {
    const Result r = heed_program(with(train(data + "-run"), "--data", dir.path(data)));
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.err, notes);
  }
}

// The experiment's classifier tells people's responses by their last words; each answer is taken
// for something.
TEST_F(Conditions, AnExperimentAsksAClassifier) {
  const std::string few = planted(9) + planted(60, 4);
  for (const char* part : {"train", "valid", "test"}) {
    dir.write(std::string("three/") + part + ".jsonl", few);
  }
  const Arguments command = {"reproduce",    "expressive",
                             "--data",       dir.path("three"),
                             "--out",        dir.path("out"),
                             "--only",       "gate",
                             "--lexicon",    dir.path("lexicon.txt"),
                             "--epochs",     "4",
                             "--hidden",     "12",
                             "--test-limit", "30",
                             "--threads",    "1"};
  const Result r = heed_program(command);
  ASSERT_EQ(r.code, 0) << r.err;
  // The same words with other labels are other data.
  dir.write("three/test.jsonl", std::regex_replace(few, std::regex("sadness"), "happiness"));
  expect_failure(heed_program(command), 2, "on other data", "labels");
  const std::string log = dir.read("out/gate-seed1/log.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 4) << "halving ended it before --epochs";
  const Json told = Json::parse(dir.read("out/gate-seed1/told.json"));
  Golden golden;
  golden.add_runs(dir.path("out"));
  golden.expect("expressive");
  const Json& sentiment = told["sentiment"];
  EXPECT_EQ(sentiment["people"], 1);
  double right = 0;
  for (const char* wanted : {"negative", "neutral", "positive"}) {
    double all = 0;
    for (const char* as : {"negative", "neutral", "positive"}) {
      all += sentiment[std::string(wanted) + "." + as].get<double>();
    }
    EXPECT_NEAR(all, 1, 1e-9) << wanted;
    right += sentiment[std::string(wanted) + "." + wanted].get<double>() / 3;
  }
  EXPECT_NEAR(sentiment["all"].get<double>(), right, 1e-9);
  EXPECT_NEAR(sentiment["above_chance"].get<double>(), right - 1.0 / 3, 1e-9);
  EXPECT_EQ(sentiment["all_items"].size(), 30u);
  // Nothing in a response says which topic it is of.
  EXPECT_LT(told["domain"]["people"], 0.8);
  EXPECT_NE(dir.read("out/tables/told.md").find("wanted negative"), std::string::npos);
}

}  // namespace
}  // namespace heed
