// heed judge: score, ties, simulate.
#include <regex>
#include <set>

#include "tests/heed/program_judge_helpers.h"
#include "train/run_directory.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// ---- score

// Two real items, two fake ones, three annotators; 8 of 12 judgements are right.
const std::string kKey =
    "{\"item\": \"1\", \"real\": true}\n{\"item\": \"2\", \"real\": true}\n"
    "{\"item\": \"3\", \"real\": false}\n{\"item\": \"4\", \"real\": false}\n";

std::string by_hand() {
  const std::vector<std::vector<std::string>> choices = {{"real", "real", "real"},
                                                         {"real", "fake", "fake"},
                                                         {"fake", "fake", "real"},
                                                         {"fake", "fake", "real"}};
  std::string text;
  for (int i = 0; i < 4; ++i) {
    for (int a = 0; a < 3; ++a) text += judgement(i + 1, std::string(1, "abc"[a]), choices[i][a]);
  }
  return text;
}

class Judge : public JudgeTest {
 protected:
  Arguments score(const std::string& judgements, const std::string& key = kKey) const {
    return {"judge",        "score",
            "--judgements", dir.write("j.jsonl", judgements),
            "--key",        dir.write("key.jsonl", key),
            "--least",      "1"};
  }
};

TEST_F(Judge, ScoresAHandMadeFile) {
  const Json json = json_of(score(by_hand()));
  const Json& single = json["judgements"];
  EXPECT_EQ(
      single["counts"],
      Json({{"real_as_real", 4}, {"real_as_fake", 2}, {"fake_as_real", 2}, {"fake_as_fake", 4}}));
  EXPECT_DOUBLE_EQ(single["accuracy"]["value"], 8.0 / 12);
  EXPECT_DOUBLE_EQ(single["real"]["recall"]["value"], 4.0 / 6);
  EXPECT_LE(single["accuracy"]["low"], single["accuracy"]["value"]);
  EXPECT_GE(single["accuracy"]["high"], single["accuracy"]["value"]);
  // P = (1 + 3 x 1/3) / 4, p = 1/2
  EXPECT_NEAR(json["pi"]["pi"]["value"], 0.0, 1e-12);
  EXPECT_NEAR(json["pi"]["observed"], 0.5, 1e-12);
  // Majorities: right on 1, 3 and 4: p = 2 x 5/16.
  EXPECT_DOUBLE_EQ(json["majority"]["accuracy"]["value"], 0.75);
  EXPECT_NEAR(json["majority"]["p_against_chance"], 0.625, 1e-12);
  EXPECT_EQ(json["majority"]["undecided"], 0);
  EXPECT_FALSE(json.contains("classifier"));
  EXPECT_EQ(json["simulated"], false);
  EXPECT_EQ(json["screening"]["annotators"], 3);
  EXPECT_EQ(json["heed"]["command"], "judge score");
  const Result r = heed_program(score(by_hand()));
  EXPECT_NE(r.out.find("0.667 ["), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("Fleiss' pi of the annotators: 0.000 ["), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("12 judgements of 3 annotators\n"), std::string::npos) << r.out;
  // The same seed, the same intervals; another one changes no value.
  const Json again = json_of(score(by_hand()));
  EXPECT_EQ(again["judgements"], single);
  const Json other = json_of(score(by_hand()) + Arguments{"--seed", "2"});
  EXPECT_EQ(other["judgements"]["accuracy"]["value"], single["accuracy"]["value"]);
}

TEST_F(Judge, ComparesAClassifierWithPeople) {
  const std::string p =
      dir.write("p.jsonl",
                "{\"item\": 1, \"p_real\": 0.4}\n{\"item\": 2, \"p_real\": 0.9}\n"
                "{\"item\": 3, \"p_real\": 0.4}\n{\"item\": 4, \"p_real\": 0.1}\n");
  const Arguments command = score(by_hand()) + Arguments{"--predictions", p};
  const Json json = json_of(command);
  const Json& classifier = json["classifier"];
  EXPECT_DOUBLE_EQ(classifier["accuracy"]["value"], 0.75);
  EXPECT_DOUBLE_EQ(classifier["auc"], 3.5 / 4);  // one of four pairs is even
  EXPECT_EQ(classifier["only_majority_right"], 1);
  EXPECT_EQ(classifier["only_classifier_right"], 1);
  EXPECT_EQ(classifier["p_mcnemar"], 1.0);
  // They agree on items 3 and 4; both call one of four real.
  EXPECT_NEAR(classifier["with_majority"]["pi"]["value"], (0.5 - 0.625) / 0.375, 1e-12);
  const Result r = heed_program(command);
  EXPECT_NE(r.out.find("AUC 0.875 ["), std::string::npos) << r.out;
  EXPECT_LT(classifier["auc_interval"]["low"], 3.5 / 4);
  EXPECT_EQ(classifier["auc_interval"]["high"], 1.0);
  // Exactly 0.5 is judged real, as everywhere.
  dir.write("p.jsonl",
            "{\"item\": 1, \"p_real\": 0.5}\n{\"item\": 2, \"p_real\": 0.9}\n"
            "{\"item\": 3, \"p_real\": 0.4}\n{\"item\": 4, \"p_real\": 0.1}\n");
  EXPECT_DOUBLE_EQ(json_of(command)["classifier"]["accuracy"]["value"], 1);
  dir.write("p.jsonl", "{\"item\": 1, \"p_real\": 0.4}\n");
  expect_failure(heed_program(command), 1, "has no line of the item \"2\"", "predictions");
}

TEST_F(Judge, EvenVotesDecideNothing) {
  const Json json = json_of(
      score(judgement(1, "a", "real") + judgement(1, "b", "fake") + judgement(3, "a", "fake")));
  EXPECT_EQ(json["majority"]["undecided"], 1);
  EXPECT_EQ(json["majority"]["accuracy"]["value"], 1.0);
  EXPECT_EQ(json["items"], 2);
  EXPECT_EQ(json["pi"]["items"], 1);
  EXPECT_EQ(json["pi"]["left_out"], 1);
  EXPECT_TRUE(json["majority"]["real"]["f1"].is_null());
}

TEST_F(Judge, ScreensAnnotators) {
  const std::string key = kKey + "{\"item\": \"5\", \"real\": false, \"check\": true}\n";
  const std::string text = by_hand() + judgement(5, "a", "fake") + judgement(5, "b", "real");
  const Json json = json_of(score(text, key));
  EXPECT_EQ(json["screening"]["failed"], 1);
  EXPECT_EQ(json["screening"]["dropped"], 4);
  EXPECT_EQ(json["screening"]["annotators"], 2);
  EXPECT_EQ(json_of(score(text, key) + Arguments{"--pass", "0"})["screening"]["failed"], 0);
  EXPECT_EQ(json_of(score(text, key) + Arguments{"--most", "3"})["screening"]["cut"], 2);
  EXPECT_TRUE(has(heed_program(score(text, key)).out, "; failed the test questions: 1; their"));
  // Another one fails, and one judges less than --least: each count stands under its name.
  const Arguments all =
      with(score(by_hand().substr(0, by_hand().rfind('{')) + judgement(5, "a", "fake") +
                     judgement(5, "b", "real") + judgement(5, "d", "real"),
                 key),
           "--least", "4") +
      Arguments{"--most", "3"};
  EXPECT_TRUE(has(heed_program(all).out,
                  "3 judgements of 1 annotator, 3 answers to test questions; failed the test "
                  "questions: 2; with too few judgements: 1; their judgements, which were dropped: "
                  "7; cut: 1\n"))
      << heed_program(all).out;
  const Json inputs = json_of(all)["inputs"];
  EXPECT_EQ(inputs["pass"], 0.9);
  EXPECT_EQ(inputs["least"], 4);
  EXPECT_EQ(inputs["most"], 3);
  expect_failure(heed_program(with(score(text, key), "--least", "5")), 1,
                 "no judgement is left: 1 annotators failed the test questions and 2 have too few "
                 "judgements (--least 1 takes them)",
                 "--least");
}

// Ten judgements of one annotator are enough, and 150 are used; each file has its own fingerprint.
TEST_F(Judge, UsualBoundsAndItsInputs) {
  std::string key, text, p;
  for (int i = 0; i < 151; ++i) {
    key += Json({{"item", i}, {"real", i % 2 == 0}}).dump() + "\n";
    p += Json({{"item", i}, {"p_real", 0.5}}).dump() + "\n";
    text += judgement(i, "all", "real");
    if (i < 10) text += judgement(i, "ten", "real");
    if (i < 9) text += judgement(i, "nine", "real");
  }
  const Arguments usual = {"judge",         "score",
                           "--judgements",  dir.write("j.jsonl", text),
                           "--key",         dir.write("key.jsonl", key),
                           "--predictions", dir.write("p.jsonl", p)};
  const Json json = json_of(usual), &screening = json["screening"], &inputs = json["inputs"];
  EXPECT_EQ(screening["annotators"], 2);
  EXPECT_EQ(screening["too_few"], 1);
  EXPECT_EQ(screening["dropped"], 9);
  EXPECT_EQ(screening["cut"], 1);
  EXPECT_EQ(screening["judgements"], 160);
  for (const auto& [name, file] :
       {std::pair("judgements", "j.jsonl"), {"key", "key.jsonl"}, {"predictions", "p.jsonl"}}) {
    const std::string path = dir.path(file);
    EXPECT_EQ(inputs[name], Json({{"path", path}, {"fingerprint", file_checksum(path)}}));
  }
}

TEST_F(Judge, HostileFilesAreOneLine) {
  const auto says = [&](const Arguments& command, const std::string& text) {
    expect_failure(heed_program(command), 1, text, join(command));
  };
  says(score("{\n"), "j.jsonl:1: not valid JSON: ");
  says(score(judgement(9, "a", "real")), "j.jsonl:1: the item \"9\" is not in the key");
  says(score(judgement(1, "a", "real") + judgement(1, "a", "fake")),
       "j.jsonl:2: the annotator \"a\" judges the item \"1\" twice");
  says(with(score(by_hand()), "--key", dir.path("nowhere")), "nowhere: ");
  says(score(by_hand(), "\n"), "key.jsonl: holds no item");
  says(score("\n"), "j.jsonl: holds no judgement");
  const Arguments over = score(by_hand()) + Arguments{"--json", dir.path("key.jsonl")};
  expect_failure(heed_program(over), 2, "would overwrite what --key reads", "--json");
  EXPECT_EQ(dir.read("key.jsonl"), kKey);
}

// ---- simulate

TEST_F(Judge, SimulatedPeopleComeOutAsExpected) {
  const auto make = [&](const Arguments& more) {
    const Result r =
        heed_program(Arguments{"judge", "simulate", "--items", "500", "--out",
                               dir.path("made.jsonl"), "--key", dir.path("made-key.jsonl")} +
                     more);
    EXPECT_EQ(r.code, 0) << r.err;
    return r.out;
  };
  const Arguments read = {"judge",        "score",
                          "--judgements", dir.path("made.jsonl"),
                          "--key",        dir.path("made-key.jsonl"),
                          "--most",       "0"};
  const std::string said =
      make({"--annotators", "4", "--error-real", "0.5", "--error-fake", "0.5", "--shared", "0.8"});
  EXPECT_EQ(said, "wrote 2000 simulated judgements to " + dir.path("made.jsonl") + ", the key to " +
                      dir.path("made-key.jsonl") +
                      "\nwith many items: accuracy 0.500, Fleiss' pi 0.640\n");
  const Json json = json_of(read);
  EXPECT_EQ(json["simulated"], true);
  EXPECT_NEAR(json["pi"]["pi"]["value"], 0.64, 0.08);
  EXPECT_NEAR(json["judgements"]["accuracy"]["value"], 0.5, 0.08);
  EXPECT_EQ(json["screening"]["judgements"], 2000);
  // Without an error all is right, with errors on one side only that side is wrong.
  make({"--error-real", "0", "--error-fake", "0"});
  EXPECT_EQ(json_of(read)["judgements"]["accuracy"]["value"], 1.0);
  // A seed draws the intervals.
  make({"--error-real", "0.3", "--error-fake", "0.3"});
  const auto intervals = [&](const char* seed) {
    const Json scored = json_of(read + Arguments{"--seed", seed});
    return scored["judgements"].dump() + scored["pi"].dump();
  };
  EXPECT_EQ(intervals("1"), intervals("1"));
  EXPECT_NE(intervals("1"), intervals("2"));
  make({"--error-real", "0.9", "--error-fake", "0"});
  const Json of_real = json_of(read)["judgements"];
  EXPECT_EQ(of_real["fake"]["recall"]["value"], 1.0);
  EXPECT_NEAR(of_real["real"]["recall"]["value"], 0.1, 0.05);
  make({"--annotators", "4", "--error-real", "0.5", "--error-fake", "0.5", "--shared", "0.8"});
  const std::string first = dir.read("made.jsonl");
  make({"--annotators", "4", "--error-real", "0.5", "--error-fake", "0.5", "--shared", "0.8",
        "--seed", "2"});
  EXPECT_NE(dir.read("made.jsonl"), first);
  // Not with those of people.
  dir.write("made.jsonl", by_hand());
  expect_failure(heed_program(read), 1, "judgements of people, and a key that is simulated",
                 "mixed");
  expect_failure(
      heed_program({"judge", "simulate", "--out", dir.path("x"), "--key", dir.path("x")}), 2,
      "is --out, too; give another file", "--key");
}

// ---- ties

// 20 pairs in two rounds; 5 of them are identical, which are ties.
TEST_F(Judge, TiesWithAndWithoutIdenticalResponses) {
  std::string key, text;
  for (int i = 0; i < 20; ++i) {
    key += Json({{"item", i}, {"identical", i < 5}, {"swapped", i == 19}}).dump() + "\n";
    for (int round = 1; round <= 2; ++round) {
      Json line = Json::parse(judgement(i, round == 1 ? "ada" : "ben", i < 8 ? "tie" : "a"));
      line["round"] = round;
      text += line.dump() + "\n";
    }
  }
  const Arguments ties = {"judge",        "ties",
                          "--judgements", dir.write("j.jsonl", text),
                          "--key",        dir.write("key.jsonl", key),
                          "--size",       "10",
                          "--samples",    "2000"};
  const Json json = json_of(ties);
  ASSERT_EQ(json["rounds"].size(), 4u);
  EXPECT_EQ(json["inputs"]["samples"], 2000);
  EXPECT_EQ(json["inputs"]["size"], 10);
  EXPECT_EQ(json["inputs"]["failures"], 3);
  const Json &all = json["rounds"][0], &different = json["rounds"][1];
  EXPECT_EQ(all["round"], 1);
  EXPECT_EQ(all["pairs"], 20);
  EXPECT_EQ(all["ties"], 8);
  EXPECT_EQ(all["a"], 11);
  EXPECT_EQ(all["b"], 1);  // it stood on the other side
  EXPECT_NEAR(all["samples"]["mean"], 0.4, 0.01);
  EXPECT_NEAR(all["samples"]["expected_deviation"], std::sqrt(0.24 / 10 * 10 / 19), 1e-12);
  EXPECT_EQ(different["pairs_with"], "different responses");
  EXPECT_EQ(different["pairs"], 15);
  EXPECT_DOUBLE_EQ(different["share"]["value"], 3.0 / 15);
  EXPECT_EQ(json["pi"]["pi"]["value"], 1.0);
  const Result r = heed_program(ties);
  EXPECT_NE(r.out.find("1, different"), std::string::npos) << r.out;
  EXPECT_TRUE(has(r.out, "on: 2000 samples of 10 pairs without replacement")) << r.out;
  EXPECT_NE(json_of(ties + Arguments{"--seed", "2"})["rounds"], json["rounds"]);
  EXPECT_NE(json_of(with(ties, "--samples", "1000"))["rounds"], json["rounds"]);
  expect_failure(heed_program(with(ties, "--size", "16")), 1,
                 "round 1 has 15 different pairs, fewer than --size 16", "--size");
  // Without a key all pairs are ordinary.
  const Json alone =
      json_of({"judge", "ties", "--judgements", dir.path("j.jsonl"), "--size", "16"});
  EXPECT_EQ(alone["rounds"].size(), 2u);
  EXPECT_EQ(alone["rounds"][0]["a"], 12);
}

// The agreement of several rounds is their value, with an interval that the seed draws.
TEST_F(Judge, TheSeedDrawsTheIntervalOfTheAgreement) {
  std::string text;
  for (int i = 0; i < 40; ++i) {
    for (int round = 1; round <= 3; ++round) {
      const int drawn = (i * i + i * round + round * round) % 7;
      Json line = Json::parse(judgement(i, "ada" + std::to_string(round),
                                        drawn < 3   ? "tie"
                                        : drawn < 5 ? "a"
                                                    : "b"));
      line["round"] = round;
      text += line.dump() + "\n";
    }
  }
  const auto pi = [&](const char* seed) {
    return json_of({"judge", "ties", "--judgements", dir.write("j.jsonl", text), "--size", "10",
                    "--samples", "10", "--seed", seed})["pi"]["pi"];
  };
  const Json first = pi("1"), other = pi("2");
  EXPECT_EQ(pi("1"), first);
  EXPECT_EQ(other["value"], first["value"]);
  EXPECT_NE(other, first);
}

TEST_F(Judge, TiesDropThoseWhoFailTestQuestions) {
  std::string key, text;
  for (int i = 0; i < 6; ++i) {
    key += Json({{"item", i}, {"check", i < 3}, {"expected", "a"}}).dump() + "\n";
    text += judgement(i, "ada", "b");
  }
  const Arguments ties = {"judge",        "ties",
                          "--judgements", dir.write("j.jsonl", text),
                          "--key",        dir.write("key.jsonl", key),
                          "--size",       "1"};
  expect_failure(heed_program(ties), 1, "no judgement is left: 1 annotators failed", "failures");
  const Json four = json_of(ties + Arguments{"--failures", "4"});
  EXPECT_EQ(four["rounds"][0]["b"], 3);
  EXPECT_EQ(four["inputs"]["failures"], 4);
}

}  // namespace
}  // namespace heed
