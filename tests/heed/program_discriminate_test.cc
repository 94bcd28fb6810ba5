// heed discriminate.
#include "tests/heed/program_data.h"

namespace heed {
namespace {

using Json = nlohmann::json;

// A training of a second.
Arguments tiny_discriminator(const std::string& out) {
  return {"discriminate", "train", "--data",   kSample, "--out",     out,  "--preset", "smoke",
          "--limit",      "60",    "--hidden", "6",     "--vocab",   "90", "--epochs", "2",
          "--batch",      "16",    "--rate",   "0.01",  "--threads", "1"};
}

class Discriminate : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared = new TempDir;
    const Result r = heed_program(tiny_discriminator(run()));
    ASSERT_EQ(r.code, 0) << r.err;
  }
  static void TearDownTestSuite() { delete shared; }
  static std::string run() { return shared->path("run"); }
  static Arguments test_of(const std::string& model) {
    return {"discriminate", "test", "--model", model, "--data", kSample, "--limit", "60"};
  }
  static Json results(const Arguments& command) {
    const Result r = heed_program(command + Arguments{"--json", "-"});
    EXPECT_EQ(r.code, 0) << join(command) << r.err;
    return Json::parse(r.out, nullptr, false);
  }
  static std::vector<Json> lines_of(const std::string& text) {
    std::vector<Json> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(Json::parse(line));
    return lines;
  }
  inline static TempDir* shared = nullptr;
  const TempDir dir;
};

TEST_F(Discriminate, TrainsARun) {
  const Json config = Json::parse(shared->read("run/config.json"));
  EXPECT_EQ(config["system"], "adversarial");
  EXPECT_EQ(config["kind"], "discriminator");
  EXPECT_EQ(config["vocab_size"], 90);
  const Json settings = Json::parse(shared->read("run/settings.json"));
  EXPECT_EQ(settings["negatives"], "random");
  expect_made_with(settings["heed"], "discriminate train");
  EXPECT_EQ(lines_of(shared->read("run/log.jsonl")).size(), 2u);
  const Result r = heed_program({"info", run()});
  EXPECT_EQ(r.code, 0) << r.err;
}

// The only passage of the second corpus' valid part has no replacement.
TEST_F(Discriminate, SaysOfWhichPartSomethingIsLeftOut) {
  const std::string one = dialogue("a", {"a b c", "d e f", "g h i"}),
                    two = one + dialogue("b", {"j k l", "m n o", "p q r"});
  for (const char* part : {"one/train", "one/valid", "two/train"}) {
    dir.write(part + std::string(".jsonl"), two);
  }
  dir.write("two/valid.jsonl", one);
  const Result r = heed_program(with(
      with(tiny_discriminator(dir.path("run")), "--data", dir.path("one") + "," + dir.path("two")),
      "--epochs", "1"));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(has(r.err, "valid: 1 passage left out: nothing could stand in the place")) << r.err;
  EXPECT_FALSE(has(r.err, "train: ")) << r.err;
}

// Stopped by a signal and gone on with: the same model and log.
TEST_F(Discriminate, GoesOnToTheSameResult) {
  const std::string out = dir.path("parts");
  ASSERT_EQ(heed_program(with(tiny_discriminator(out), "--epochs", "1")).code, 0);
  const Arguments resume = tiny_discriminator(out) + Arguments{"--resume"};
  Running training(resume + Arguments{"--checkpoint-every", "0"}, dir, dir.path("stdout"));
  training.send(SIGTERM);
  training.wait();
  const Result r = heed_program(resume);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(dir.read("parts/model.safetensors") == shared->read("run/model.safetensors"));
  EXPECT_EQ(dir.read("parts/log.jsonl"), shared->read("run/log.jsonl"));
}

// Of version 0.1.0, stopped after its first epoch.
TEST_F(Discriminate, AKeptRunGoesOn) {
  expect_kept_run_goes_on("discriminator-run", {"discriminate", "train", "--epochs", "2"});
}

TEST_F(Discriminate, EachOptionOfATrainingActs) {
  const std::string base = shared->read("run/log.jsonl");
  const std::vector<Arguments> options = {{"--negatives", "length-matched"},
                                          {"--context", "1"},
                                          {"--response-only"},
                                          {"--dropout", "0"},
                                          {"--embed", "4"},
                                          {"--optimizer", "sgd"},
                                          {"--weight-decay", "0.5"},
                                          {"--max-norm", "0.01"},
                                          {"--warm-up", "9"},
                                          {"--seed", "2"}};
  for (const Arguments& option : options) {
    const std::string out = dir.path("run" + option[0]);
    const Result r = heed_program(tiny_discriminator(out) + option);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_NE(dir.read("run" + option[0] + "/log.jsonl"), base) << option[0];
  }
}

TEST_F(Discriminate, RefusesOtherRunsAndContradictions) {
  const auto fails = [&](const Arguments& more, int code, const std::string& says) {
    expect_failure(heed_program(tiny_discriminator(run()) + more), code, says, join(more));
  };
  fails({}, 2, "already holds a run; --resume continues it");
  const std::string begun = ": the run " + run() + " was started with ";
  fails({"--resume", "--dropout", "0"}, 2, "--dropout 0.0" + begun + "0.1; leave the option out");
  fails({"--resume", "--negatives", "real"}, 2, "--negatives real" + begun + "random");
  fails({"--resume", "--response-only"}, 2, "--response-only true" + begun + "false");
  fails({"--resume", "--weight-decay", "0.5"}, 2, "--weight-decay 0.5" + begun + "0.0");
  fails({"--resume", "--seed", "2"}, 2, "--seed 2" + begun + "1");
  expect_failure(
      heed_program(with(tiny_discriminator(run()), "--limit", "50") + Arguments{"--resume"}), 2,
      "--limit 50" + begun + "60", "limit");
  // of more words than the run was asked for, too
  expect_failure(
      heed_program(with(tiny_discriminator(run()), "--vocab", "1000") + Arguments{"--resume"}), 2,
      "--vocab 1000" + begun + "90", "vocab");
  const Arguments other = {"discriminate", "train", "--data",  dir.path("d"),
                           "--out",        run(),   "--resume"};
  for (const char* part : {"train", "valid"}) {
    dir.write("d/" + std::string(part) + ".jsonl", dialogue("a", {"a b c", "d e f", "g h i"}) +
                                                       dialogue("b", {"j k l", "m n o", "p q r"}));
  }
  expect_failure(heed_program(other), 1, "not the dialogues that the run", "other data");
  expect_failure(heed_program(with(tiny_discriminator(dir.path("x")), "--data", kSample + ",,")), 2,
                 "--data: an empty name", "list");
  expect_failure(heed_program(tiny_discriminator(dir.path("x")) + Arguments{"--negatives", "some"}),
                 2, "negatives: expected random, length-matched", "negatives");
  expect_failure(heed_program(tiny_discriminator(dir.path("x")) + Arguments{"--group", "foo:1:1"}),
                 2, "optimizer: no parameter for group 'foo'", "group");
  EXPECT_FALSE(std::filesystem::exists(dir.path("x")));
  const std::string respond = dir.path("respond");
  ASSERT_EQ(heed_program(tiny_training(respond)).code, 0);
  expect_failure(heed_program(tiny_discriminator(respond) + Arguments{"--resume"}), 1,
                 "not a discriminator", "another system");
  expect_failure(heed_program(test_of(respond)), 1, "not a discriminator", "another system");
  expect_failure(heed_program(score_with(run(), kSample)), 2,
                 "a discriminator, which cannot respond; models of these systems can: respond, "
                 "adversary, hredgan",
                 "score");
}

TEST_F(Discriminate, TestsARowForEachCorpus) {
  const Json json = results(with(test_of(run()), "--data", kSample + "," + kTestPart));
  expect_made_with(json["heed"], "discriminate test");
  ASSERT_EQ(json["corpora"].size(), 2u);
  for (const Json& row : json["corpora"]) {
    const Json& c = row["counts"];
    const int n = row["passages"];
    EXPECT_EQ(c["real_as_real"].get<int>() + c["real_as_fake"].get<int>(), n);
    EXPECT_EQ(c["fake_as_real"].get<int>() + c["fake_as_fake"].get<int>(), n);
    EXPECT_NEAR(row["accuracy"]["value"],
                (c["real_as_real"].get<int>() + c["fake_as_fake"].get<int>()) / (2.0 * n), 1e-12);
    EXPECT_LE(row["accuracy"]["low"], row["accuracy"]["value"]);
    EXPECT_GT(row["auc"], 0);
    EXPECT_LT(row["auc_interval"]["low"], row["auc"]);
    EXPECT_GT(row["auc_interval"]["high"], row["auc"]);
  }
  // the same items; only the directory has a part to choose a threshold on
  EXPECT_EQ(json["corpora"][0]["counts"], json["corpora"][1]["counts"]);
  EXPECT_TRUE(json["corpora"][0]["accuracy_at_threshold"].is_number());
  EXPECT_TRUE(json["corpora"][1]["accuracy_at_threshold"].is_null());
  const Result r = heed_program(with(test_of(run()), "--data", kSample + "," + kTestPart));
  EXPECT_NE(r.out.find("at threshold"), std::string::npos) << r.out;
  for (const std::string& corpus : {kSample, kTestPart}) {
    EXPECT_NE(r.out.find(corpus + ":\n"), std::string::npos) << r.out;
  }
}

// The threshold is the best of the valid part, whatever the test part is.
TEST_F(Discriminate, TheThresholdComesFromTheValidPart) {
  std::filesystem::create_directory(dir.path("data"));
  const auto copy = [&](const std::string& from, const std::string& to) {
    std::filesystem::copy(kSample + "/" + from + ".jsonl.gz", dir.path("data/" + to + ".jsonl.gz"),
                          std::filesystem::copy_options::overwrite_existing);
  };
  for (const char* part : {"train", "valid", "test"}) copy(part, part);
  const auto tested = [&] {
    return results(with(test_of(run()), "--data", dir.path("data")))["corpora"][0];
  };
  const Json before = tested();
  copy("train", "test");
  const Json other_test = tested();
  EXPECT_EQ(other_test["threshold"], before["threshold"]);
  EXPECT_NE(other_test["counts"], before["counts"]);
  copy("test", "test");
  copy("test", "valid");  // now it is the best of the test part itself
  const Json same = tested();
  EXPECT_EQ(same["counts"], before["counts"]);
  EXPECT_GE(same["accuracy_at_threshold"], before["accuracy_at_threshold"]);
  EXPECT_NE(same["threshold"], before["threshold"]);
  std::filesystem::remove(dir.path("data/valid.jsonl.gz"));
  const Json without = tested();
  EXPECT_EQ(without["counts"], before["counts"]);
  EXPECT_TRUE(without["accuracy_at_threshold"].is_null()) << without;
}

TEST_F(Discriminate, TestsEachCorpusByItself) {
  expect_failure(heed_program(test_of(run()) + Arguments{"--negatives", "other-corpus"}), 2,
                 "--negatives other-corpus: is for training", "other-corpus");
}

TEST_F(Discriminate, PredictionsAreWhatJudgeScoreReads) {
  const std::string file = dir.path("p.jsonl");
  const Result r = heed_program(test_of(run()) + Arguments{"--predictions", file});
  ASSERT_EQ(r.code, 0) << r.err;
  std::string key, judgements;
  for (const Json& line : lines_of(dir.read("p.jsonl"))) {
    EXPECT_TRUE(line["id"].is_string());
    double sum = 0;
    for (const Json& a : line["attention"]) sum += a.get<double>();
    EXPECT_NEAR(sum, 1, 1e-5);
    key += Json({{"item", line["item"]}, {"real", line["real"]}}).dump() + "\n";
    judgements +=
        Json({{"item", line["item"]}, {"annotator", "a"}, {"choice", "real"}}).dump() + "\n";
  }
  const Json scored =
      results({"judge", "score", "--judgements", dir.write("j.jsonl", judgements), "--key",
               dir.write("k.jsonl", key), "--predictions", file, "--most", "0"});
  const Json tested = results(test_of(run()))["corpora"][0];
  EXPECT_EQ(scored["classifier"]["counts"], tested["counts"]);
  EXPECT_EQ(scored["classifier"]["auc"], tested["auc"]);
}

TEST_F(Discriminate, AgainstGeneratedResponses) {
  const Json usual = results(test_of(run()))["corpora"];
  const std::string base = usual.dump();
  EXPECT_NE(results(test_of(run()) + Arguments{"--negatives", "length-matched"})["corpora"].dump(),
            base);
  EXPECT_NE(results(test_of(run()) + Arguments{"--seed", "2"})["corpora"].dump(), base);
  EXPECT_NE(results(test_of(run()) + Arguments{"--seed", "2"})["corpora"][0]["auc"],
            usual[0]["auc"]);  // of other replacements, and not of other intervals alone
  EXPECT_LT(results(with(test_of(run()), "--limit", "20"))["corpora"][0]["passages"],
            usual[0]["passages"]);
  EXPECT_EQ(results(test_of(run()) + Arguments{"--batch", "7"})["corpora"].dump(), base);
  dir.write("d/test.jsonl", dialogue("a", {"a b c", "d e f", "g h i"}) +
                                dialogue("b", {"j k l", "m n o", "p q r"}));
  const std::string responses = dir.write("r.jsonl",
                                          "{\"id\": \"b\", \"response\": \"ok thank you\"}\n"
                                          "{\"id\": \"x\", \"response\": \"never mind that\"}\n");
  const Arguments command = {"discriminate",           "test",        "--model", run(), "--data",
                             dir.path("d/test.jsonl"), "--responses", responses};
  const Json json = results(command);
  EXPECT_EQ(json["corpora"][0]["passages"], 1);
  EXPECT_EQ(json["corpora"][0]["left_out"]["irreplaceable"], 1);
  EXPECT_EQ(json["corpora"][0]["left_out"]["responses"]["no_passage"], 1);
  expect_failure(heed_program(command + Arguments{"--negatives", "random"}), 2,
                 "--negatives and --responses both choose the replacements", "both");
}

TEST_F(Discriminate, ControlsAreRows) {
  const std::string control = dir.path("control");
  ASSERT_EQ(heed_program(tiny_discriminator(control) + Arguments{"--response-only"}).code, 0);
  const Arguments all = test_of(run()) + Arguments{"--controls", "all"};
  const Json corpus = results(all + Arguments{"--response-only-run", control})["corpora"][0];
  // What reads no context has no cosine with it.
  EXPECT_TRUE(corpus["analysis"]["real"]["cosine"].is_number());
  EXPECT_TRUE(results(test_of(control))["corpora"][0]["analysis"]["real"]["cosine"].is_null());
  EXPECT_EQ(corpus["controls"].size(), 4u);
  for (const char* name : {"response-only", "length", "unigram", "shuffled-context"}) {
    const Json& row = corpus["controls"][name];
    int items = 0;
    for (const auto& [kind, count] : row["counts"].items()) items += count.get<int>();
    EXPECT_EQ(items, 2 * corpus["passages"].get<int>()) << name;
    EXPECT_TRUE(row["auc"].is_number());
    EXPECT_FALSE(row.contains("threshold")) << name;  // which is of the model
  }
  const Result r = heed_program(all);
  const auto row_of = [&](const std::string& name) {  // up to the interval of its AUC
    const size_t at = std::min(r.out.find("\n" + name + "  "), r.out.size());
    const std::string line = r.out.substr(at, r.out.find('\n', at + 1) - at);
    return line.substr(0, line.rfind(']'))
        .substr(line.find_first_of("0123456789", name.size() + 1));
  };
  for (const char* name : {"  length", "  unigram", "  shuffled-context"}) {
    EXPECT_NE(row_of(name), row_of(kSample)) << name;
  }
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.err.find("needs a run of its own"), std::string::npos) << r.err;
  EXPECT_NE(r.out.find("shuffled-context"), std::string::npos);
  // a file has no training part: half of the conversations for the other half
  const Json file = results(with(test_of(run()), "--data", kTestPart) +
                            Arguments{"--controls", "length,unigram"});
  EXPECT_EQ(file["corpora"][0]["controls"].size(), 2u);
  const auto fails = [&](const Arguments& more, const std::string& says) {
    expect_failure(heed_program(test_of(run()) + more), 2, says, join(more));
  };
  fails({"--controls", "wide"}, "--controls: expected all or some of response-only, length");
  fails({"--controls", "response-only"}, "needs --response-only-run RUN");
  fails({"--response-only-run", run()}, "reads the context too");
  fails({"--negatives", "generated:x"}, "give the file as --responses");
}

TEST_F(Discriminate, SaysWhereItLooks) {
  const std::string page = dir.path("page.html"), file = dir.path("p.jsonl");
  const Json analysis = results(
      test_of(run()) + Arguments{"--html", page, "--predictions", file})["corpora"][0]["analysis"];
  int64_t items = 0;
  for (const char* judged : {"judged_real", "judged_fake"}) {
    const Json& c = analysis[judged];
    if (c.is_null()) continue;
    items += c["items"].get<int64_t>();
    for (const char* of : {"attention", "tokens"}) {
      EXPECT_NEAR(c[of]["context"].get<double>() + c[of]["response"].get<double>() +
                      c[of]["sos"].get<double>(),
                  1, 1e-5);
    }
  }
  const std::vector<Json> lines = lines_of(dir.read("p.jsonl"));
  EXPECT_EQ(items, static_cast<int64_t>(lines.size()));
  EXPECT_EQ(analysis["real"]["items"], lines.size() / 2);
  double response = 0, cosine = 0;
  for (const Json& line : lines) {
    if (!line["real"]) continue;
    response += line["mass"]["response"].get<double>();
    cosine += line["cosine"].get<double>();
  }
  const double n = static_cast<double>(lines.size()) / 2;
  EXPECT_NEAR(analysis["real"]["attention"]["response"], response / n, 1e-9);
  EXPECT_NEAR(analysis["real"]["cosine"], cosine / n, 1e-9);
  EXPECT_GT(analysis["cosine_real_against_fake"]["p"], 0);
  const std::string html = dir.read("page.html");
  EXPECT_EQ(html.rfind("<!DOCTYPE html>", 0), 0u);
  EXPECT_NE(html.find("&lt;eou&gt;"), std::string::npos);
  EXPECT_NE(heed_program(test_of(run())).out.find("attention on the response"), std::string::npos);
}

}  // namespace
}  // namespace heed
