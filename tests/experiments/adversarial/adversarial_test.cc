// heed reproduce adversarial as a user calls it: results, controls, resumption, shards, the page,
// mistakes.
#include <cmath>
#include <nlohmann/json.hpp>

#include "dialog/data/corpus.h"
#include "dialog/text/text_file.h"
#include "tests/golden.h"
#include "tests/heed/chromium.h"
#include "tests/heed/program_helpers.h"

namespace heed {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;
const std::string kTrained = source_dir() + "/data/models/trained";

// A second corpus: dialogues of the first one.
std::string half(const TempDir& dir) {
  const std::string folder = dir.path("half");
  fs::create_directory(folder);
  for (const char* part : {"train", "valid", "test"}) {
    std::vector<Dialogue> some;
    for (const Dialogue& d : read_dialogues(find_part(kSample, part), 240)) {
      if (some.size() < 120 && d.turns.size() % 2 == 0) some.push_back(d);
    }
    write_dialogues(folder + "/" + part + ".jsonl", some);
  }
  return folder;
}

Arguments command(const std::string& data, const std::string& out) {
  return {"reproduce",    "adversarial", "--data",       data,    "--out",     out,
          "--generators", kTrained,      "--preset",     "smoke", "--limit",   "120",
          "--vocab",      "150",         "--hidden",     "6",     "--epochs",  "2",
          "--batch",      "32",          "--responses",  "12",    "--beam",    "1",
          "--max-length", "12",          "--jobs",       "2",     "--threads", "1",
          "--probed",     "40",          "--reliability"};
}

// One finished experiment for all tests that only read it: two corpora, so six classifiers
// and three scenarios.
class AdversarialTest : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    data = std::string(kSample) + "," + half(*shared);
    const Result r = without_warnings(heed_program(command(data, whole())));
    ASSERT_EQ(r.code, 0) << r.err;
    output = r.out;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string whole() { return shared->path("whole"); }
  static Json json(const std::string& file) { return Json::parse(shared->read("whole/" + file)); }

  static TempDir* shared;
  static std::string data, output;
  const TempDir dir;
};
TempDir* AdversarialTest::shared = nullptr;
std::string AdversarialTest::data;
std::string AdversarialTest::output;

TEST_F(AdversarialTest, HasTheNumbersThatWereLookedAt) {
  Golden golden;
  golden.add_runs(whole());
  golden.expect("adversarial");
}

TEST_F(AdversarialTest, EveryPassageIsJudgedTwice) {
  EXPECT_TRUE(has(output, "9 runs, 0 of them done; 2 corpora, ")) << output;
  EXPECT_TRUE(has(output, "done: 9 of 9")) << output;
  EXPECT_TRUE(has(output, "valid accuracy 0.")) << output;
  const Json result = json("ubuntu-sample-seed1/evaluation.json");
  const Json& random = result["judged"]["discriminator"]["random"];
  const size_t items = json("adversarial.json")["data"]["test_passages"];
  ASSERT_EQ(random["real"].size(), items);
  ASSERT_EQ(random["fake"].size(), items);
  for (size_t i = 0; i < items; ++i) {
    const bool own = result["corpora"][i] == 0;
    EXPECT_EQ(random["real"][i].is_number(), own) << i;
  }
  for (const char* control : {"length", "unigram", "shuffled-context"}) {
    EXPECT_TRUE(result["judged"][control].contains("random")) << control;
    EXPECT_TRUE(result["judged"][control].contains("trained")) << control;
  }
  // The response that was said is judged alike, whatever it is to be told from, in its context and
  // in the other one that the passage has in every set.
  for (const char* judge : {"discriminator", "shuffled-context"}) {
    const Json &generated = result["judged"][judge]["trained"]["real"],
               &there = result["judged"][judge]["random"]["real"];
    size_t beside = 0;
    for (size_t i = 0; i < items; ++i) {
      if (generated[i].is_null()) continue;
      EXPECT_NEAR(generated[i].get<double>(), there[i].get<double>(), 1e-5) << judge << i;
      ++beside;
    }
    EXPECT_GT(beside, 2u);
  }
  EXPECT_NE(result["judged"]["discriminator"]["trained"]["fake"],
            result["judged"]["shuffled-context"]["trained"]["fake"]);
  // a scenario: what it puts in the place of responses, of all corpora, and of no generator
  const Json scenario = json("together-shuffled-words-seed1/evaluation.json");
  EXPECT_EQ(scenario["judged"].size(), 1u);
  EXPECT_TRUE(scenario["judged"]["discriminator"]["random"]["real"][items - 1].is_number());
  EXPECT_TRUE(scenario["judged"]["discriminator"]["trained"]["real"][0].is_null());
  const Json alone = json("half-response-only-seed1/evaluation.json"),
             both = json("together-seed1/evaluation.json");
  EXPECT_EQ(alone["judged"].size(), 1u);  // without context there is none to shuffle
  EXPECT_EQ(both["corpora"], result["corpora"]);
  EXPECT_TRUE(both["judged"]["discriminator"]["random"]["real"][0].is_number());
  EXPECT_TRUE(both["judged"]["discriminator"]["random"]["real"][items - 1].is_number());
  EXPECT_EQ(both["thresholds"].size(), 2u);
}

// A run is one that heed discriminate test says the same of.
TEST_F(AdversarialTest, AgreesWithHeedDiscriminate) {
  const Result r =
      heed_program({"discriminate", "test", "--model", whole() + "/ubuntu-sample-seed1", "--data",
                    kSample, "--limit", "120", "--controls", "length,unigram,shuffled-context",
                    "--json", dir.path("test.json"), "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json theirs = Json::parse(dir.read("test.json"))["corpora"][0];
  const Json table = json("tables/table1.json");
  const auto value = [&](const std::string& label, size_t column) {
    for (const Json& row : table["rows"]) {
      if (row["corpus"] == "ubuntu-sample" && row["judged by"] == label)
        return row["cells"][column]["value"];
    }
    return Json();
  };
  const auto cell = [&](const std::string& label, size_t column) {
    return value(label, column).get<double>();
  };
  EXPECT_NEAR(cell("discriminator", 1), theirs["accuracy"]["value"].get<double>(), 1e-12);
  EXPECT_NEAR(cell("discriminator", 8), theirs["auc"].get<double>(), 1e-12);
  EXPECT_TRUE(value("discriminator", 9).is_null());  // p of one seed is of items alone
  EXPECT_NEAR(cell("discriminator", 10), theirs["accuracy_at_threshold"].get<double>(), 1e-12);
  EXPECT_NEAR(cell("shuffled-context", 1),
              theirs["controls"]["shuffled-context"]["accuracy"]["value"].get<double>(), 1e-12);
}

TEST_F(AdversarialTest, TablesAndPage) {
  const Json one = json("tables/table1.json"), two = json("tables/table2.json");
  // a corpus: four judges and response-only, alone and together; the paper: 3 corpora, 2 judges
  EXPECT_EQ(one["rows"].size(), 2 * (2 * 5) + 6u);
  EXPECT_EQ(two["rows"].size(), one["rows"].size());
  EXPECT_EQ(json("tables/claims.json").size(), 10u);
  // of each corpus the DAS ratio, two probes and two discriminators: ten pairs
  EXPECT_EQ(json("tables/agreement.json")["rows"].size(), 2 * 10u);
  EXPECT_EQ(json("tables/reliability-of-measures.json")["rows"].size(), 2 * 5u);
  EXPECT_EQ(json("tables/generators.json")["rows"].size(), 2u);
  EXPECT_EQ(json("tables/reliability.json")["rows"].size(), 2 * 4u);
  const Result r = heed_program({"report", "--runs", whole(), "--html", dir.path("page.html"),
                                 "--tables", dir.path("tables")});
  ASSERT_EQ(r.code, 0) << r.err;
  const std::string page = dir.read("page.html");
  for (const char* part :
       {"Is that what a person would say next?", "Table 2: generated responses", "other-corpus",
        "paper: switchboard", "attention on words", "response-only, together", "class=\"word\""}) {
    EXPECT_TRUE(has(page, part)) << part;
  }
  EXPECT_EQ(page_problems(page), "");
  EXPECT_EQ(dir.read("tables/table1.csv"), shared->read("whole/tables/table1.csv"));
  const Result info = heed_program({"info", whole()});
  EXPECT_EQ(info.code, 0) << info.err;
}

// What is said of a generator are quotients of the sums over the items that are kept beside it.
TEST_F(AdversarialTest, MeasuresOfGeneratorsAreSumsOverItems) {
  const Json of = json("generated/trained/ubuntu-sample.json");
  const Json items =
      Json::parse(read_text(whole() + "/generated/trained/ubuntu-sample.items.json.gz", 1 << 20));
  for (const char* name : {"das_ratio", "UtteranceLoc", "WordCont"}) {
    const Json& list = items[name];
    double top[3] = {}, bottom[3] = {};
    for (size_t i = 0; i < list["top"].size(); ++i) {
      const int half = list["conversations"][i].get<int>() % 2;
      for (const int sum : {half, 2}) {
        top[sum] += list["top"][i].get<double>();
        bottom[sum] += list["bottom"][i].get<double>();
      }
    }
    EXPECT_GT(list["top"].size(), 20u) << name;
    EXPECT_NEAR(of[name].get<double>(), top[2] / bottom[2], 1e-5) << name;  // six digits are kept
    for (const int half : {0, 1}) {
      EXPECT_NEAR(of["halves"][name][half].get<double>(), top[half] / bottom[half], 1e-5) << name;
    }
    EXPECT_NE(of["halves"][name][0], of["halves"][name][1]) << name;
  }
  EXPECT_GT(of["greedy_different"].get<double>(), 0);
  EXPECT_LE(of["greedy_different"].get<double>(), 1);
  // the same as heed evaluate and heed probe say
  fs::create_directory(dir.path("data"));
  write_dialogues(dir.path("pool.jsonl"), read_dialogues(find_part(kSample, "train"), 120));
  write_dialogues(dir.path("data/train.jsonl"), read_dialogues(find_part(kSample, "train"), 40));
  write_dialogues(dir.path("data/test.jsonl"), read_dialogues(find_part(kSample, "test"), 120));
  const Result r =
      heed_program({"evaluate", "--model", kTrained, "--data", dir.path("data/test.jsonl"),
                    "--examples", "last", "--test", "random:1.0", "--pool", dir.path("pool.jsonl"),
                    "--json", dir.path("das.json"), "--threads", "1"});
  ASSERT_EQ(r.code, 0) << r.err;
  const Json theirs = Json::parse(dir.read("das.json"));
  EXPECT_NEAR(of["das_ratio"].get<double>(),
              theirs["test_sets"]["random:1.0"]["das_ratio"].get<double>(), 1e-5);
  const Result p = heed_program({"probe", "--model", kTrained, "--data", dir.path("data"), "--pool",
                                 "mean", "--standardise", "--max-iter", "250", "--json",
                                 dir.path("probe.json"), "--threads", "1"});
  ASSERT_EQ(p.code, 0) << p.err;
  const Json probes = Json::parse(dir.read("probe.json"))["tasks"];
  for (const char* task : {"UtteranceLoc", "WordCont"}) {
    EXPECT_NEAR(of[task].get<double>(), probes[task]["f1"].get<double>(), 1e-12) << task;
  }
}

// The generator's responses are made once, and two halves of the work give what one did.
TEST_F(AdversarialTest, GoesOnByShardsToTheSameNumbers) {
  const std::string out = dir.path("out");
  const Arguments same = with(command(data, out), "--jobs", "1");
  for (const char* shard : {"5/9", "6/9"})
    ASSERT_EQ(without_warnings(heed_program(same + Arguments{"--shard", shard})).code, 0);
  for (const char* run : {"together-seed1", "together-response-only-seed1"}) {
    const std::string file = std::string(run) + "/evaluation.json";
    EXPECT_EQ(dir.read("out/" + file), shared->read("whole/" + file));
  }
  const std::string responses = "generated/trained/half.jsonl";
  EXPECT_EQ(dir.read("out/" + responses), shared->read("whole/" + responses));
  const Result again = without_warnings(heed_program(same + Arguments{"--only", "together"}));
  EXPECT_TRUE(has(again.out, "1 run, 1 of them done")) << again.out;
}

TEST_F(AdversarialTest, RefusesOtherSettingsAndMistakes) {
  const Arguments same = command(data, whole());
  const auto fails = [&](const Arguments& arguments, const std::string& message) {
    const Result r = heed_program(arguments);
    EXPECT_EQ(r.code, 2) << message;
    EXPECT_TRUE(has(r.err, message)) << r.err;
  };
  fails(with(same, "--hidden", "7") + Arguments{"--embed", "6"}, "with --hidden \"6\", not \"7\"");
  fails(same + Arguments{"--weight-decay", "0.5"}, "with --weight-decay \"0.0\", not \"0.5\"");
  fails(with(same, "--responses", "3"), "with --responses 12, not 3");
  fails(with(same, "--beam", "2") + Arguments{"--decode", "sample"},
        "--beam: only applies with --decode beam");
  fails(with(same, "--data", kSample), "on other data");
  fails(same + Arguments{"--only", "nothing"}, "no variant fits 'nothing'");
  fails(with(same, "--data", std::string(kSample) + "," + kSample), "two folders are called");
  const Result r = heed_program(with(same, "--generators", kSample));
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(has(r.err, kSample)) << r.err;
  fails({"reproduce", "probes", "--data", kSample, "--out", whole()}, "another kind of runs");
}

// A run that somebody else began, or an older version, does not go on as one of the experiment.
TEST_F(AdversarialTest, RefusesAnUnfinishedRunOfOtherSettings) {
  const std::string run = dir.path("out/ubuntu-sample-seed1");
  const Arguments begin = {"discriminate", "train",   "--data",    kSample, "--out",   run,
                           "--preset",     "smoke",   "--limit",   "120",   "--vocab", "150",
                           "--hidden",     "6",       "--epochs",  "1",     "--batch", "32",
                           "--rate",       "0.00001", "--threads", "1"};
  ASSERT_EQ(heed_program(begin).code, 0);
  const Result r = heed_program(with(command(kSample, dir.path("out")), "--jobs", "1") +
                                Arguments{"--only", "ubuntu-sample"});
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_TRUE(has(r.err, run + ": holds a run with other settings; move it away")) << r.err;
}

// What somebody else wrote into the folder.
TEST_F(AdversarialTest, ReportRefusesFilesThatDoNotFit) {
  const std::string run = dir.path("bad/half-seed1");
  fs::create_directories(run);
  for (const char* file : {"adversarial.json", "half-seed1/log.jsonl"})
    fs::copy_file(whole() + "/" + file, dir.path("bad/") + file);
  const auto says = [&](const Json& evaluation, const std::string& message) {
    std::ofstream(run + "/evaluation.json") << evaluation;
    const Result r = heed_program({"report", "--runs", dir.path("bad"), "--tables", dir.path("t")});
    EXPECT_EQ(r.code, message.empty() ? 0 : 1) << r.err;
    EXPECT_TRUE(has(r.err, message)) << r.err;
    EXPECT_LE(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
  };
  const Json good = json("half-seed1/evaluation.json");
  says(good, "");
  Json bad = good;
  bad["corpora"][0] = 7;
  says(bad, "a passage of a corpus that there is not");
  bad = good;
  bad["judged"]["length"]["random"]["fake"].erase(0);
  says(bad, "the lists of its passages do not fit together");
  bad = good;
  bad["judged"]["discriminator"].erase("trained");
  says(bad, "judged.discriminator.trained.real");
  bad = good;
  bad["conversations"][0] = 5;
  says(bad, "do not fit together");
}

}  // namespace
}  // namespace heed
