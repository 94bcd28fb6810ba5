// heed probe negatives.
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

class ProbeNegatives : public ProgramWithRun {
 protected:
  static Json results(const Arguments& command) {
    return json_of(command + Arguments{"--json", "-"});
  }
};

// Six classes of three words each, of which every text has two; and texts of none of them.
std::string labelled_texts(int from, int to, bool none) {
  std::string lines;
  const auto add = [&](const std::string& id, const std::string& text, const std::string& label) {
    lines += Json({{"id", id}, {"turns", {{{"text", text}, {"labels", {{"intent", {label}}}}}}}})
                 .dump() +
             "\n";
  };
  for (int i = from; i < to; ++i) {
    for (int k = 0; k < 6; ++k) {
      const std::string c(1, static_cast<char>('a' + k)), id = c + std::to_string(i);
      add(id, c + "x" + std::to_string(i % 3) + " " + c + "x" + std::to_string((i + 1) % 3), c);
    }
    if (none) add("none" + std::to_string(i), "z" + std::to_string(i), "oos");
  }
  return lines;
}

TEST_F(ProbeNegatives, PlausibleNegatives) {
  dir.write("intents/train.jsonl", labelled_texts(0, 10, false));
  dir.write("intents/test.jsonl", labelled_texts(10, 15, true));
  const Arguments command = {
      "probe",          "negatives",   "--data",  dir.path("intents"), "--small",
      "none,share:0.3", "--threshold", "0,0.5,1", "--repetitions",     "3",
      "--test-share",   "0.5"};
  const Json json = results(command);
  expect_made_with(json["heed"], "probe negatives");
  Arguments other_name = command;
  other_name[1] = "nex-cv";
  EXPECT_EQ(results(other_name)["results"], json["results"]);
  EXPECT_EQ(heed_program({"help", "probe", "nex-cv"}).out,
            heed_program({"help", "probe", "negatives"}).out);
  ASSERT_EQ(json["results"].size(), 3u);
  const Json &none = json["results"][0], &share = json["results"][1], &real = json["results"][2];
  EXPECT_EQ(none["small"], "none");
  EXPECT_EQ(none["none"], 0);  // no small class, no negatives
  EXPECT_EQ(none["tested"], 3 * 6 * 5);
  EXPECT_EQ(none["auc"], nullptr);
  EXPECT_EQ(none["thresholds"][0]["accuracy"]["value"], 1);  // words tell the classes
  EXPECT_EQ(share["classes"], 2);
  EXPECT_EQ(share["examples"], 20);
  EXPECT_EQ(share["none"], 3 * 10);  // one of the two, whole
  EXPECT_EQ(share["tested"], 3 * (10 + 4 * 5));
  EXPECT_EQ(share["large"], Json({"c", "d", "e", "f"}));
  EXPECT_EQ(share["thresholds"][0]["outcomes"]["F"], 30);  // every negative has an answer
  EXPECT_EQ(share["thresholds"][2]["none_withheld"]["value"], 1);
  EXPECT_EQ(share["thresholds"][2]["accuracy"]["value"], 30.0 / 90);
  EXPECT_EQ(real["small"], "real");
  EXPECT_EQ(real["none"], 5);
  EXPECT_EQ(real["tested"], 35);
  EXPECT_GT(real["auc"]["value"], 0.95);
  EXPECT_EQ(real["thresholds"][0]["known_right"]["value"], 1);
  EXPECT_EQ(results(command)["results"], json["results"]);
  EXPECT_NE(results(command + Arguments{"--seed", "2"})["results"], json["results"]);
  EXPECT_EQ(json["test_share"], 0.5);
  EXPECT_EQ(json["repetitions"], 3);
  EXPECT_EQ(json["standardise"], false);
  // Standardised columns give other confidences, of the negatives and of the real ones.
  const Json unit = results(command + Arguments{"--standardise"})["results"];
  EXPECT_NE(unit[1]["thresholds"][1]["outcomes"], share["thresholds"][1]["outcomes"]);
  EXPECT_NE(unit[2]["thresholds"][1]["outcomes"], real["thresholds"][1]["outcomes"]);
  const Result shown = heed_program(command);
  EXPECT_NE(shown.err.find("60 texts of 6 classes to learn from"), std::string::npos) << shown.err;
  EXPECT_NE(shown.out.find("share:0.3"), std::string::npos) << shown.out;
  // without their label, real ones are one more class of the test part, which training has not
  EXPECT_EQ(results(command + Arguments{"--out-of-scope", "nobody"})["results"].size(), 2u);
  // vectors of a model; a file alone has no real ones
  const Json model =
      results(with(with(command, "--data", dir.path("intents/train.jsonl")), "--repetitions", "1") +
              Arguments{"--model", run(), "--standardise"});
  EXPECT_EQ(model["results"].size(), 2u);
  EXPECT_EQ(model["inputs"]["model"], run());
  const auto fails = [&](const Arguments& more, int code, const std::string& says) {
    expect_failure(
        heed_program(Arguments{"probe", "negatives", "--data", dir.path("intents/train.jsonl")} +
                     more),
        code, says, join(more));
  };
  fails({"--small", "rare"}, 2, "--small: expected none, below:K with K > 0, or share:P");
  const std::string texts = dir.path("intents/train.jsonl");
  const Result one_class = heed_program(
      {"probe", "negatives", "--data", texts, "--small", "none,below:100", "--test-share", "0.9"});
  EXPECT_EQ(one_class.code, 1);
  EXPECT_NE(one_class.err.find(texts + ": --small below:100: a classifier needs two classes"),
            std::string::npos)
      << one_class.err;
  fails({"--threshold", "0.5,2"}, 2, "--threshold: expected a number from 0 to 1, got '2'");
  fails({"--threshold", "0.5x"}, 2, "got '0.5x'");
  fails({"--label", "act"}, 1, "needs turns with two values of the label act, has 0");
  fails({"--model", dir.path("none")}, 1, "none");
}

// What is left out has its count and its note; up to ten large classes are named.
TEST_F(ProbeNegatives, NegativesAreCountedAndNamed) {
  const auto turn = [](const std::string& text, const std::string& label) {
    Json json = {{"text", text}};
    if (!label.empty()) json["labels"] = {{"kind", {label}}};
    return Json({{"turns", {json}}}).dump() + "\n";
  };
  std::string train, test = turn("who knows", "odd") + turn("new one", "later") +
                            turn("new two", "later") + turn("told", "a");
  for (int k = 0; k < 11; ++k) {
    for (int i = 0; i < (k == 3 ? 2 : 4); ++i) {
      train += turn(std::string("word") + char('a' + k) + " " + std::to_string(i),
                    std::string(1, char('a' + k)));
    }
  }
  for (int i = 0; i < 3; ++i) train += turn("no label " + std::to_string(i), "");
  dir.write("many/train.jsonl", train);
  dir.write("many/test.jsonl", test);
  const Arguments command = {"probe",        "negatives", "--data", dir.path("many"), "--small",
                             "none,below:3", "--label",   "kind",   "--out-of-scope", "odd"};
  const Json json = results(command);
  EXPECT_EQ(json["inputs"]["data"], dir.path("many"));
  EXPECT_EQ(json["inputs"]["label"], "kind");
  EXPECT_EQ(json["inputs"]["texts"], 42);
  EXPECT_EQ(json["inputs"]["classes"], 11);
  EXPECT_EQ(json["inputs"]["unknown"], 2);
  EXPECT_EQ(json["inputs"]["numbers"], 384);
  EXPECT_EQ(json["results"][0]["large"], Json::array());  // of eleven
  EXPECT_EQ(json["results"][1]["large"], Json({"a", "b", "c", "e", "f", "g", "h", "i", "j", "k"}));
  const std::string says =
      ": 42 texts of 11 classes to learn from; 3 turns without one label kind left out; 2 texts "
      "of the test part left out, of classes that training lacks\n";
  const Result r = heed_program(command);
  EXPECT_TRUE(has(r.err, says)) << r.err;
}

// Nothing is divided for the row of real texts: there the seed draws the projection of the words,
// and beside a model's vectors the intervals alone.
TEST_F(ProbeNegatives, NegativesAreDrawnByTheSeed) {
  const std::string words[] = {"the", "is", "you", "how", "it", "what", "to"};
  std::string parts[2];
  for (size_t i = 0; i < 120; ++i) {
    const Json turn = {
        {"text", words[i * i % 7] + " " + words[i * i / 3 % 7] + " " + words[i % 5]},
        {"labels", {{"intent", {i % 4 == 3 ? "oos" : "c" + std::to_string(i % 9)}}}}};
    parts[i % 2] += Json({{"turns", {turn}}}).dump() + "\n";
  }
  dir.write("intents/train.jsonl", parts[0]);
  dir.write("intents/test.jsonl", parts[1]);
  const auto real = [&](const char* seed, const Arguments& more) {
    return results(Arguments{"probe", "negatives", "--data", dir.path("intents"), "--small", "none",
                             "--repetitions", "1", "--threshold", "0,0.15,0.3", "--seed", seed} +
                   more)["results"][1];
  };
  const auto values = [](const Json& row) {
    Json all = row["auc"]["value"];
    for (const Json& at : row["thresholds"]) all = Json{all, at["outcomes"]};
    return all;
  };
  const Json bag = real("1", {}), other_bag = real("2", {});
  EXPECT_EQ(bag["small"], "real");
  EXPECT_EQ(real("1", {}), bag);
  EXPECT_NE(values(bag), values(other_bag));
  const Arguments model = {"--model", run()};
  const Json vectors = real("1", model), other = real("2", model);
  EXPECT_EQ(values(vectors), values(other));
  EXPECT_NE(vectors["thresholds"], other["thresholds"]);
}

}  // namespace
}  // namespace heed
